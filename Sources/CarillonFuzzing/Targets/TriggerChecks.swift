import CarillonModel
import CarillonPlanner

/// What holds for every trigger that could be read.
enum TriggerChecks {
  /// The afternoon before Europe's clocks go forward.
  static let now = Instant(seconds: 1_774_706_400)
  private static let chained = 12

  static func fires(of head: NotificationHead) throws(Finding) {
    for zone in ["UTC", "Europe/Madrid", "Australia/Lord_Howe"] {
      let device = PlanningDevice(
        authorizationStatus: .authorized, settings: NotificationSettings(), zone: WorldZones.zone(zone))
      try fires(of: head, on: device)
    }
  }

  private static func fires(of head: NotificationHead, on device: PlanningDevice) throws(Finding) {
    let zones = WorldZones.folder
    let trigger = head.trigger
    let isValid = (try? Planner.validate(trigger, device: device, now: now, zones: zones)) != nil
    guard
      let compiled = try? CompiledTrigger(trigger, device: device, acceptedAt: now, zones: zones)
    else { return try expect(!isValid, "a valid trigger cannot be compiled") }
    let first = Planner.firstFire(
      of: head, acceptedAt: now, now: now, device: device, zones: zones)
    let next = compiled.next(after: now)
    try expect(
      first == next || first.map { $0 <= now } ?? false,
      "first fire \(String(describing: first)), next \(String(describing: next))")
    if isValid, repeats(trigger) { try expect(next != nil, "a valid repeating trigger never fires") }
    var last = now
    for _ in 0..<chained {
      guard let fire = compiled.next(after: last) else { break }
      try expect(fire > last, "\(fire) does not come after \(last)")
      last = fire
    }
    // Seen from a moment before, it is still the next, unless another comes even earlier.
    if last > now, let seen = compiled.next(after: last.adding(seconds: -1)) {
      try expect(seen <= last, "\(last) is overlooked a second before")
    }
  }

  private static func repeats(_ trigger: Trigger) -> Bool {
    switch trigger {
    case .calendar(let calendar): calendar.repeats
    case .interval(let interval): interval.repeats
    case .recurrence: true
    case .instant, .local, .location: false
    }
  }
}
