import CarillonAPI
import CarillonModel

/// Who stopped listening, who left, and how long before one could have known.
extension ReportSection {
  var fatigue: String {
    let total = summary.total
    let asked = { (counts: ReportCounts) in counts[.devices as FatigueMeasure] }
    let quiet = summary.shares(of: asked) { $0[.degraded] }
    let denied = summary.shares(of: asked) { $0[.denied as FatigueMeasure] }
    var head = [
      (Figure.share(summary.last[.degraded], of: asked(summary.last)), "have gone quiet, at the end"),
      (Figure.count(total[.left]), "took the permission away"),
      (Figure.share(total.warned, of: total[.left]), "of these had gone quiet before"),
    ]
    if let days = total.medianLeadDays {
      head.append(("\(days) \(days == 1 ? "day" : "days")", "from quiet to gone, in the median"))
    }
    let left = [
      ChartSeries("had gone quiet before", summary.values(\.warned), style: 0),
      ChartSeries("without a sign", summary.values { $0[.left] - $0.warned }, style: 4),
    ]
    return figures(head)
      + titled(
        "Gone quiet: allowed, but heard and seen no more",
        note:
          "Sound and lock screen, both of which were on, were found to be off. Such a device is one step from leaving; one "
          + "that never had both is not among them. Share of the devices that have answered the question for permission.",
        chart([ChartSeries("gone quiet", quiet, style: 0)], "Share of devices gone quiet", percent: true)
          .lines())
      + titled(
        "Denied",
        chart([ChartSeries("denied", denied, style: 4)], "Share of devices that deny", percent: true).lines())
      + (total[.left] == 0
        ? ""
        : titled("Took the permission away", chart(left, "Departures, with and without a sign").stacked()))
      + lead(total) + FatigueGrouping.allCases.map(groups).joined()
  }

  /// How long before they left those that left had gone quiet.
  private func lead(_ total: ReportCounts) -> String {
    let spans = [
      (0...0, "the same day"), (1...3, "1 to 3 days"), (4...7, "4 to 7 days"), (8...14, "8 to 14 days"),
      (15...30, "15 to 30 days"), (31...FatigueMeasure.longestLeadDays, "more than 30 days"),
    ]
    guard total.warned > 0 else { return "" }
    let rows = spans.map { days, name in
      let count = days.reduce(0) { $0 + total.left(afterDays: $1) }
      return Bars.Row(
        name: name, share: Double(count) / Double(total.warned),
        text: "\(Figure.count(count)) (\(Figure.share(count, of: total.warned)))", style: 0)
    }
    return titled(
      "From quiet to gone: the time there was to act",
      note: "Of the \(Figure.count(total.warned)) that went quiet and then left.",
      Bars(label: "Departures by the days since they went quiet", rows: rows).svg())
  }

  /// Those that are not tiny: cohorts and versions with the largest share of quiet devices first, weeks in their order.
  private func groups(_ grouping: FatigueGrouping) -> String {
    guard let day = document.rows.map(\.day).max() else { return "" }
    let rows = document.rows.filter { $0.day == day && $0.type == grouping.rawValue && !$0.cohort.isEmpty }
    let most = rows.map { $0.counts[.devices as FatigueMeasure] }.max() ?? 0
    var ranked = rows.filter { $0.counts[.devices as FatigueMeasure] * 20 >= most }.map { row in
      let devices = row.counts[.devices as FatigueMeasure]
      return Bars.Row(
        name: row.cohort, share: Double(row.counts[.degraded]) / Double(max(1, devices)),
        text: "\(Figure.share(row.counts[.degraded], of: devices)) of \(Figure.count(devices))", style: 0)
    }
    switch grouping {
    case .cohort, .appVersion:
      ranked.sort { ($1.share, $0.name) < ($0.share, $1.name) }
      ranked = Array(ranked.prefix(8))
    case .installWeek:
      ranked.sort { $0.name < $1.name }
      ranked = ranked.suffix(16)
    }
    guard ranked.count > 1 else { return "" }
    let average =
      Double(summary.last[.degraded]) / Double(max(1, summary.last[.devices as FatigueMeasure]))
    let scale = max(0.0001, average, ranked.map(\.share).max() ?? 0)
    let title =
      switch grouping {
      case .cohort: "Gone quiet, by cohort"
      case .appVersion: "Gone quiet, by app version"
      case .installWeek: "Gone quiet, by week of installation"
      }
    let bars = ranked.map {
      Bars.Row(name: $0.name, share: $0.share / scale, text: $0.text, style: $0.style)
    }
    return titled(
      "\(title), at the end", note: "The broken line is the average of all, \(Figure.percent(average)).",
      Bars(label: title, rows: bars, isOfWhole: false, mark: average / scale).svg())
  }
}
