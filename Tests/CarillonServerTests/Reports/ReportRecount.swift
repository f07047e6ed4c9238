import CarillonJSON
import CarillonModel

/// Every report of a fleet counted the plain way: day by day, device by device, over the raw history. An item is told
/// as `report|day|type or by|cohort or value`, with its numbers by their paths; zeros and empty items are left out.
struct ReportRecount {
  typealias Items = [String: [String: Int]]
  private(set) var items: Items = [:]

  init(_ fleet: ReportFleet) {
    for offset in 0..<fleet.days {
      let day = fleet.first.adding(days: offset)
      let (start, end) = (day.startInUTC, day.adding(days: 1).startInUTC)
      for device in fleet.devices { count(device, day, start, end) }
    }
  }

  private mutating func add(
    _ report: String, _ day: CivilDate, _ type: String, _ cohort: String?, _ path: String, _ count: Int = 1
  ) {
    items["\(report)|\(day)|\(type)|\(cohort ?? "")", default: [:]][path, default: 0] += count
  }

  private mutating func count(_ device: FleetDevice, _ day: CivilDate, _ start: Instant, _ end: Instant) {
    // The device as it was when the day ended.
    var status = "notDetermined"
    var app: String?
    var cohort = device.changes.isEmpty ? device.cohort : nil
    var isDegraded = false
    for change in device.changes where change.at < end {
      status = change.status
      app = change.appVersion
      if let (_, new) = change.members["device.cohort"] { cohort = new }
      if let word = change.fatigue { isDegraded = word == "degraded" }
    }
    // Nobody told: as it is now.
    if !device.changes.contains(where: { $0.members["device.cohort"] != nil }) { cohort = device.cohort }
    func isToday(_ at: Instant) -> Bool { at >= start && at < end }

    for delivery in device.deliveries where isToday(delivery.at) {
      add("delivery", day, delivery.type, cohort, "due")
      add("delivery", day, delivery.type, cohort, "outcomes.\(delivery.outcome)")
      if !delivery.unmet.isEmpty { add("delivery", day, delivery.type, cohort, "unmet") }
      for need in delivery.unmet { add("delivery", day, delivery.type, cohort, "unmetNeeds.\(need)") }
      if ["delivered", "inferredDelivered", "rescued"].contains(delivery.outcome) {
        add("engagement", day, delivery.type, cohort, "delivered")
      }
      if delivery.isTapped { add("engagement", day, delivery.type, cohort, "tapped") }
      if delivery.isDismissed { add("engagement", day, delivery.type, cohort, "dismissed") }
      if delivery.reason == "noSlot" { add("evictions", day, delivery.type, cohort, "lost") }
      if delivery.reason == "typeLimit" { add("evictions", day, delivery.type, cohort, "lostToLimit") }
    }
    for eviction in device.evictions where eviction.day == day {
      add("evictions", day, eviction.type, cohort, "evicted", eviction.count)
      add("evictions", day, eviction.type, cohort, "devices")
    }
    for step in device.steps where isToday(step.at) { add("priming", day, "", cohort, "steps.\(step.step)") }
    for event in device.events where isToday(event.at) {
      add("priming", day, "", cohort, "events.\(event.kind)")
    }

    let isThere = device.createdAt < end && device.supersededAt.map { $0 >= end } ?? true
    let isAllowed = ["authorized", "provisional", "ephemeral"].contains(status)
    let isKnown = isAllowed || status == "denied" || status == "notDetermined"
    if let (word, at) = device.answer, isToday(at) {
      add("priming", day, "", cohort, "answers.\(word)")
      let seconds = (at.milliseconds - device.createdAt.milliseconds) / 1000
      let bound = [60, 300, 3_600, 21_600, 86_400, 259_200, 604_800, 2_592_000].first { seconds < $0 }
      let wasUndecided = device.changes.contains {
        $0.at < at && ["notDetermined", "provisional"].contains($0.status)
      }
      if word == "granted", wasUndecided {
        add("priming", day, "", cohort, "secondsToGrant.\(bound ?? 0)")
      }
    }
    if isThere {
      add("authorization", day, "", cohort, "devices")
      add("authorization", day, "", cohort, "states.\(isKnown ? status : "unknown")")
      if let primed = device.firstPrimed, primed < end {
        add("authorization", day, "", cohort, "funnel.primed")
      }
      let asked = [device.dialogShown, device.answer?.at].compactMap(\.self).min()
      if let asked, asked < end { add("authorization", day, "", cohort, "funnel.asked") }
      if let (word, at) = device.answer, at < end, word == "granted" {
        add("authorization", day, "", cohort, "funnel.granted")
        if isAllowed { add("authorization", day, "", cohort, "funnel.kept") }
      }
    }

    let groups = [
      ("cohort", cohort), ("appVersion", app), ("installWeek", Self.week(device.createdAt.utcDay)),
    ]
    for (by, value) in groups {
      if isThere, isAllowed || status == "denied" {
        add("fatigue", day, by, value, "devices")
        if status == "denied" { add("fatigue", day, by, value, "denied") }
        if isDegraded, status != "denied" { add("fatigue", day, by, value, "degraded") }
      }
      var sign: Instant?
      for change in device.changes {
        if isToday(change.at), let (old, new) = change.members["authorizationStatus"], new == "denied",
          ["authorized", "provisional", "ephemeral"].contains(old)
        {
          add("fatigue", day, by, value, "left")
          if let sign {
            add("fatigue", day, by, value, "warned")
            let days = min(90, (change.at.milliseconds - sign.milliseconds) / 86_400_000)
            add("fatigue", day, by, value, "leadDays.\(days)")
          }
        }
        if let word = change.fatigue { sign = word == "degraded" ? change.at : nil }
      }
    }
  }

  private static func week(_ day: CivilDate) -> String {
    let week = day.weeks(firstWeekday: 2, minimumDaysInFirstWeek: 4)
    return "\(week.yearForWeekOfYear)-W\(week.weekOfYear < 10 ? "0" : "")\(week.weekOfYear)"
  }

  /// What a server answered, told in the same way.
  static func items(of answer: JSONValue) -> Items {
    var items: Items = [:]
    let report = answer["report"]?.string ?? ""
    for item in answer["items"]?.array ?? [] {
      let type = item["type"]?.string ?? item["by"]?.string ?? ""
      let cohort = item["cohort"]?.string ?? item["value"]?.string ?? ""
      var numbers: [String: Int] = [:]
      for member in item.object ?? [] {
        switch member.value {
        case .number: if let count = member.value.int { numbers[member.name] = count }
        case .object(let members):
          for inner in members { numbers["\(member.name).\(inner.name)"] = inner.value.int }
        case .array(let entries):
          for entry in entries {
            let bound = entry["below"]?.int ?? entry["days"]?.int ?? 0
            numbers["\(member.name).\(bound)"] = entry["devices"]?.int ?? entry["left"]?.int
          }
        default: break
        }
      }
      // Shares follow from the others, and are looked at apart.
      for share in ["tapRate", "shareDegraded", "shareDenied", "medianLeadDays"] { numbers[share] = nil }
      let key = "\(report)|\(item["day"]?.string ?? "")|\(type)|\(cohort)"
      items[key] = numbers.filter { $0.value != 0 }
    }
    return items.filter { !$0.value.isEmpty }
  }
}
