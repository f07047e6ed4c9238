/// Comma-separated values as RFC 4180 has them: CRLF lines, quotes where a field needs them.
///
/// A field that a spreadsheet would take for a formula gets an apostrophe before it: cohorts, versions, ids and types
/// come from devices, and whoever opens the file shall not run what they say. Control characters are made visible, as in
/// tables: who lists the file on a terminal shall not obey them either.
enum CSV {
  static func text(header: [String], rows: [[String]]) -> String {
    ([header] + rows).map { $0.map(field).joined(separator: ",") + "\r\n" }.joined()
  }

  private static func field(_ text: String) -> String {
    let text = (isFormula(text) ? "'" : "") + TerminalText.withoutControls(text)
    guard text.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" }) else { return text }
    let doubled = text.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined()
    return "\"\(doubled)\""
  }

  /// Whether a spreadsheet may take a field for more than text. White space before the sign does not stop all of them.
  private static func isFormula(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    guard let first = scalars.first else { return false }
    if "\t\r\n".unicodeScalars.contains(first) { return true }
    // The wide forms are taken for the plain ones by some.
    switch scalars.first(where: { !$0.properties.isWhitespace }) {
    case "=", "@", "\u{FF1D}", "\u{FF20}", "\u{FF0B}", "\u{FF0D}": return true
    case "+", "-": return !isNumber(text)
    default: return false
    }
  }

  /// A plain number with its sign: digits, a point, an exponent, and nothing else.
  private static func isNumber(_ text: String) -> Bool {
    text.wholeMatch(of: /[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/) != nil
  }
}
