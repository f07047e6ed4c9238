import CarillonModel

extension BoundedCalendar {
  /// The fire of a trigger that does not repeat: the first after it was accepted, or where only earlier ones
  /// exist, the last of them that can be named. Nil when it never matches.
  func onlyFire(acceptedAt: Int) -> Fire? {
    next(after: acceptedAt) ?? next(after: Int(Civil.days(1999, 12, 1)) * Civil.secondsPerDay)
  }
}

extension CalendarRule {
  /// Its components name one date.
  var firesOnce: Bool {
    if case .once = days, case .daily = clock { true } else { false }
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
