import CarillonModel

/// Why a trigger can never do what it asks.
public struct TriggerRefusal: Error, Hashable, Sendable {
  /// By the names of ``ModelError``.
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
    case .calendar(let calendar):
      let compiled = try CompiledTrigger(trigger, device: device, acceptedAt: now, zones: zones)
      if calendar.repeats ? compiled.next(after: now) == nil : compiled.onlyTime == nil {
        throw TriggerRefusal(
          .canNeverFire, "/trigger/components",
          calendar.repeats
            ? "No time after now matches these components; leave out the year, or the end."
            : "No date matches these components.")
      }
    case .recurrence:
      let compiled = try CompiledTrigger(trigger, device: device, acceptedAt: now, zones: zones)
      if compiled.next(after: now) == nil {
        throw TriggerRefusal(.canNeverFire, "/trigger/rule", "No time after now matches this rule.")
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
    let compiled = try? CompiledTrigger(
      head.trigger, device: device, acceptedAt: acceptedAt, zones: zones)
    return compiled.flatMap { $0.onlyTime ?? $0.next(after: now) }
  }
}
