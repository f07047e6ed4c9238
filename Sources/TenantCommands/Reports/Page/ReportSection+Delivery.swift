import CarillonAPI
import CarillonModel

/// What became of what came due, and who acted on it.
extension ReportSection {
  var delivery: String {
    let outcomes: [(DeliveryOutcome, String, Int)] = [
      (.delivered, "delivered", 0), (.inferredDelivered, "delivered, by inference", 5),
      (.rescued, "rescued by push", 2), (.open, "not known yet", 6), (.suppressed, "suppressed (denied)", 3),
      (.removedOnDevice, "removed on the device", 1), (.missed, "missed", 4), (.expired, "expired", 7),
    ]
    let series = outcomes.map { outcome, name, style in
      ChartSeries(name, summary.values { $0[NotificationMeasure(outcome)] }, style: style)
    }.filter { $0.sum > 0 }
    let total = summary.total
    let needs: [(String, Int)] = [
      ("sound", total[.unmetSound]), ("alert", total[.unmetAlert]), ("lock screen", total[.unmetLockScreen]),
      ("badge", total[.unmetBadge]),
    ]
    let rows = needs.filter { $0.1 > 0 }.map { name, count in
      Bars.Row(
        name: name, share: Double(count) / Double(max(1, total.due)),
        text: "\(Figure.count(count)) (\(Figure.share(count, of: total.due)))", style: 4)
    }
    return titled("What became of what came due", chart(series, "Outcomes of what came due").stacked())
      + (rows.isEmpty
        ? ""
        : titled(
          "Needs that the settings did not meet",
          note:
            "These came due, but could not do what they are for: a reminder that must be heard on a device "
            + "without sound. Share of all that came due.",
          Bars(label: "Unmet needs", rows: rows).svg()))
  }

  var engagement: String {
    let rates = summary.shares(of: \.noticed) { $0[.tapped] }
    let types = summary.types(by: \.noticed).prefix(10)
    let highest = types.map { Double($0.counts[.tapped]) / Double($0.counts.noticed) }.max() ?? 0
    let average = Double(summary.total[.tapped]) / Double(max(1, summary.total.noticed))
    let rows = types.map { type, counts in
      let rate = Double(counts[.tapped]) / Double(counts.noticed)
      return Bars.Row(
        name: type, share: highest > 0 ? rate / highest : 0,
        text: "\(Figure.percent(rate)) of \(Figure.count(counts.noticed))", style: 0)
    }.sorted { ($1.share, $0.name) < ($0.share, $1.name) }
    return titled(
      "Tap rate", chart([ChartSeries("tapped", rates, style: 0)], "Tap rate by day", percent: true).lines())
      + titled(
        "Tap rate by type", note: "The broken line is the average of all, \(Figure.percent(average)).",
        Bars(
          label: "Tap rate by type", rows: rows, isOfWhole: false,
          mark: highest > 0 ? average / highest : nil
        ).svg())
  }
}
