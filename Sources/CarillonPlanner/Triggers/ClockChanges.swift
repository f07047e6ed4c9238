import CarillonModel

extension BoundedCalendar {
  /// Whether a fire after `now` and not beyond `limit` falls on a wall time that a change of the clock skips or
  /// shows twice: there iOS rings at another minute, or twice.
  ///
  /// A rule for each hour or each minute goes on by the clock as iOS does, so it never meets one.
  ///
  /// - Parameters: seconds since 1970.
  func meetsClockChange(after now: Int, through limit: Int) -> Bool {
    guard case .daily(let time) = rule.clock else { return false }
    let storage = zone.storage
    let shift = zone.fold(now)
    var segment = storage.segment(at: now + shift - Civil.secondsPerDay)
    while segment + 1 < storage.offsets.count,
      storage.starts[segment + 1] <= limit + shift + Civil.secondsPerDay
    {
      let change = storage.starts[segment + 1] - shift
      let (before, after) = (storage.offsets[segment], storage.offsets[segment + 1])
      // The wall times between the two readings of the change itself are skipped, or shown twice.
      let walls = (change + min(before, after))..<(change + max(before, after))
      if fires(on: walls, at: time, after: now, through: limit) { return true }
      segment += 1
    }
    return false
  }

  private func fires(on walls: Range<Int>, at time: Int, after now: Int, through limit: Int) -> Bool {
    var day = Civil.floorDivide(walls.lowerBound - time + Civil.secondsPerDay - 1, Civil.secondsPerDay)
    while walls.contains(day * Civil.secondsPerDay + time) {
      if rule.days.first(onOrAfter: day) == day {
        let reading = zone.rawReading(day * Civil.secondsPerDay + time)
        let isInBounds = reading.fire >= start && reading.fire < end
        if isInBounds, reading.fire <= limit, max(reading.fire, reading.other) > now { return true }
      }
      day += 1
    }
    return false
  }
}

extension ZoneTable {
  func isSame(as other: ZoneTable) -> Bool { storage === other.storage }

  /// Whether the clock keeps its offset throughout, and for a day before and after.
  ///
  /// - Parameters: seconds since 1970.
  func isSteady(from start: Int, to end: Int) -> Bool {
    let (first, last) = (start - Civil.secondsPerDay, end + Civil.secondsPerDay)
    let (firstShift, lastShift) = (fold(first), fold(last))
    return firstShift == lastShift
      && storage.segment(at: first + firstShift) == storage.segment(at: last + lastShift)
  }
}
