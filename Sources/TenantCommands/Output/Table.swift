/// A table in columns, aligned by what a terminal shows, numbers to the right.
struct Table {
  struct Header {
    var title: String
    var alignsRight: Bool

    init(_ title: String, alignsRight: Bool = false) {
      self.title = title
      self.alignsRight = alignsRight
    }
  }

  struct Cell {
    var text: String
    var tone: Tone

    init(_ text: String, tone: Tone = .plain) {
      self.text = TerminalText.safe(text)
      self.tone = tone
    }
  }

  var header: [Header]
  var rows: [[Cell]]

  func text(style: Style) -> String {
    let titles = header.map { Cell($0.title, tone: .heading) }
    let lines = [titles] + rows
    let widths = header.indices.map { column in
      lines.map { DisplayWidth.of($0[column].text) }.max() ?? 0
    }
    return lines.map { line(of: $0, widths, style) }.joined()
  }

  /// One thing: a line for each of its members.
  static func record(_ members: [(title: String, cell: Cell)], style: Style) -> String {
    let width = members.map { DisplayWidth.of($0.title) }.max() ?? 0
    return members.map { title, cell in
      let padding = String(repeating: " ", count: width - DisplayWidth.of(title))
      return style.apply(.heading, to: title) + padding + "  " + style.apply(cell.tone, to: cell.text) + "\n"
    }.joined()
  }

  private func line(of cells: [Cell], _ widths: [Int], _ style: Style) -> String {
    var line = ""
    for (column, cell) in cells.enumerated() {
      let padding = String(repeating: " ", count: widths[column] - DisplayWidth.of(cell.text))
      let text = style.apply(cell.tone, to: cell.text)
      if column > 0 { line += "  " }
      if header[column].alignsRight {
        line += padding + text
      } else {
        line += column == cells.count - 1 ? text : text + padding
      }
    }
    return line + "\n"
  }
}

/// Text from elsewhere, made harmless for a terminal.
enum TerminalText {
  /// Control characters could move the cursor, change colours or hide what follows, and bidirectional
  /// overrides could make a row read as another: both are shown as escapes.
  static func safe(_ text: String) -> String {
    escaped(text) { isControl($0) || isTurning($0) }
  }

  /// Shows control characters as escapes and leaves all else as it is: for files that people list, too.
  static func withoutControls(_ text: String) -> String { escaped(text, where: isControl) }

  private static func escaped(_ text: String, where isHarmful: (Unicode.Scalar) -> Bool) -> String {
    guard text.unicodeScalars.contains(where: isHarmful) else { return text }
    return text.unicodeScalars.map { isHarmful($0) ? escape($0) : String($0) }.joined()
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  private static func isTurning(_ scalar: Unicode.Scalar) -> Bool {
    (0x2028...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    default: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }
  }
}
