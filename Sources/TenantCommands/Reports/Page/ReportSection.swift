import CarillonAPI
import CarillonModel

/// One report on the page: what it says, its figures, its charts, and the numbers behind them.
struct ReportSection {
  let document: ReportDocument
  let summary: ReportSummary

  init(_ document: ReportDocument) {
    self.document = document
    summary = ReportSummary(document)
  }

  var html: String {
    let id = document.kind.rawValue
    var html = "<section id=\"\(id)\" aria-labelledby=\"\(id)-title\">\n"
    html += "<h2 id=\"\(id)-title\">\(document.kind.title)</h2>\n"
    html += "<p>\(PageText.escaped(summary.sentence))</p>\n"
    if !document.rows.isEmpty { html += charts + table }
    return html + "</section>\n"
  }

  private var charts: String {
    switch document.kind {
    case .evictions: evictions
    case .authorization: authorization
    case .priming: priming
    case .fatigue: fatigue
    case .delivery: delivery
    case .engagement: engagement
    }
  }

  // MARK: Reports

  private var evictions: String {
    figures([
      (Figure.count(summary.total[.lost] + summary.total[.lostToLimit]), "came due without a slot"),
      (Figure.count(summary.total[.evicted]), "were left waiting by a plan"),
    ])
      + titled(
        "Came due without a slot, by type",
        chart(
          byType { $0[.lost] + $0[.lostToLimit] },
          "Notifications that came due without a slot, by day and type"
        )
        .stacked())
      + titled(
        "Left waiting by a plan, by type",
        chart(byType { $0[.evicted] }, "Notifications left without a slot, by day and type").stacked())
  }

  private var authorization: String {
    let states: [(PermissionMeasure, String, Int)] = [
      (.authorized, "authorized", 0), (.provisional, "provisional", 5), (.ephemeral, "ephemeral", 2),
      (.notDetermined, "not asked yet", 6), (.denied, "denied", 4), (.unknown, "unknown", 7),
    ]
    let series = states.map { ChartSeries($1, shares(of: $0), style: $2) }
      .filter { $0.sum > 0 }
    let last = summary.last
    let steps: [(PermissionMeasure, String)] = [
      (.primed, "shown the app's screen"), (.asked, "asked by iOS"), (.granted, "granted"),
      (.kept, "still allowed"),
    ]
    let most = Double(max(1, steps.map { last[$0.0] }.max() ?? 1))
    let rows = steps.map { measure, name in
      let share = Figure.share(last[measure], of: last[.devices as PermissionMeasure])
      return Bars.Row(
        name: name, share: Double(last[measure]) / most,
        text: "\(Figure.count(last[measure])) (\(share) of all)", style: 0)
    }
    return titled(
      "State of all devices", chart(series, "Share of devices in each state, by day", percent: true).stacked()
    )
      + titled(
        "The way to permission, at the end of the period",
        Bars(label: "Devices that were primed, asked, granted and kept", rows: rows).svg())
  }

  private var priming: String {
    let answers = [
      ChartSeries("granted", summary.values { $0[.answeredGranted] }, style: 0),
      ChartSeries("denied", summary.values { $0[.answeredDenied] }, style: 4),
    ]
    let screen = [
      ChartSeries("accepted", summary.values { $0[.primingAccepted] }, style: 2),
      ChartSeries("later", summary.values { $0[.primingPostponed] }, style: 1),
    ]
    let bounds = PermissionMeasure.grantBounds.count
    let grants = (0...bounds).map { summary.total.granted(within: $0) }
    let all = max(1, grants.reduce(0, +))
    let names = [
      "under a minute", "under 5 minutes", "under an hour", "under 6 hours", "under a day", "under 3 days",
      "under a week", "under 30 days", "later",
    ]
    let rows = grants.indices.filter { grants[$0] > 0 }.map { index in
      Bars.Row(
        name: names[index], share: Double(grants[index]) / Double(all),
        text: "\(Figure.count(grants[index])) (\(Figure.share(grants[index], of: all)))", style: 0)
    }
    return titled(
      "Answers to iOS", chart(answers, "Answers to the system's question, by day").stacked())
      + titled(
        "Answers on the app's own screen", chart(screen, "Answers on the app's screen, by day").stacked())
      + (rows.isEmpty
        ? ""
        : titled(
          "From the first sight of a device to its yes",
          Bars(label: "Grants by the time they took", rows: rows).svg()))
  }

  private var fatigue: String {
    let series = [
      ChartSeries("allowed, but neither heard nor seen", fatigueShares { $0[.degraded] }, style: 0),
      ChartSeries("denied", fatigueShares { $0[.denied as FatigueMeasure] }, style: 4),
    ]
    let lead = summary.total.medianLeadDays.map {
      ("\($0)", $0 == 1 ? "day of warning (median)" : "days of warning (median)")
    }
    return figures(
      [
        (Figure.count(summary.total[.left]), "took the permission away"),
        (Figure.count(summary.total.warned), "of them went quiet before"),
      ] + (lead.map { [$0] } ?? []))
      + titled(
        "Share of the devices that were asked",
        chart(series, "Share of degraded and of denied devices, by day", percent: true).lines())
      + FatigueGrouping.allCases.map(worst).joined()
  }

  private var delivery: String {
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
    return titled("What became of what came due", chart(series, "Outcomes by day").stacked())
      + (rows.isEmpty
        ? "" : titled("Needs that the settings did not meet", Bars(label: "Unmet needs", rows: rows).svg()))
  }

  private var engagement: String {
    let rates = summary.days.map { day -> Double in
      guard let counts = summary.byDay[day], counts.noticed > 0 else { return 0 }
      return Double(counts[.tapped]) / Double(counts.noticed)
    }
    let types = summary.types(by: \.noticed).prefix(10)
    let highest = types.map { Double($0.counts[.tapped]) / Double($0.counts.noticed) }.max() ?? 0
    let rows = types.map { type, counts in
      let rate = Double(counts[.tapped]) / Double(counts.noticed)
      return Bars.Row(
        name: type, share: highest > 0 ? rate / highest : 0,
        text: "\(Figure.percent(rate)) of \(Figure.count(counts.noticed))", style: 0)
    }
    return titled(
      "Tap rate", chart([ChartSeries("tapped", rates, style: 0)], "Tap rate by day", percent: true).lines())
      + titled("Tap rate by type", Bars(label: "Tap rate by type", rows: rows).svg())
  }

  // MARK: Parts

  /// The five types that lost most, the same in each chart, and the rest together.
  private func byType(_ value: (ReportCounts) -> Int) -> [ChartSeries] {
    let losers = summary.types { $0[.lost] + $0[.lostToLimit] }.map(\.type)
    let types = losers + summary.types { $0[.evicted] }.map(\.type).filter { !losers.contains($0) }
    let shown = Array(types.prefix(5))
    var byDay: [String: [CivilDate: Int]] = [:]
    for row in document.rows where value(row.counts) > 0 {
      byDay[shown.contains(row.type) ? row.type : "", default: [:]][row.day, default: 0] += value(row.counts)
    }
    func values(_ type: String) -> [Double] { summary.days.map { Double(byDay[type]?[$0] ?? 0) } }
    let others = types.count > shown.count ? [ChartSeries("other types", values(""), style: 6)] : []
    return shown.enumerated().map { ChartSeries($1, values($1), style: $0) } + others
  }

  private func shares(of measure: PermissionMeasure) -> [Double] {
    summary.days.map { day in
      guard let counts = summary.byDay[day] else { return 0 }
      return Double(counts[measure]) / Double(max(1, counts[.devices as PermissionMeasure]))
    }
  }

  private func fatigueShares(_ part: (ReportCounts) -> Int) -> [Double] {
    summary.days.map { day in
      guard let counts = summary.byDay[day] else { return 0 }
      return Double(part(counts)) / Double(max(1, counts[.devices as FatigueMeasure]))
    }
  }

  /// The groups with the largest share of degraded devices on the last day, among those that are not tiny.
  private func worst(_ grouping: FatigueGrouping) -> String {
    guard let day = document.rows.map(\.day).max() else { return "" }
    let rows = document.rows.filter { $0.day == day && $0.type == grouping.rawValue }
    let most = rows.map { $0.counts[.devices as FatigueMeasure] }.max() ?? 0
    let ranked = rows.filter { $0.counts[.devices as FatigueMeasure] * 20 >= most && !$0.cohort.isEmpty }
      .map { row in
        let devices = row.counts[.devices as FatigueMeasure]
        return Bars.Row(
          name: row.cohort, share: Double(row.counts[.degraded]) / Double(max(1, devices)),
          text: "\(Figure.share(row.counts[.degraded], of: devices)) of \(Figure.count(devices))", style: 0)
      }.sorted { ($1.share, $0.name) < ($0.share, $1.name) }
    guard ranked.count > 1 else { return "" }
    let scale = max(0.0001, ranked[0].share)
    let title =
      switch grouping {
      case .cohort: "Gone quiet, by cohort"
      case .appVersion: "Gone quiet, by app version"
      case .installWeek: "Gone quiet, by week of installation"
      }
    let bars = ranked.prefix(6).map {
      Bars.Row(name: $0.name, share: $0.share / scale, text: $0.text, style: $0.style)
    }
    return titled("\(title), at the end", Bars(label: title, rows: Array(bars)).svg())
  }

  private func chart(_ series: [ChartSeries], _ label: String, percent: Bool = false) -> Chart {
    Chart(label: label, days: summary.days, series: series, isPercent: percent)
  }

  private func titled(_ title: String, _ figure: String) -> String {
    "<h3>\(PageText.escaped(title))</h3>\n\(figure)"
  }

  private func figures(_ figures: [(String, String)]) -> String {
    let items = figures.map { "<li><b>\($0)</b><span>\(PageText.escaped($1))</span></li>" }
    return "<ul class=\"figures\">\(items.joined())</ul>\n"
  }

  /// The sums of each day, for whoever wants the numbers.
  private var table: String {
    let columns = document.kind.dayColumns
    let head = (["day"] + columns.map(\.name)).map { "<th scope=\"col\">\($0)</th>" }.joined()
    let rows = summary.days.compactMap { day in
      summary.byDay[day].map { counts in
        "<tr><td>\(day)</td>" + columns.map { "<td>\(Figure.count($0.value(counts)))</td>" }.joined()
          + "</tr>"
      }
    }
    return
      "<details><summary>The numbers, day by day</summary><div class=\"scroll\"><table><thead><tr>\(head)"
      + "</tr></thead><tbody>\n\(rows.joined(separator: "\n"))\n</tbody></table></div></details>\n"
  }
}
