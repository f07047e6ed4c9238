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

  /// No offset is further than this from Greenwich (26 hours, RFC 8536's bound rounded up).
  static let farthestOffset = 93_600

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
    let starts = storage.starts
    let offsets = storage.offsets
    var segment = storage.segment(at: wall - Self.farthestOffset)
    var first: Int?
    var last = 0
    var gap: (transition: Int, fire: Int)?
    while segment < offsets.count, starts[segment] <= wall + Self.farthestOffset {
      let instant = wall - offsets[segment]
      if starts[segment] <= instant, instant < starts[segment + 1] {
        if first == nil { first = instant }
        last = instant
      } else if instant >= starts[segment + 1], segment + 1 < offsets.count,
        wall - offsets[segment + 1] < starts[segment + 1], gap == nil
      {
        gap = (starts[segment + 1], instant)
      }
      segment += 1
    }
    if let first {
      return RawReading(
        kind: first == last ? .unique : .twice, fire: first - shift, other: last - shift)
    }
    // Every wall time lies in a segment or between two.
    let found = gap!
    return RawReading(kind: .skipped, fire: found.fire - shift, other: found.transition - shift)
  }
}
