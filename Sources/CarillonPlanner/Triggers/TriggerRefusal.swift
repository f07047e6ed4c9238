import CarillonModel

/// Why a trigger can never do what it asks.
public struct TriggerRefusal: Error, Hashable, Sendable {
  public enum Code: String, Hashable, Sendable {
    /// Its components match no time at all, or a repeating one only times that have passed.
    case canNeverFire
    case unknownTimeZone
    case invalidRule
    /// A part of RFC 5545 that is not planned here.
    case unsupportedRulePart
  }
  public var code: Code
  /// A JSON pointer into the notification.
  public var pointer: String
  public var detail: String

  public init(_ code: Code, _ pointer: String, _ detail: String) {
    self.code = code
    self.pointer = pointer
    self.detail = detail
  }
}

extension Planner {
  /// Refuses a trigger that no clock can ever satisfy. A one-time time that has passed is not refused: it is
  /// accepted and expires at once.
  ///
  /// - Parameters:
  ///   - device: its zone and week; its settings do not matter.
  ///   - zones: looks up the zone that the trigger names.
  public static func validate(
    _ trigger: Trigger, device: PlanningDevice, now: Instant, zones: some ZoneLookup
  ) throws(TriggerRefusal) {
    switch trigger {
    case .instant, .local, .interval, .location: return
    case .recurrence(let recurrence):
      let zone = try zone(named: recurrence.timeZone, device: device, zones: zones)
      var fires = try RecurrenceFires(recurrence, zone: zone, after: Int(now.seconds))
      if fires.next() == nil {
        throw TriggerRefusal(.canNeverFire, "/trigger/rule", "No time after now matches this rule.")
      }
    case .calendar(let calendar):
      let zone = try zone(named: calendar.timeZone, device: device, zones: zones)
      let bounded = BoundedCalendar(calendar, zone: zone, week: device.week)
      let seconds = Int(now.seconds)
      let fire = calendar.repeats ? bounded.next(after: seconds) : bounded.onlyFire(acceptedAt: seconds)
      if fire == nil {
        throw TriggerRefusal(
          .canNeverFire, "/trigger/components",
          calendar.repeats
            ? "No time after now matches these components; leave out the year, or the end."
            : "No date matches these components.")
      }
    }
  }

  /// The time a notification asks for, before quiet hours, caps and slots: what an app is told when it puts it.
  ///
  /// - Returns: nil for a location, and for what never fires again; a time that has passed stays as it is.
  public static func firstFire(
    of head: NotificationHead, acceptedAt: Instant, now: Instant, device: PlanningDevice,
    zones: some ZoneLookup
  ) -> Instant? {
    switch head.trigger {
    case .instant(let at): return at
    case .local(let local): return device.zone.fire(of: local)
    case .location: return nil
    case .recurrence(let recurrence):
      guard let zone = try? zone(named: recurrence.timeZone, device: device, zones: zones),
        var fires = try? RecurrenceFires(recurrence, zone: zone, after: Int(now.seconds))
      else { return nil }
      return fires.next().map { Instant(seconds: Int64($0.at)) }
    case .interval(let trigger):
      let anchor = trigger.anchor ?? acceptedAt
      return trigger.fire(after: trigger.repeats ? now : anchor, anchor: anchor)
    case .calendar(let trigger):
      guard let zone = try? zone(named: trigger.timeZone, device: device, zones: zones) else { return nil }
      let bounded = BoundedCalendar(trigger, zone: zone, week: device.week)
      let fire =
        trigger.repeats
        ? bounded.next(after: Int(now.seconds)) : bounded.onlyFire(acceptedAt: Int(acceptedAt.seconds))
      return fire.map { Instant(seconds: Int64($0.at)) }
    }
  }

  private static func zone(
    named name: String?, device: PlanningDevice, zones: some ZoneLookup
  ) throws(TriggerRefusal) -> ZoneTable {
    guard let name else { return device.zone }
    guard let zone = zones.zone(named: name) else {
      throw TriggerRefusal(
        .unknownTimeZone, "/trigger/timeZone",
        "There is no time zone \(name) in the zone data \(zones.version).")
    }
    return zone
  }
}
