import CarillonAPI
import CarillonModel

/// What a report says, in a sentence or two; and the sums behind it.
struct ReportSummary {
  let document: ReportDocument
  /// All days, without the groupings of fatigue that say the same again.
  let days: [CivilDate]
  let byDay: [CivilDate: ReportCounts]

  init(_ document: ReportDocument) {
    self.document = document
    days = (document.from.daysSinceEpoch...document.to.daysSinceEpoch).map {
      CivilDate(daysSinceEpoch: $0)
    }
    var byDay: [CivilDate: ReportCounts] = [:]
    for row in document.rows where document.kind != .fatigue || row.type == FatigueGrouping.cohort.rawValue {
      byDay[row.day, default: ReportCounts()] += row.counts
    }
    self.byDay = byDay
  }

  /// Of the whole period.
  var total: ReportCounts { byDay.values.reduce(into: ReportCounts()) { $0 += $1 } }

  /// Of the last day that was counted.
  var last: ReportCounts { byDay.keys.max().flatMap { byDay[$0] } ?? ReportCounts() }

  func values(_ value: (ReportCounts) -> Int) -> [Double] {
    days.map { day in byDay[day].map { Double(value($0)) } ?? 0 }
  }

  /// Of each day; nil where there is nothing to have a share of.
  func shares(of whole: (ReportCounts) -> Int, _ part: (ReportCounts) -> Int) -> [Double?] {
    days.map { day in
      guard let counts = byDay[day], whole(counts) > 0 else { return nil }
      return Double(part(counts)) / Double(whole(counts))
    }
  }

  /// The sums of each type, the largest of `weight` first.
  func types(by weight: (ReportCounts) -> Int) -> [(type: String, counts: ReportCounts)] {
    var sums: [String: ReportCounts] = [:]
    for row in document.rows { sums[row.type, default: ReportCounts()] += row.counts }
    return sums.map { (type: $0.key, counts: $0.value) }.filter { weight($0.counts) > 0 }
      .sorted { (weight($1.counts), $0.type) < (weight($0.counts), $1.type) }
  }

  var sentence: String {
    guard let through = document.rolledUpThrough else { return "No day was counted yet." }
    guard !document.rows.isEmpty else {
      return through < document.from
        ? "No day of this period was counted yet; \(through) is the last one that was."
        : "Nothing of this kind happened in this period."
    }
    switch document.kind {
    case .evictions: return evictions
    case .authorization: return authorization
    case .priming: return priming
    case .fatigue: return fatigue
    case .delivery: return delivery
    case .engagement: return engagement
    }
  }

  private var evictions: String {
    let lost = total.withoutSlot
    let waited = "\(Figure.count(total[.evicted])) times in this period a notification had no slot"
    guard lost > 0, let first = types(by: \.withoutSlot).first else {
      return waited + ", and none came due that way."
    }
    let share = Figure.share(first.counts.withoutSlot, of: lost)
    return waited
      + "; \(Figure.count(lost)) came due that way and were not shown, \(share) of them of type \(first.type)."
  }

  private var authorization: String {
    let devices = last[.devices as PermissionMeasure]
    let allowed =
      last[.authorized as PermissionMeasure] + last[.provisional as PermissionMeasure]
      + last[.ephemeral as PermissionMeasure]
    return "At the end \(Figure.share(allowed, of: devices)) of \(Figure.count(devices)) devices allow "
      + "notifications and \(Figure.share(last[.denied as PermissionMeasure], of: devices)) deny them; of those asked "
      + "\(Figure.share(last[.granted], of: last[.asked])) said yes, and "
      + "\(Figure.share(last[.kept], of: last[.granted])) of these still do."
  }

  private var priming: String {
    let (granted, denied) = (total[.answeredGranted], total[.answeredDenied])
    let screens = total[.primingAccepted] + total[.primingPostponed]
    return "The app's own screen was answered \(Figure.count(screens)) times, "
      + "\(Figure.share(total[.primingAccepted], of: screens)) with yes; the system's question "
      + "\(Figure.count(granted + denied)) times, \(Figure.share(granted, of: granted + denied)) with yes."
  }

  private var fatigue: String {
    let devices = last[.devices as FatigueMeasure]
    var text =
      "At the end \(Figure.share(last[.degraded], of: devices)) of the devices that were asked are allowed but "
      + "heard and seen no more, and \(Figure.share(last[.denied as FatigueMeasure], of: devices)) deny. "
    text += "\(Figure.count(total[.left])) took the permission away in this period"
    if let days = total.medianLeadDays {
      text +=
        "; \(Figure.count(total.warned)) of them had gone quiet before, in the median \(days) "
        + (days == 1 ? "day earlier" : "days earlier")
    }
    return text + "."
  }

  private var delivery: String {
    let (due, noticed) = (total.due, total.noticed)
    return
      "Of \(Figure.count(due)) notifications that came due \(Figure.share(noticed, of: due)) were delivered; "
      + "\(Figure.count(total[.unmet])) lacked something they need, such as sound."
  }

  private var engagement: String {
    let noticed = total.noticed
    var text =
      "\(Figure.share(total[.tapped], of: noticed)) of \(Figure.count(noticed)) delivered notifications were tapped"
    let rates = types(by: \.noticed).map {
      (type: $0.type, rate: Double($0.counts[.tapped]) / Double($0.counts.noticed))
    }
    if rates.count > 1, let best = rates.max(by: { $0.rate < $1.rate }),
      let worst = rates.min(by: { $0.rate < $1.rate })
    {
      text +=
        ", most of type \(best.type) (\(Figure.percent(best.rate))), fewest of type \(worst.type) "
        + "(\(Figure.percent(worst.rate)))"
    }
    return text + "."
  }
}

/// Numbers for people.
enum Figure {
  /// `1,234,567`.
  static func count(_ value: Int) -> String {
    var digits = String(abs(value))
    var groups: [String] = []
    while digits.count > 3 {
      groups.insert(String(digits.suffix(3)), at: 0)
      digits.removeLast(3)
    }
    return (value < 0 ? "-" : "") + ([digits] + groups).joined(separator: ",")
  }

  /// `12.5%`; `0%` of nothing.
  static func share(_ part: Int, of whole: Int) -> String {
    percent(whole == 0 ? 0 : Double(part) / Double(whole))
  }

  /// One decimal, and none where it says nothing.
  static func percent(_ share: Double) -> String { "\(decimal(share * 100))%" }

  static func decimal(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? count(tenths / 10) : "\(count(tenths / 10)).\(tenths % 10)"
  }
}
