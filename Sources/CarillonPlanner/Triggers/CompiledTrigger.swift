import CarillonModel

/// A trigger made ready to be asked for its fires: its shape is chosen once, its zone is looked up once.
///
/// Every fire costs a bounded number of steps.
public struct CompiledTrigger: Sendable {
  private let search: any FireSearch

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
    case .instant(let at): search = OneTime(at)
    case .local(let local): search = OneTime(device.zone.fire(of: local))
    case .location: search = OneTime(nil)
    case .interval(let interval):
      let anchor = interval.anchor ?? acceptedAt
      search =
        interval.repeats
        ? IntervalSearch(interval, anchor: anchor) : OneTime(interval.fire(after: anchor, anchor: anchor))
    case .recurrence(let recurrence):
      let zone = try Self.zone(named: recurrence.timeZone, device: device, zones: zones)
      search = RecurrenceSearch(try CompiledRecurrence(recurrence, zone: zone))
    case .calendar(let calendar):
      let zone = try Self.zone(named: calendar.timeZone, device: device, zones: zones)
      let bounded = BoundedCalendar(calendar, zone: zone, week: device.week)
      guard !calendar.repeats else {
        search = CalendarSearch(bounded)
        return
      }
      let fire = bounded.onlyFire(acceptedAt: Int(acceptedAt.seconds))
      search = OneTime(fire.map { Instant(seconds: Int64($0.at)) })
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
  package func next(after now: Instant, steps: inout Int) -> Instant? {
    search.next(after: now, steps: &steps)
  }

  /// The time of a trigger that fires once, also when it has passed; nil for what repeats, and for what never fires.
  public var onlyTime: Instant? { search.onlyTime }

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

/// Looks for fires. A class for each shape, so that asking copies nothing: the search itself takes less time than a copy
/// of a zone's table would.
private protocol FireSearch: AnyObject, Sendable {
  /// The time of what fires once.
  var onlyTime: Instant? { get }
  func next(after now: Instant, steps: inout Int) -> Instant?
}

extension FireSearch {
  var onlyTime: Instant? { nil }
}

private final class OneTime: FireSearch {
  /// Nil for no time ever: a location, or a one-time trigger that no date matches.
  let onlyTime: Instant?

  init(_ time: Instant?) { onlyTime = time }

  func next(after now: Instant, steps: inout Int) -> Instant? {
    onlyTime.flatMap { $0 > now ? $0 : nil }
  }
}

private final class CalendarSearch: FireSearch {
  private let calendar: BoundedCalendar

  init(_ calendar: BoundedCalendar) { self.calendar = calendar }

  func next(after now: Instant, steps: inout Int) -> Instant? {
    calendar.next(after: Int(now.seconds), steps: &steps).map { Instant(seconds: Int64($0.at)) }
  }
}

private final class IntervalSearch: FireSearch {
  private let interval: IntervalTrigger
  private let anchor: Instant

  init(_ interval: IntervalTrigger, anchor: Instant) {
    self.interval = interval
    self.anchor = anchor
  }

  func next(after now: Instant, steps: inout Int) -> Instant? {
    interval.fire(after: now, anchor: anchor)
  }
}

private final class RecurrenceSearch: FireSearch {
  private let recurrence: CompiledRecurrence

  init(_ recurrence: CompiledRecurrence) { self.recurrence = recurrence }

  func next(after now: Instant, steps: inout Int) -> Instant? {
    recurrence.next(after: Int(now.seconds), steps: &steps).map { Instant(seconds: Int64($0.at)) }
  }
}
