import CarillonAPI
import CarillonJSON
import CarillonModel

/// The history of a device for a terminal: a line for each thing that a report changed, no wider than 80 columns
/// while its sequence has six digits.
enum DeviceHistorySheet {
  private static let widestMember = 20
  private static let widestChange = 28

  static func sheet(_ items: [DeviceChangeItem]) -> Report.Sheet {
    Report.Sheet(
      columns: [
        Column("at"), Column("sequence", heading: "SEQ", alignsRight: true), Column("what"),
        Column("change", tones: ["degraded": .warning, "recovered": .good]),
      ],
      rows: items.flatMap { item in
        lines(item).map { what, change in
          [
            "at": .string(item.at.text), "sequence": item.sequence.map { .number(String($0)) } ?? .null,
            "what": .string(cut(what, to: widestMember)), "change": .string(cut(change, to: widestChange)),
          ]
        }
      })
  }

  private static func lines(_ item: DeviceChangeItem) -> [(what: String, change: String)] {
    var lines = item.changes.map { change in
      // The last part tells enough: no two members of a report share it.
      (
        String(change.member.split(separator: ".").last ?? ""), "\(change.from ?? "-") > \(change.to ?? "-")"
      )
    }
    if let fatigue = item.fatigue { lines.append(("fatigue", fatigue)) }
    lines += item.cancels.map { ("cancelled", $0.text) } + item.puts.map { ("put", $0.text) }
    if item.more > 0 { lines.append(("put or cancelled", "\(item.more) more")) }
    return lines
  }

  private static func cut(_ text: String, to width: Int) -> String {
    guard DisplayWidth.of(text) > width else { return text }
    var text = text
    while DisplayWidth.of(text) > width - 1 { text.removeLast() }
    return text + "…"
  }
}
