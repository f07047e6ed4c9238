import CarillonModel

/// One frequency cap and what counts against it: deliveries made, fires of what repeats, and what was placed so far.
struct CapLedger {
  let limit: Int
  private let window: FrequencyCap.Window
  /// By type index.
  private let counts: [Bool]
  /// Deliveries made and fires of what repeats.
  private var fixed = SortedTimes()
  private var placed = SortedTimes()
  /// Spans known to have no room, ascending and apart. What counts only grows, so they stay.
  private var full: [Range<Int64>] = []
  /// The last `limit` instants of a walk, for ``earliest(_:_:rolling:)``.
  private var run: [Int64] = []

  init(_ cap: FrequencyCap, names: [String]) {
    limit = cap.limit
    window = cap.per
    counts = names.map { cap.types?.contains($0) ?? true }
  }

  func concerns(type: Int) -> Bool { counts[type] }

  /// How far after an instant what counts can still matter to it, in milliseconds.
  var reach: Int64 {
    switch window {
    case .rolling(let seconds): Int64(seconds) * 1000
    case .calendarDay: 2 * 86_400_000
    }
  }

  /// Lets a placed request count.
  mutating func add(_ time: Int64) { placed.insert(time) }

  var fixedCount: Int { fixed.count }

  /// Lets count what nobody placed; to be followed by ``settle(from:)``.
  mutating func addFixed(_ time: Int64) { fixed.append(time) }
  mutating func settle(from start: Int) { fixed.settle(from: start) }

  /// The first instant at or after `time` at which one more may ring; nil when none ever may.
  ///
  /// - Parameter limit: how many may, possibly fewer than the cap's own limit.
  mutating func earliest(_ time: Int64, limit: Int, zone: ZoneTable) -> Int64? {
    guard limit > 0 else { return nil }
    let start = full.isEmpty ? time : afterFull(time)
    let found =
      switch window {
      case .rolling(let seconds): earliest(start, limit, rolling: Int64(seconds) * 1000)
      case .calendarDay: earliestDay(start, limit, zone)
      }
    // With fewer allowed than the cap says, a span is full for some only.
    if limit == self.limit, found > time { markFull(time..<found) }
    return found
  }

  // MARK: Spans without room

  private func afterFull(_ time: Int64) -> Int64 {
    var low = 0
    var high = full.count
    while low < high {
      let middle = (low + high) / 2
      if full[middle].lowerBound > time { high = middle } else { low = middle + 1 }
    }
    return low == 0 ? time : max(time, full[low - 1].upperBound)
  }

  private mutating func markFull(_ span: Range<Int64>) {
    let first = full.firstIndex { $0.upperBound >= span.lowerBound } ?? full.count
    let end = full[first...].firstIndex { $0.lowerBound > span.upperBound } ?? full.count
    var merged = span
    for other in full[first..<end] {
      merged = min(merged.lowerBound, other.lowerBound)..<max(merged.upperBound, other.upperBound)
    }
    full.replaceSubrange(first..<end, with: CollectionOfOne(merged))
  }

  // MARK: Search

  /// Each run of `limit` instants less than `length` apart forbids the open interval from its last − `length` to
  /// its first + `length`: any instant there would share a window with all of them.
  private mutating func earliest(_ time: Int64, _ limit: Int, rolling length: Int64) -> Int64 {
    var time = time
    var nextFixed = fixed.firstIndex(after: time - length)
    var nextPlaced = placed.firstIndex(after: time - length)
    // Nearly always there are too few around to forbid anything.
    let near =
      fixed.countUp(from: nextFixed, before: time + length, atMost: limit)
      + placed.countUp(from: nextPlaced, before: time + length, atMost: limit)
    if near < limit { return time }
    if run.count < limit { run = [Int64](repeating: 0, count: limit) }
    var seen = 0
    while true {
      let fixedTime = nextFixed < fixed.count ? fixed[nextFixed] : Int64.max
      let placedTime = nextPlaced < placed.count ? placed[nextPlaced] : Int64.max
      let next = min(fixedTime, placedTime)
      guard next < time + length else { return time }
      if fixedTime <= placedTime { nextFixed += 1 } else { nextPlaced += 1 }
      run[seen % limit] = next
      seen += 1
      guard seen >= limit else { continue }
      let first = run[seen % limit]
      if next - first < length, first + length > time { time = first + length }
    }
  }

  private mutating func earliestDay(_ time: Int64, _ limit: Int, _ zone: ZoneTable) -> Int64 {
    var time = time
    while true {
      let day = zone.day(at: time)
      let start = Int64(zone.firstInstant(ofDay: day)) * 1000
      let end = Int64(zone.firstInstant(ofDay: day + 1)) * 1000
      // `placed` and `fixed` hold no fractions that lie between `start - 1` and `start`.
      let used =
        fixed.firstIndex(after: end - 1) - fixed.firstIndex(after: start - 1)
        + placed.firstIndex(after: end - 1) - placed.firstIndex(after: start - 1)
      if used < limit { return time }
      time = end
    }
  }
}

extension SortedTimes {
  /// How many instants from an index on lie before `end`, counted no further than `most`.
  fileprivate func countUp(from index: Int, before end: Int64, atMost most: Int) -> Int {
    var count = 0
    while count < most, index + count < self.count, self[index + count] < end { count += 1 }
    return count
  }
}
