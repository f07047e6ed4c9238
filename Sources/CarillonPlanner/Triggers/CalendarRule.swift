import CarillonModel

/// When on its days a calendar trigger fires.
enum ClockRule: Hashable, Sendable {
  /// Seconds after local midnight.
  case daily(Int)
  /// Seconds after each hour.
  case hourly(Int)
  /// Seconds after each minute.
  case minutely(Int)

  /// Seconds between two wall times.
  var period: Int {
    switch self {
    case .daily: Civil.secondsPerDay
    case .hourly: 3600
    case .minutely: 60
    }
  }

  var phase: Int {
    switch self {
    case .daily(let phase), .hourly(let phase), .minutely(let phase): phase
    }
  }
}

/// One fire of a trigger.
struct Fire: Hashable, Sendable {
  /// Seconds since 1970.
  var at: Int
  /// The wall time that was meant, in the trigger's zone; in a gap it is not the one the clock shows.
  var wall: Int
  /// Whether that wall time exists once on that day.
  var isUnique: Bool
}

/// A calendar trigger made ready: which days, and when on them.
struct CalendarRule: Hashable, Sendable {
  var days: DayRule
  var clock: ClockRule

  /// The first fire strictly after an instant in seconds since 1970.
  ///
  /// A wall time in a gap rings with the offset from before it, one in an overlap the first time; several wall
  /// times can so fall on one instant, which is one fire.
  @inline(__always)
  func next(after now: Int, in zone: ZoneTable) -> Fire? {
    let storage = zone.storage
    let folded = now &+ zone.fold(now)
    let segment = storage.segment(at: folded)
    let offset = storage.offsets[segment]
    // Shortly after a jump forward, a wall time it swallowed may still be to come.
    var slack = 0
    if segment > 0 {
      let jump = offset &- storage.offsets[segment - 1]
      if jump > 0, folded &- storage.starts[segment] < jump { slack = jump }
    }
    let wall = now &+ offset
    switch clock {
    case .daily(let time):
      var day = Civil.floorDivide(wall &- slack, Civil.secondsPerDay)
      while let found = days.first(onOrAfter: day) {
        let wanted = found &* Civil.secondsPerDay &+ time
        let reading = zone.rawReading(wanted)
        if reading.fire > now {
          return Fire(at: reading.fire, wall: wanted, isUnique: reading.kind == .unique)
        }
        day = found &+ 1
      }
      return nil
    case .hourly(let phase): return nextOfGrid(3600, phase, now, wall, slack, zone)
    case .minutely(let phase): return nextOfGrid(60, phase, now, wall, slack, zone)
    }
  }

  @inline(__always)
  private func nextOfGrid(
    _ period: Int, _ phase: Int, _ now: Int, _ wall: Int, _ slack: Int, _ zone: ZoneTable
  ) -> Fire? {
    var wanted = Civil.floorDivide(wall &- slack &- phase, period) &* period &+ phase
    // At most the steps of a jump back, and of one forward; no clock ever moved by more than a day.
    for _ in 0...(2 * Civil.secondsPerDay / period + 1) {
      let reading = zone.rawReading(wanted)
      if reading.fire > now {
        var fire = Fire(at: reading.fire, wall: wanted, isUnique: reading.kind == .unique)
        // Beyond the gap the grid goes on, perhaps with an earlier instant than the swallowed time's.
        if reading.kind == .skipped {
          let after = reading.other &+ zone.offset(at: reading.other)
          let regular = Civil.floorDivide(after &- phase &+ period &- 1, period) &* period &+ phase
          var candidate = regular
          while case let other = zone.rawReading(candidate), other.fire < fire.at {
            if other.fire > now {
              fire = Fire(at: other.fire, wall: candidate, isUnique: other.kind == .unique)
              break
            }
            candidate &+= period
          }
        }
        return fire
      }
      wanted &+= period
    }
    return nil
  }
}
