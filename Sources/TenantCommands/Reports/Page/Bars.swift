/// Horizontal bars with their figures: for a few things side by side.
struct Bars {
  struct Row {
    var name: String
    /// Of one, the longest there can be.
    var share: Double
    /// What stands beside the bar.
    var text: String
    var style: Int
  }

  /// What it shows; read out.
  var label: String
  var rows: [Row]
  /// Whether the longest bar there can be stands for the whole; else bars compare with each other alone.
  var isOfWhole = true
  /// A line across all bars, as a share like theirs.
  var mark: Double?

  private static let width = 880.0
  private static let rowHeight = 34.0
  private static let names = 190.0
  private static let figures = 190.0

  func svg() -> String {
    let height = Self.rowHeight * Double(rows.count) + 4
    let longest = Self.width - Self.names - Self.figures
    var body = ""
    for (index, row) in rows.enumerated() {
      let top = Self.rowHeight * Double(index) + 5
      let middle = number(top + 12)
      let length = max(row.share > 0 ? 2 : 0, longest * min(1, row.share))
      body += "<text class=\"strong\" x=\"0\" y=\"\(middle)\" dy=\".35em\">"
      body += PageText.escaped(PageText.shortened(row.name, 28)) + "</text>"
      if isOfWhole {
        body += "<rect class=\"track\" x=\"\(number(Self.names))\" y=\"\(number(top))\" "
        body += "width=\"\(number(longest))\" height=\"24\" rx=\"3\"/>"
      }
      body += "<rect class=\"s\(row.style)\" x=\"\(number(Self.names))\" y=\"\(number(top))\" "
      body += "width=\"\(number(length))\" height=\"24\" rx=\"3\"/>"
      body +=
        "<text class=\"strong\" x=\"\(number(Self.names + longest + 12))\" y=\"\(middle)\" dy=\".35em\">"
      body += PageText.escaped(row.text) + "</text>"
    }
    if let mark {
      let x = number(Self.names + longest * min(1, mark))
      body += "<line class=\"mark\" x1=\"\(x)\" x2=\"\(x)\" y1=\"0\" y2=\"\(number(height))\"/>"
    }
    return "<figure><svg viewBox=\"0 0 \(number(Self.width)) \(number(height))\" role=\"img\" "
      + "aria-label=\"\(PageText.escaped(label))\">\(body)</svg></figure>\n"
  }
}
