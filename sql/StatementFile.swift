/// Reads a file of statements: each begins with a line `-- name: table_verb` and ends before the next such line.
///
/// Comments that take a whole line and the closing semicolon stay behind: what is left goes over the wire.
enum StatementFile {
  private static let marker = "-- name: "

  static func read(_ text: String) -> [(name: String, text: String)] {
    var result: [(name: String, text: String)] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
      if line.hasPrefix(marker) {
        result.append((name: String(line.dropFirst(marker.count)), text: ""))
      } else if !line.hasPrefix("--") {
        precondition(!result.isEmpty, "a statement stands before the first name")
        if !result[result.count - 1].text.isEmpty { result[result.count - 1].text += "\n" }
        result[result.count - 1].text += line
      }
    }
    return result.map { name, text in
      precondition(text.last == ";", "the statement \(name) does not end with a semicolon")
      return (name, String(text.dropLast()))
    }
  }
}
