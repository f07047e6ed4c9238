/// How a cell stands out on a terminal.
enum Tone: Sendable {
  case plain, heading, good, warning, bad

  fileprivate var code: String? {
    switch self {
    case .plain: nil
    case .heading: "1"
    case .good: "32"
    case .warning: "33"
    case .bad: "31"
    }
  }
}

/// Whether colour may be used.
struct Style: Sendable {
  var usesColour: Bool

  /// - Parameter isTerminal: whether the output goes to one.
  init(isTerminal: Bool, environment: [String: String]) {
    // https://no-color.org: any value but the empty one.
    let forbidden = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
    usesColour = isTerminal && !forbidden && environment["TERM"] != "dumb"
  }

  func apply(_ tone: Tone, to text: String) -> String {
    guard usesColour, let code = tone.code else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}
