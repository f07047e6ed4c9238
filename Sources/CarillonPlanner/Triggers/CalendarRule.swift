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
    var steps = 0
    return next(after: now, in: zone, steps: &steps)
  }

  /// - Parameter steps: grows by the days, months and years looked at.
  @inline(__always)
  func next(after now: Int, in zone: ZoneTable, steps: inout Int) -> Fire? {
    let open = zone.firstOpenWall(after: now)
    switch clock {
    case .daily(let time):
      // Its time of day may have passed; after a jump forward that of the day before may be to come.
      var day = Civil.floorDivide(open, Civil.secondsPerDay)
      while let found = days.first(onOrAfter: day, steps: &steps) {
        let fire = Fire(wall: found &* Civil.secondsPerDay &+ time, in: zone)
        if fire.at > now { return fire }
        steps &+= 1
        day = found &+ 1
      }
      return nil
    case .hourly(let phase): return Self.nextOfGrid(3600, phase, now, open, zone)
    case .minutely(let phase): return Self.nextOfGrid(60, phase, now, open, zone)
    }
  }

  @inline(__always)
  private static func nextOfGrid(
    _ period: Int, _ phase: Int, _ now: Int, _ open: Int, _ zone: ZoneTable
  ) -> Fire {
    func first(from wall: Int) -> Fire {
      let wanted = Civil.floorDivide(wall &- phase &+ period &- 1, period) &* period &+ phase
      return Fire(wall: wanted, in: zone)
    }
    let fire = first(from: open)
    if fire.isUnique, fire.at > now { return fire }
    // What a jump swallowed rings among what the clock shows after it, which may come first.
    let shown = now &+ zone.offset(at: now) &+ 1
    let beyond = open < shown ? shown : zone.endOfGap(at: fire.wall)
    guard let beyond else { return fire }
    let other = first(from: beyond)
    return fire.at <= now || other.at < fire.at ? other : fire
  }
}

extension Fire {
  @inline(__always)
  init(wall: Int, in zone: ZoneTable) {
    let reading = zone.rawReading(wall)
    self.init(at: reading.fire, wall: wall, isUnique: reading.kind == .unique)
  }
}
