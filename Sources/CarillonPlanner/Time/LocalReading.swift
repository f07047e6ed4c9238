import CarillonModel

/// What instants a wall clock's reading stands for.
public enum LocalReading: Hashable, Sendable {
  case unique(Instant)
  /// The clock jumps over it: `transition` is the jump, `resolved` the reading with the offset from before it.
  case skipped(transition: Instant, resolved: Instant)
  /// The clock shows it more than once.
  case twice(first: Instant, last: Instant)
}

extension ZoneTable {
  /// The instants of a wall time.
  public func reading(of local: LocalDateTime) -> LocalReading {
    func instant(_ seconds: Int) -> Instant { Instant(seconds: Int64(seconds)) }
    let reading = rawReading(Int(local.wallSeconds))
    return switch reading.kind {
    case .unique: .unique(instant(reading.fire))
    case .skipped: .skipped(transition: instant(reading.other), resolved: instant(reading.fire))
    case .twice: .twice(first: instant(reading.fire), last: instant(reading.other))
    }
  }

  /// When a reminder for that wall time rings: in a gap with the offset from before it, in an overlap the first
  /// time.
  public func fire(of local: LocalDateTime) -> Instant {
    Instant(seconds: Int64(rawReading(Int(local.wallSeconds)).fire))
  }

  /// The first instant of a local date, also where its midnight does not exist.
  func firstInstant(ofDay day: Int) -> Int {
    let reading = rawReading(day * Civil.secondsPerDay)
    return reading.kind == .skipped ? reading.other : reading.fire
  }

  struct RawReading {
    enum Kind { case unique, skipped, twice }
    var kind: Kind
    /// When it rings.
    var fire: Int
    /// Skipped: the transition. Twice: the last instant. Unique: the same as `fire`.
    var other: Int
  }

  @inline(__always)
  func rawReading(_ wall: Int) -> RawReading {
    let shift = fold(wall)
    let folded = wall + shift
    let storage = storage
    let segment = storage.segment(at: folded)
    // Nearly always no transition is near, and the offset is the only one that can be meant.
    if storage.starts[segment] + Self.farthestOffset <= folded,
      folded < storage.starts[segment + 1] - Self.farthestOffset
    {
      let fire = wall - storage.offsets[segment]
      return RawReading(kind: .unique, fire: fire, other: fire)
    }
    return slowReading(folded, shift)
  }

  @inline(never)
  private func slowReading(_ wall: Int, _ shift: Int) -> RawReading {
    // One transition at most can matter: no two are as close as two farthest offsets.
    let segment = storage.segment(at: wall - Self.farthestOffset)
    let before = wall - storage.offsets[segment]
    let transition = storage.starts[segment + 1]
    guard transition <= wall + Self.farthestOffset else {
      return RawReading(kind: .unique, fire: before - shift, other: before - shift)
    }
    let after = wall - storage.offsets[segment + 1]
    return switch (before < transition, after >= transition) {
    case (true, true): RawReading(kind: .twice, fire: before - shift, other: after - shift)
    case (true, false): RawReading(kind: .unique, fire: before - shift, other: before - shift)
    case (false, true): RawReading(kind: .unique, fire: after - shift, other: after - shift)
    case (false, false): RawReading(kind: .skipped, fire: before - shift, other: transition - shift)
    }
  }

  /// The wall time that follows the gap in which a wall time lies; nil when it lies in none.
  func endOfGap(at wall: Int) -> Int? {
    let reading = rawReading(wall)
    return reading.kind == .skipped ? reading.other + offset(at: reading.other) : nil
  }

  /// The first wall time that may ring after an instant: the next second on the clock; shortly after a jump forward the
  /// first of those it swallowed that is still to ring; after a jump back, what was not shown before it.
  @inline(__always)
  func firstOpenWall(after now: Int) -> Int {
    let storage = storage
    let folded = now &+ fold(now)
    let segment = storage.segment(at: folded)
    let offset = storage.offsets[segment]
    let wall = now &+ offset &+ 1
    guard segment > 0 else { return wall }
    let elapsed = folded &- storage.starts[segment]
    let jump = offset &- storage.offsets[segment - 1]
    if jump > 0 { return elapsed < jump ? wall &- jump : wall }
    return max(wall, wall &- 1 &- elapsed &- jump)
  }
}
