/// A libpq connection string, as a URL or as `name=value` words.
struct ConnectionString: Hashable {
  var text: String

  init(_ text: String) { self.text = text }

  private var isURL: Bool { text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") }

  /// The same database, acting as a role that the login is, or is a member of. A string that sets `options`
  /// itself is left as it is: its author knows better.
  func acting(as role: String) -> ConnectionString {
    if text.contains("options=") { return self }
    if isURL {
      return ConnectionString(text + (text.contains("?") ? "&" : "?") + "options=-c%20role%3D\(role)")
    }
    return ConnectionString(text + " options='-c role=\(role)'")
  }

  /// Fit to be shown: no password, in whichever of its places it stands.
  var redacted: String {
    isURL ? Self.redactedURL(text) : Self.redactedWords(text)
  }

  private static let mask = "********"

  private static func redactedURL(_ text: String) -> String {
    guard let scheme = text.firstRange(of: "://") else { return mask }
    var rest = text[scheme.upperBound...]
    // The last @ before the path: a password may hold one that is not escaped.
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    var user = ""
    if let at = rest.lastIndex(of: "@"), at < authority.endIndex || rest[authority.endIndex...].contains("@")
    {
      let credentials = rest[..<at]
      user = credentials.firstIndex(of: ":").map { "\(credentials[..<$0]):\(mask)" } ?? String(credentials)
      user += "@"
      rest = rest[rest.index(after: at)...]
    }
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let query =
      parts.count == 2
      ? "?" + parts[1].split(separator: "&").map(redactedParameter).joined(separator: "&") : ""
    return text[..<scheme.upperBound] + user + parts[0] + query
  }

  private static func redactedParameter(_ parameter: Substring) -> String {
    let name = parameter.prefix { $0 != "=" }
    return isSecret(name) ? "\(name)=\(mask)" : String(parameter)
  }

  /// A quoted value may hold anything, so whatever follows a password is not shown either.
  private static func redactedWords(_ text: String) -> String {
    var shown: [String] = []
    for word in text.split(separator: " ") {
      let name = word.prefix { $0 != "=" }
      if isSecret(name) { return (shown + ["\(name)=\(mask)"]).joined(separator: " ") }
      shown.append(String(word))
    }
    return shown.joined(separator: " ")
  }

  private static func isSecret(_ name: Substring) -> Bool {
    ["password", "sslpassword", "passfile"].contains(name.lowercased())
  }
}
