import CarillonModel
import CarillonPlanner
import Synchronization

/// A zone's wall clock, found out by asking for its offset every quarter of an hour for four years: nothing of the
/// planner's own reading of wall times is used. Seconds throughout.
struct NaiveClock: Sendable {
  /// From one change of the offset to the next.
  struct Stretch {
    var start: Int64
    var end: Int64
    var offset: Int64
  }

  let stretches: [Stretch]

  private static let known = Mutex<[String: NaiveClock]>([:])

  /// - Parameter zone: read once per name.
  static func of(_ zone: ZoneTable) -> NaiveClock {
    if let clock = known.withLock({ $0[zone.name] }) { return clock }
    let clock = NaiveClock(zone, from: instant("2025-06-01Z").seconds, to: instant("2029-06-01Z").seconds)
    known.withLock { $0[zone.name] = clock }
    return clock
  }

  init(_ zone: ZoneTable, from: Int64, to: Int64) {
    func offset(_ at: Int64) -> Int64 { Int64(zone.offset(at: Instant(seconds: at))) }
    var found: [Stretch] = []
    var start = from
    for step in stride(from: from, to: to, by: 900) where offset(step + 900) != offset(step) {
      let change = (step...(step + 900)).first { offset($0) != offset(step) }!
      found.append(Stretch(start: start, end: change, offset: offset(step)))
      start = change
    }
    found.append(Stretch(start: start, end: .max, offset: offset(start)))
    found[0].start = .min
    stretches = found
  }

  func wall(at time: Int64) -> Int64 {
    for stretch in stretches where time < stretch.end { return time + stretch.offset }
    preconditionFailure("the last stretch has no end")
  }

  /// The number of the local day, and of the day a wall time is in.
  func day(at time: Int64) -> Int { Self.day(ofWall: wall(at: time)) }
  static func day(ofWall wall: Int64) -> Int { Int((wall + 1_000_000 * 86_400) / 86_400) - 1_000_000 }

  /// All instants at which the clock shows a wall time: none in a gap, two in an overlap.
  func instants(of wall: Int64) -> [Int64] {
    var found: [Int64] = []
    for stretch in stretches {
      let at = wall - stretch.offset
      if stretch.start <= at, at < stretch.end { found.append(at) }
    }
    return found
  }

  func isUnique(_ wall: Int64) -> Bool { instants(of: wall).count == 1 }

  /// The change of the clock that jumps over a wall time, and the offset before it.
  private func jump(over wall: Int64) -> (at: Int64, before: Int64) {
    for (before, after) in zip(stretches, stretches.dropFirst())
    where wall >= before.end + before.offset && wall < after.start + after.offset {
      return (after.start, before.offset)
    }
    preconditionFailure("the clock does show \(wall)")
  }

  /// When a reminder for it rings: in a gap with the offset from before it, in an overlap the first time.
  func fire(of wall: Int64) -> Int64 { instants(of: wall).first ?? wall - jump(over: wall).before }

  /// As the start of a quiet window, and as its end.
  func earliest(of wall: Int64) -> Int64 { instants(of: wall).first ?? jump(over: wall).at }
  func latest(of wall: Int64) -> Int64 { instants(of: wall).last ?? jump(over: wall).at }

  func firstInstant(ofDay day: Int) -> Int64 { earliest(of: Int64(day) * 86_400) }
}
