/// Splits SQL text into statements, the way `psql` does: PostgreSQL takes one a message, and so does Citus.
///
/// A semicolon ends a statement unless it stands in a string (`'…'`, `E'…'`), a quoted identifier, a dollar-quoted
/// body, a comment (block comments nest), parentheses, or the `BEGIN ATOMIC … END` body of a function.
struct StatementSplitter {
  /// A string, comment or body that is opened at this line and not closed.
  struct Failure: Error, Equatable {
    let line: Int
  }

  private let text: [UInt8]
  private var position = 0
  private var start = 0
  /// Whether anything but space and comments stands between `start` and `position`.
  private var hasContent = false
  private var parentheses = 0
  /// Nesting of BEGIN ATOMIC and CASE inside a function's body.
  private var blocks = 0
  private var words: [String] = []
  private var statements: [String] = []

  /// The statements in order, without their semicolons; empty ones are left out.
  static func split(_ sql: String) throws(Failure) -> [String] {
    var splitter = StatementSplitter(text: Array(sql.utf8))
    try splitter.run()
    return splitter.statements
  }

  /// The first word of a statement in upper case, after comments.
  static func firstWord(of statement: String) -> String {
    var splitter = StatementSplitter(text: Array(statement.utf8))
    try? splitter.run()
    return splitter.firstWords.first ?? ""
  }

  private var firstWords: [String] = []

  private init(text: [UInt8]) { self.text = text }

  private mutating func run() throws(Failure) {
    while position < text.count {
      let byte = text[position]
      switch byte {
      case UInt8(ascii: "-") where peek(1) == UInt8(ascii: "-"): skipLineComment()
      case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): try skipBlockComment()
      case UInt8(ascii: "'"): try skipQuoted(UInt8(ascii: "'"), backslashEscapes: false)
      case UInt8(ascii: "\""): try skipQuoted(UInt8(ascii: "\""), backslashEscapes: false)
      case UInt8(ascii: "$"): try skipDollar()
      case UInt8(ascii: "("), UInt8(ascii: "["): step { $0.parentheses += 1 }
      case UInt8(ascii: ")"), UInt8(ascii: "]"): step { $0.parentheses = max(0, $0.parentheses - 1) }
      case UInt8(ascii: ";") where parentheses == 0 && blocks == 0: endStatement()
      case _ where Self.startsWord(byte): try skipWord()
      case UInt8(ascii: " "), 9, 10, 12, 13: position += 1
      default: step { _ in }
      }
    }
    endStatement()
  }

  private func peek(_ distance: Int) -> UInt8? {
    position + distance < text.count ? text[position + distance] : nil
  }

  private mutating func step(_ change: (inout Self) -> Void) {
    hasContent = true
    change(&self)
    position += 1
  }

  private mutating func endStatement() {
    if hasContent {
      statements.append(String(decoding: text[start..<position], as: UTF8.self).trimmed)
      if firstWords.isEmpty { firstWords = words }
    }
    position += 1
    start = min(position, text.count)
    hasContent = false
    parentheses = 0
    blocks = 0
    words = []
  }

  private func unterminated(from opening: Int) -> Failure {
    Failure(line: 1 + text[..<opening].count { $0 == 10 })
  }

  private mutating func skipLineComment() {
    while position < text.count, text[position] != 10 { position += 1 }
  }

  private mutating func skipBlockComment() throws(Failure) {
    let opening = position
    var depth = 0
    repeat {
      guard let byte = peek(0) else { throw unterminated(from: opening) }
      if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
        depth += 1
        position += 2
      } else if byte == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
        depth -= 1
        position += 2
      } else {
        position += 1
      }
    } while depth > 0
  }

  /// A doubled quote is seen as two strings side by side, which comes to the same.
  private mutating func skipQuoted(_ quote: UInt8, backslashEscapes: Bool) throws(Failure) {
    let opening = position
    hasContent = true
    position += 1
    while let byte = peek(0), byte != quote {
      position += backslashEscapes && byte == UInt8(ascii: "\\") ? 2 : 1
    }
    guard position < text.count else { throw unterminated(from: opening) }
    position += 1
  }

  /// `$tag$ … $tag$`, or a parameter `$1`.
  private mutating func skipDollar() throws(Failure) {
    hasContent = true
    let opening = position
    var end = position + 1
    while end < text.count, Self.continuesWord(text[end]), text[end] != UInt8(ascii: "$") { end += 1 }
    let isTag = end < text.count && text[end] == UInt8(ascii: "$") && !Self.isDigit(text[position + 1])
    guard isTag else {
      position += 1
      return
    }
    let tag = text[position...end]
    position = end + 1
    while position + tag.count <= text.count {
      if text[position] == UInt8(ascii: "$"), text[position..<(position + tag.count)].elementsEqual(tag) {
        position += tag.count
        return
      }
      position += 1
    }
    throw unterminated(from: opening)
  }

  private mutating func skipWord() throws(Failure) {
    hasContent = true
    let opening = position
    while let byte = peek(0), Self.continuesWord(byte) { position += 1 }
    let word = String(decoding: text[opening..<position], as: UTF8.self).uppercased()
    if word == "E", peek(0) == UInt8(ascii: "'") {
      try skipQuoted(UInt8(ascii: "'"), backslashEscapes: true)
    }
    followBlocks(word)
    if words.count < 4 { words.append(word) }
  }

  /// Only a function's or procedure's body of SQL holds semicolons outside quotes.
  private mutating func followBlocks(_ word: String) {
    let isRoutine =
      words.first == "CREATE"
      && words.contains { $0 == "FUNCTION" || $0 == "PROCEDURE" }
    guard isRoutine else { return }
    switch word {
    case "BEGIN": blocks += 1
    case "CASE" where blocks > 0: blocks += 1
    case "END" where blocks > 0: blocks -= 1
    default: break
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  /// Letters of all alphabets: PostgreSQL takes every byte above 127 as one.
  private static func startsWord(_ byte: UInt8) -> Bool {
    (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_") || byte > 127
  }

  private static func continuesWord(_ byte: UInt8) -> Bool {
    startsWord(byte) || isDigit(byte) || byte == UInt8(ascii: "$")
  }
}

extension String {
  fileprivate var trimmed: String {
    var slice = self[...]
    while let first = slice.first, first.isWhitespace { slice.removeFirst() }
    while let last = slice.last, last.isWhitespace { slice.removeLast() }
    return String(slice)
  }
}
