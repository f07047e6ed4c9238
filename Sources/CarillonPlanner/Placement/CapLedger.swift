import CarillonModel

/// One frequency cap and what counts against it: deliveries made, fires of what repeats, and what was placed so far.
struct CapLedger: ~Copyable {
  let limit: Int
  /// How far after an instant what counts can still matter to it, in milliseconds.
  let reach: Int64
  private let window: FrequencyCap.Window
  private let countsAll: Bool
  /// By type index; empty when all count.
  private let counts: [Bool]
  /// Deliveries made and fires of what repeats.
  private var fixed: SortedTimes
  private var placed: SortedTimes
  private var repeaters: RepeaterStream
  /// Spans known to have no room, under the cap's own limit and under that of a tired device. What counts only grows,
  /// so they stay.
  private var full = FullSpans()
  private var tiredFull = FullSpans()
  /// The last instants of a walk, as many as the limit.
  private let run: UnsafeMutablePointer<Int64>

  /// - Parameters:
  ///   - counts: by type index; empty when all count.
  ///   - repeaters: gives what repeats.
  ///   - expected: about how many will be placed.
  init(_ cap: FrequencyCap, counts: [Bool], _ repeaters: RepeaterStream, expected: Int) {
    limit = cap.limit
    window = cap.per
    reach =
      switch cap.per {
      case .rolling(let seconds): Int64(seconds) * 1000
      case .calendarDay: 2 * 86_400_000
      }
    countsAll = counts.isEmpty
    self.counts = counts
    self.repeaters = repeaters
    fixed = SortedTimes(capacity: 512)
    placed = SortedTimes(capacity: expected)
    run = .allocate(capacity: max(1, cap.limit))
  }

  deinit { run.deallocate() }

  @inline(__always)
  func concerns(type: Int32) -> Bool { countsAll || counts[Int(type)] }

  /// Lets a placed request count.
  @inline(__always)
  mutating func add(_ time: Int64) { placed.insert(time) }

  /// Lets count what repeats, as far as it is known.
  ///
  /// - Parameters: milliseconds since 1970.
  mutating func addFixed(_ times: [Int64], after now: Int64) {
    times.withUnsafeBufferPointer { times in
      var first = 0
      while first < times.count, times[first] <= now { first &+= 1 }
      fixed.insert(times[first...])
    }
  }

  /// Lets count what nobody placed, in milliseconds since 1970.
  mutating func addFixed(_ time: Int64) { fixed.insert(time) }

  /// The first instant at or after `time` at which one more may ring; one beyond `last` when none up to there may, and
  /// nil when none ever may, as far as fires are counted.
  ///
  /// - Parameters:
  ///   - last: looks no further.
  ///   - limit: how many may, possibly fewer than the cap's own limit.
  ///   - now: milliseconds since 1970.
  @inline(__always)
  mutating func earliest(
    _ time: Int64, through last: Int64, limit: Int, after now: Int64, zone: ZoneTable
  ) -> Int64? {
    guard limit > 0 else { return nil }
    let start = limit == self.limit ? full.end(of: time) : tiredFull.end(of: time)
    if start &+ reach > repeaters.given { give(upTo: start, after: now, zone) }
    let free =
      switch window {
      case .rolling: walk(from: start, through: last, limit, after: now, zone)
      case .calendarDay: walkDays(from: start, through: last, limit, after: now, zone)
      }
    return free > time && isBeyondFires(time, free) ? nil : free
  }

  /// Whether a search went through all fires that are counted: what it found behind them is no room.
  @inline(__always)
  private func isBeyondFires(_ time: Int64, _ free: Int64) -> Bool {
    guard repeaters.end < .max else { return false }
    let end = repeaters.end &- reach
    return time < end && free >= end
  }

  /// Remembers a span that has no room.
  private mutating func note(full span: Range<Int64>, _ limit: Int) {
    if limit == self.limit { full.add(span) } else { tiredFull.add(span) }
  }

  /// Lets count what repeats as far as it can matter to a time.
  @inline(never)
  private mutating func give(upTo time: Int64, after now: Int64, _ zone: ZoneTable) {
    repeaters.give(upTo: time &+ reach, after: now, zone: zone, to: &fixed)
  }

  /// Each run of `limit` instants less than the cap's length apart forbids the open interval from its last − length
  /// to its first + length: any instant there would share a window with all of them.
  private mutating func walk(
    from start: Int64, through last: Int64, _ limit: Int, after now: Int64, _ zone: ZoneTable
  ) -> Int64 {
    var time = start
    var nextFixed = fixed.firstIndex(after: time &- reach)
    var nextPlaced = placed.firstIndex(after: time &- reach)
    var seen = 0
    // Where in the run the oldest stands, once it is full.
    var oldest = 0
    while true {
      let fixedTime = fixed[nextFixed]
      let placedTime = placed[nextPlaced]
      let next = min(fixedTime, placedTime)
      if next >= time &+ reach { break }
      if fixedTime <= placedTime { nextFixed &+= 1 } else { nextPlaced &+= 1 }
      run[oldest] = next
      oldest = oldest &+ 1 == limit ? 0 : oldest &+ 1
      seen &+= 1
      if seen < limit { continue }
      let first = run[oldest]
      if next &- first < reach, first &+ reach > time {
        time = first &+ reach
        if time > last { break }
        if time &+ reach > repeaters.given { give(upTo: time, after: now, zone) }
      }
    }
    if seen > Self.longWalk, time > start { note(full: start..<time, limit) }
    return time
  }

  /// From this many instants on the span that a walk found full is remembered.
  private static let longWalk = 64

  private mutating func walkDays(
    from start: Int64, through last: Int64, _ limit: Int, after now: Int64, _ zone: ZoneTable
  ) -> Int64 {
    var time = start
    while time <= last {
      if time &+ reach > repeaters.given { give(upTo: time, after: now, zone) }
      let day = zone.day(at: time)
      let start = Int64(zone.firstInstant(ofDay: day)) * 1000 - 1
      let end = Int64(zone.firstInstant(ofDay: day + 1)) * 1000 - 1
      let used =
        fixed.firstIndex(after: end) - fixed.firstIndex(after: start)
        + placed.firstIndex(after: end) - placed.firstIndex(after: start)
      if used < limit { break }
      time = end + 1
    }
    if time > start { note(full: start..<time, limit) }
    return time
  }
}

/// Spans of time, ascending and apart.
private struct FullSpans {
  private var spans: [Range<Int64>] = []

  /// Where the span that holds an instant ends; the instant itself when none does.
  @inline(__always)
  func end(of time: Int64) -> Int64 { spans.isEmpty ? time : search(time) }

  private func search(_ time: Int64) -> Int64 {
    var low = 0
    var high = spans.count
    while low < high {
      let middle = (low + high) / 2
      if spans[middle].lowerBound > time { high = middle } else { low = middle + 1 }
    }
    return low == 0 ? time : max(time, spans[low - 1].upperBound)
  }

  mutating func add(_ span: Range<Int64>) {
    if let last = spans.last, last.upperBound < span.lowerBound { return spans.append(span) }
    let first = spans.firstIndex { $0.upperBound >= span.lowerBound } ?? spans.count
    let end = spans[first...].firstIndex { $0.lowerBound > span.upperBound } ?? spans.count
    var merged = span
    for other in spans[first..<end] {
      merged = min(merged.lowerBound, other.lowerBound)..<max(merged.upperBound, other.upperBound)
    }
    spans.replaceSubrange(first..<end, with: CollectionOfOne(merged))
  }
}
