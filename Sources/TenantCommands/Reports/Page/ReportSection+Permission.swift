import CarillonAPI
import CarillonModel

/// Who may be told something, and how they came to allow it.
extension ReportSection {
  var authorization: String {
    let states: [(PermissionMeasure, String, Int)] = [
      (.authorized, "authorized", 0), (.provisional, "provisional (quietly, on trial)", 5),
      (.ephemeral, "ephemeral", 2), (.notDetermined, "not asked yet", 6), (.denied, "denied", 4),
      (.unknown, "unknown", 7),
    ]
    let series = states.map { ChartSeries($1, shares(of: $0), style: $2) }
      .filter { $0.sum > 0 }
    let last = summary.last
    let steps: [(PermissionMeasure, String)] = [
      (.primed, "shown the app's screen"), (.asked, "asked by iOS"), (.granted, "granted"),
      (.kept, "still allowed"),
    ]
    let devices = last[.devices as PermissionMeasure]
    let rows = steps.map { measure, name in
      let share = Figure.share(last[measure], of: devices)
      return Bars.Row(
        name: name, share: Double(last[measure]) / Double(max(1, devices)),
        text: "\(Figure.count(last[measure])) (\(share) of all)", style: 0)
    }
    return titled(
      "State of all devices", chart(series, "Share of devices in each state, by day", percent: true).stacked()
    )
      + titled(
        "The way to permission, at the end of the period",
        note: "The whole width is all \(Figure.count(devices)) devices.",
        Bars(label: "Devices that were primed, asked, granted and kept", rows: rows).svg())
  }

  private func shares(of measure: PermissionMeasure) -> [Double?] {
    summary.shares(of: { $0[.devices as PermissionMeasure] }) { $0[measure] }
  }

  var priming: String {
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
      "under a minute", "1 to 5 minutes", "5 minutes to an hour", "1 to 6 hours", "6 hours to a day",
      "1 to 3 days", "3 days to a week", "a week to 30 days", "later",
    ]
    let rows = grants.indices.filter { grants[$0] > 0 }.map { index in
      Bars.Row(
        name: names[index], share: Double(grants[index]) / Double(all),
        text: "\(Figure.count(grants[index])) (\(Figure.share(grants[index], of: all)))", style: 0)
    }
    return titled(
      "Answers to iOS", chart(answers, "Answers to the system's question").stacked())
      + titled(
        "Answers on the app's own screen", chart(screen, "Answers on the app's screen").stacked())
      + (rows.isEmpty
        ? ""
        : titled(
          "From the first sight of a device to its yes",
          Bars(label: "Grants by the time they took", rows: rows).svg()))
  }
}
