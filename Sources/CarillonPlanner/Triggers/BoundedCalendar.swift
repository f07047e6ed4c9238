import CarillonModel

/// A calendar trigger with its zone and its bounds, ready to be asked for fires.
struct BoundedCalendar {
  var rule: CalendarRule
  var zone: ZoneTable
  /// The first instant that may fire, in seconds since 1970.
  var start: Int
  /// The first instant that may not.
  var end: Int

  static let always = (start: Int.min / 4, end: Int.max / 4)

  init(_ trigger: CalendarTrigger, zone: ZoneTable, week: WeekRule) {
    rule = CalendarRule(trigger.components, missing: trigger.onMissingDay, week: week)
    self.zone = zone
    start = trigger.startsAt.map { zone.instant(of: $0) } ?? Self.always.start
    end = trigger.endsAt.map { zone.instant(of: $0) } ?? Self.always.end
  }

  /// The first fire strictly after an instant, inside the bounds.
  @inline(__always)
  func next(after now: Int) -> Fire? {
    var steps = 0
    return next(after: now, steps: &steps)
  }

  @inline(__always)
  func next(after now: Int, steps: inout Int) -> Fire? {
    let fire = rule.next(after: max(now, start - 1), in: zone, steps: &steps)
    guard let fire, fire.at < end else { return nil }
    return fire
  }
}

extension ZoneTable {
  /// When a bound takes effect: a date at its first instant, a reading in a gap at the resolved time.
  func instant(of bound: LocalBound) -> Int {
    switch bound {
    case .date(let local):
      firstInstant(ofDay: Civil.floorDivide(Int(local.wallSeconds), Civil.secondsPerDay))
    case .dateTime(let local): rawReading(Int(local.wallSeconds)).fire
    }
  }
}
