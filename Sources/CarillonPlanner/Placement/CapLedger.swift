import CarillonModel

/// One frequency cap and what counts against it: deliveries made, fires of repeating requests, and what was placed
/// so far.
struct CapLedger {
  let limit: Int
  private let window: FrequencyCap.Window
  /// By type index.
  private let counts: [Bool]
  /// Ascending, in milliseconds since 1970.
  private var points: [Int64] = []
  /// Spans known to have no room, ascending and apart. What counts only grows, so they stay.
  private var full: [Range<Int64>] = []

  init(_ cap: FrequencyCap, types: [NotificationType]) {
    limit = cap.limit
    window = cap.per
    counts = types.map { cap.types?.contains($0.name) ?? true }
  }

  func concerns(type: Int) -> Bool { counts[type] }

  /// How far after an instant what counts can still matter to it, in milliseconds.
  var reach: Int64 {
    switch window {
    case .rolling(let seconds): Int64(seconds) * 1000
    case .calendarDay: 2 * 86_400_000
    }
  }

  mutating func add(_ time: Int64) {
    points.insert(time, at: firstIndex { $0 > time })
  }

  mutating func add(_ times: [Int64]) {
    points += times
    points.sort()
  }

  /// The first instant at or after `time` at which one more may ring; nil when none ever may.
  ///
  /// - Parameter limit: how many may, possibly fewer than the cap's own limit.
  mutating func earliest(_ time: Int64, limit: Int, zone: ZoneTable) -> Int64? {
    guard limit > 0 else { return nil }
    let start = full.last { $0.lowerBound <= time }.map { max(time, $0.upperBound) } ?? time
    let found =
      switch window {
      case .rolling(let seconds): earliest(start, limit, rolling: Int64(seconds) * 1000)
      case .calendarDay: earliestDay(start, limit, zone)
      }
    // With fewer allowed than the cap says, a span is full for some only.
    if limit == self.limit, found > time { markFull(time..<found) }
    return found
  }

  private mutating func markFull(_ span: Range<Int64>) {
    let first = full.firstIndex { $0.upperBound >= span.lowerBound } ?? full.count
    let end = full[first...].firstIndex { $0.lowerBound > span.upperBound } ?? full.count
    let merged = full[first..<end].reduce(span) { merged, other in
      min(merged.lowerBound, other.lowerBound)..<max(merged.upperBound, other.upperBound)
    }
    full.replaceSubrange(first..<end, with: [merged])
  }

  /// Each run of `limit` points less than `length` apart forbids the open interval from its last − `length` to
  /// its first + `length`: any point there would share a window with all of them.
  private func earliest(_ time: Int64, _ limit: Int, rolling length: Int64) -> Int64 {
    var time = time
    var first = firstIndex { $0 > time - length }
    while first + limit <= points.count, points[first + limit - 1] < time + length {
      if points[first + limit - 1] - points[first] < length, points[first] + length > time {
        time = points[first] + length
      }
      first += 1
    }
    return time
  }

  private func earliestDay(_ time: Int64, _ limit: Int, _ zone: ZoneTable) -> Int64 {
    var time = time
    while true {
      let seconds = Int(Instant(milliseconds: time).seconds)
      let day = Civil.floorDivide(seconds + zone.offset(at: seconds), Civil.secondsPerDay)
      let start = Int64(zone.firstInstant(ofDay: day)) * 1000
      let end = Int64(zone.firstInstant(ofDay: day + 1)) * 1000
      let used = firstIndex { $0 >= end } - firstIndex { $0 >= start }
      if used < limit { return time }
      time = end
    }
  }

  private func firstIndex(where isBeyond: (Int64) -> Bool) -> Int {
    var low = 0
    var high = points.count
    while low < high {
      let middle = (low + high) / 2
      if isBeyond(points[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
