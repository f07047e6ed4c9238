import CarillonAPI
import CarillonModel

/// What found no slot.
extension ReportSection {
  var evictions: String {
    let total = summary.total
    let lost = total.withoutSlot
    let worst = summary.byDay.max { ($0.value.withoutSlot, $1.key) < ($1.value.withoutSlot, $0.key) }
    var head = [
      (Figure.count(lost), "passed unseen for want of a slot"),
      (Figure.share(lost, of: total.due), "of all that came due"),
    ]
    if let worst, worst.value.withoutSlot > 0 {
      head.append((Figure.count(worst.value.withoutSlot), "on the worst day, \(worst.key)"))
    }
    return figures(head)
      + titled(
        "Passed unseen, by type",
        note:
          "Their time came while the device's slots were taken by more important ones, or while their type was "
          + "at its limit. Nobody was told of them on time.",
        chart(byType(\.withoutSlot), "Notifications that came due without a slot, by type").stacked())
      + shareByType
      + titled(
        "Waiting for a slot, by type",
        note:
          "A device holds 64 at a time. What its plan of the day had no place for waits, and most of it gets a "
          + "slot later: this is the pressure, not the loss.",
        chart(byType { $0[.evicted] }, "Notifications that waited for a slot, by type").stacked())
  }

  /// Of which type what part was lost.
  private var shareByType: String {
    let types = summary.types(by: \.withoutSlot).prefix(8)
    guard !types.isEmpty else { return "" }
    let rows = types.map { type, counts in
      Bars.Row(
        name: type, share: Double(counts.withoutSlot) / Double(max(1, counts.due)),
        text: "\(Figure.share(counts.withoutSlot, of: counts.due)) of \(Figure.count(counts.due))", style: 4)
    }
    return titled(
      "Of each type, the part that passed unseen", Bars(label: "Loss by type", rows: rows).svg())
  }

  /// The five types that lost most, the same in each chart, and the rest together.
  private func byType(_ value: (ReportCounts) -> Int) -> [ChartSeries] {
    let losers = summary.types(by: \.withoutSlot).map(\.type)
    let types = losers + summary.types { $0[.evicted] }.map(\.type).filter { !losers.contains($0) }
    let shown = Array(types.prefix(5))
    var byDay: [String: [CivilDate: Int]] = [:]
    for row in document.rows where value(row.counts) > 0 {
      byDay[shown.contains(row.type) ? row.type : "", default: [:]][row.day, default: 0] += value(row.counts)
    }
    func values(_ type: String) -> [Double] { summary.days.map { Double(byDay[type]?[$0] ?? 0) } }
    let others = types.count > shown.count ? [ChartSeries("other types", values(""), style: 6)] : []
    let series = shown.enumerated().map { ChartSeries($1, values($1), style: $0) } + others
    return series.filter { $0.sum > 0 }
  }
}

extension ReportCounts {
  /// Came due while it waited for a slot, or behind the limit of its type.
  var withoutSlot: Int { self[.lost] + self[.lostToLimit] }
}
