import CarillonModel

/// A trigger made ready to be asked for its fires: its shape is chosen once, its zone is looked up once.
///
/// Every fire costs a bounded number of steps.
public struct CompiledTrigger: Sendable {
  private enum Shape: Sendable {
    /// Fires once, at that time.
    case once(Instant)
    case calendar(BoundedCalendar)
    case interval(IntervalTrigger, anchor: Instant)
    case recurrence(CompiledRecurrence)
    /// No time ever: a location, or a one-time trigger that no date matches.
    case never
  }
  private let shape: Shape

  /// - Parameters:
  ///   - device: its zone and its week; its settings do not matter.
  ///   - acceptedAt: the default anchor of an interval, and where a calendar trigger that does not repeat starts to
  ///     look for its one time.
  ///   - zones: looks up the zone that the trigger names.
  /// - Throws: what no planner can plan: an unknown zone, a rule that is invalid or has an unsupported part. A trigger
  ///   that never fires is none of these; see ``Planner/validate(_:device:now:zones:)``.
  public init(
    _ trigger: Trigger, device: PlanningDevice, acceptedAt: Instant, zones: some ZoneLookup
  ) throws(TriggerRefusal) {
    switch trigger {
    case .instant(let at): shape = .once(at)
    case .local(let local): shape = .once(device.zone.fire(of: local))
    case .location: shape = .never
    case .interval(let interval):
      let anchor = interval.anchor ?? acceptedAt
      shape =
        interval.repeats
        ? .interval(interval, anchor: anchor) : .once(interval.fire(after: anchor, anchor: anchor))
    case .recurrence(let recurrence):
      let zone = try Self.zone(named: recurrence.timeZone, device: device, zones: zones)
      shape = .recurrence(try CompiledRecurrence(recurrence, zone: zone))
    case .calendar(let calendar):
      let zone = try Self.zone(named: calendar.timeZone, device: device, zones: zones)
      let bounded = BoundedCalendar(calendar, zone: zone, week: device.week)
      guard !calendar.repeats else {
        shape = .calendar(bounded)
        return
      }
      let fire = bounded.onlyFire(acceptedAt: Int(acceptedAt.seconds))
      shape = fire.map { .once(Instant(seconds: Int64($0.at))) } ?? .never
    }
  }

  /// The first fire strictly after an instant; nil when there is none any more.
  ///
  /// Asked from its own answers, it never gives an instant twice.
  public func next(after now: Instant) -> Instant? {
    var steps = 0
    return next(after: now, steps: &steps)
  }

  /// Most steps of some ten nanoseconds that the search for one fire takes, whatever the trigger, the zone and the
  /// time are: a fifth of a millisecond.
  package static let mostSteps = 20_000

  /// - Parameter steps: grows by what the search looks at; never by more than ``mostSteps``.
  @inline(__always)
  package func next(after now: Instant, steps: inout Int) -> Instant? {
    switch shape {
    case .once(let at): return at > now ? at : nil
    case .calendar(let calendar):
      return calendar.next(after: Int(now.seconds), steps: &steps).map { Instant(seconds: Int64($0.at)) }
    case .interval(let interval, let anchor): return interval.fire(after: now, anchor: anchor)
    case .recurrence(let recurrence):
      return recurrence.next(after: Int(now.seconds), steps: &steps).map { Instant(seconds: Int64($0.at)) }
    case .never: return nil
    }
  }

  /// The time of a trigger that fires once, also when it has passed; nil for what repeats, and for what never fires.
  public var onlyTime: Instant? {
    guard case .once(let at) = shape else { return nil }
    return at
  }

  private static func zone(
    named name: String?, device: PlanningDevice, zones: some ZoneLookup
  ) throws(TriggerRefusal) -> ZoneTable {
    guard let name, name != device.zone.name else { return device.zone }
    guard let zone = zones.zone(named: name) else {
      throw TriggerRefusal(
        .unknownTimeZone, "/trigger/timeZone",
        "There is no time zone \(name) in the zone data \(zones.version).")
    }
    return zone
  }
}
