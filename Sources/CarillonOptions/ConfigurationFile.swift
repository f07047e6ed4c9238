/// Settings of a program in a file: one `name = value` a line, the names of the options without dashes, `#`
/// starts a comment line. An option that repeats has one line for each value.
///
///     # carillon.conf
///     listen = 0.0.0.0:8080
///     loops = 4
public struct ConfigurationFile: Sendable, Hashable {
  public struct Setting: Sendable, Hashable {
    public var name: String
    public var value: String
    public var line: Int
  }

  public var path: String
  public var settings: [Setting]

  /// - Throws: ``UsageError`` naming the line that is no setting.
  public init(path: String, text: String, command: String) throws(UsageError) {
    self.path = path
    settings = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let content = Self.trimmed(line)
      if content.isEmpty || content.first == "#" { continue }
      guard let equals = content.firstIndex(of: "="), equals > content.startIndex else {
        throw UsageError(command: command, problem: "\(path):\(index + 1): 'name = value' is wanted")
      }
      settings.append(
        Setting(
          name: String(Self.trimmed(content[..<equals])),
          value: String(Self.trimmed(content[content.index(after: equals)...])), line: index + 1))
    }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first?.isWhitespace == true { text.removeFirst() }
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
