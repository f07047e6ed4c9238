/// Comma-separated values as RFC 4180 has them: CRLF lines, quotes where a field needs them.
enum CSV {
  static func text(header: [String], rows: [[String]]) -> String {
    ([header] + rows).map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
  }

  private static func field(_ text: String) -> String {
    // A carriage return with a line feed is one Character: look at the scalars.
    guard text.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) else { return text }
    let doubled = text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
    return "\"\(doubled)\""
  }
}
