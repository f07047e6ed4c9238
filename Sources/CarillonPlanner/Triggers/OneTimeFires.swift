import CarillonModel

extension BoundedCalendar {
  /// The fire of a trigger that does not repeat: the first after it was accepted, or where only earlier ones
  /// exist, the last of them that can be named. Nil when it never matches.
  func onlyFire(acceptedAt: Int) -> Fire? {
    next(after: acceptedAt) ?? next(after: Int(Civil.days(1999, 12, 1)) * Civil.secondsPerDay)
  }
}

extension CalendarTrigger {
  /// The wall time of a set that names one date and nothing of its week, in seconds; nil for any other.
  var onlyWallTime: Int? {
    guard let year = components.year, let month = components.month, let day = components.day,
      components.weekday == nil, !components.hasWeekUnit, startsAt == nil, endsAt == nil,
      components.isInRange, day <= Civil.length(ofMonth: month, year)
    else { return nil }
    let time = (components.hour ?? 0) * 3600 + (components.minute ?? 0) * 60 + (components.second ?? 0)
    return Civil.days(year, month, day) * Civil.secondsPerDay + time
  }
}

extension IntervalTrigger {
  /// Milliseconds, far beyond any date that can be written at most, and far from overflow.
  var period: Int64 { max(1, Int64((min(seconds, 1e12) * 1000).rounded())) }

  /// The first point strictly after `now` of the grid anchor + k × seconds, k from 1.
  func fire(after now: Instant, anchor: Instant) -> Instant {
    let period = period
    let elapsed = now.milliseconds - anchor.milliseconds
    let steps = elapsed < 0 ? 1 : elapsed / period + 1
    return Instant(milliseconds: anchor.milliseconds + steps * period)
  }
}
