import CarillonModel

/// The fires of all that repeats, in their order: what caps count without anybody placing it.
///
/// Most of what repeats rings at one time of day, each day or on some weekdays, on the device's own clock. Those
/// are written down once by their time of day, so that a month of them is a walk over days and no search.
struct Repeaters {
  /// More fires than this are not counted: any cap is long exhausted by then.
  static let mostFires = 50_000
  /// Days looked ahead of what was asked for, so that this is rarely needed.
  static let daysAhead = 7

  struct Fire {
    /// Milliseconds since 1970.
    var at: Int64
    var type: Int32
  }

  private struct Daily {
    /// Seconds after local midnight.
    var time: Int32
    /// Bit n is Apple's weekday n.
    var weekdays: UInt8
    var type: Int32
  }

  /// An interval's points.
  private struct Grid {
    /// Milliseconds since 1970.
    var next: Int64
    /// Milliseconds.
    var period: Int64
    /// The last instant that counts, in milliseconds.
    var expiry: Int64
    var type: Int32
  }

  private var daily: [Daily] = []
  private var grids: [Grid] = []
  private var others: [Repeater] = []
  /// The first local day that is not counted yet; nil before the first question.
  private var nextDay: Int?
  /// Up to when all have been given, in milliseconds since 1970.
  private var given = Int64.min
  private var count = 0
  /// What ``advance(upTo:after:zone:)`` found, ascending.
  private(set) var fires: [Fire] = []

  private var isEmpty: Bool { daily.isEmpty && grids.isEmpty && others.isEmpty }

  /// Whether all fires up to an instant have been given.
  func isGiven(upTo limit: Int64) -> Bool { limit <= given || isEmpty }

  mutating func add(_ repeater: Repeater) { others.append(repeater) }

  /// - Parameters: milliseconds, and milliseconds since 1970.
  mutating func addGrid(first: Int64, period: Int64, expiry: Int64, type: Int32) {
    grids.append(Grid(next: first, period: period, expiry: expiry, type: type))
  }

  /// - Parameters:
  ///   - first: its first fire after `now`.
  ///   - now: seconds since 1970.
  ///   - expiry: milliseconds since 1970.
  mutating func add(
    _ calendar: BoundedCalendar, first: CarillonPlanner.Fire, after now: Int, type: Int, expiry: Int64,
    isDevicesZone: Bool
  ) {
    let isUnbounded =
      calendar.start <= now && calendar.end >= BoundedCalendar.always.end && expiry == .max
    if isDevicesZone, isUnbounded, case .daily(let time) = calendar.rule.clock,
      let weekdays = calendar.rule.days.weekdays
    {
      daily.append(Daily(time: Int32(time), weekdays: weekdays, type: Int32(type)))
    } else {
      others.append(
        Repeater(type: Int32(type), next: first.milliseconds, expiry: expiry, source: .calendar(calendar)))
    }
  }

  /// Finds every fire up to `limit` (and some beyond) that was not found before, into ``fires``.
  ///
  /// - Parameters: milliseconds since 1970.
  mutating func advance(upTo limit: Int64, after now: Int64, zone: ZoneTable) {
    fires.removeAll(keepingCapacity: true)
    let wanted = zone.day(at: limit) + 1
    let start = nextDay ?? zone.day(at: now) - 1
    guard wanted >= start else { return }
    if nextDay == nil { daily.sort { $0.time < $1.time } }
    let end = wanted + Self.daysAhead
    nextDay = end
    // A gap may carry a fire into the next day, so the last day is not complete.
    given = Int64(zone.firstInstant(ofDay: end - 1)) * 1000
    guard count < Self.mostFires else { return }
    findDaily(start..<end, after: now, zone)
    let last = Int64(zone.firstInstant(ofDay: end)) * 1000
    for index in grids.indices {
      let run = fires.count
      let end = min(last, grids[index].expiry == .max ? .max : grids[index].expiry + 1)
      while count + fires.count < Self.mostFires, grids[index].next < end {
        fires.append(Fire(at: grids[index].next, type: grids[index].type))
        grids[index].next &+= grids[index].period
      }
      merge(from: run)
    }
    for index in others.indices where others[index].isDue(before: last) {
      let run = fires.count
      while count + fires.count < Self.mostFires, let fire = others[index].pop(before: last) {
        fires.append(Fire(at: fire, type: others[index].type))
      }
      merge(from: run)
    }
    count += fires.count
  }

  private mutating func findDaily(_ days: Range<Int>, after now: Int64, _ zone: ZoneTable) {
    if daily.isEmpty { return }
    fires.reserveCapacity(fires.count + days.count * daily.count)
    let start = days.lowerBound * Civil.secondsPerDay
    let end = days.upperBound * Civil.secondsPerDay
    let isSteady = zone.isSteady(from: start - Civil.secondsPerDay, to: end + Civil.secondsPerDay)
    let offset = zone.offset(at: start)
    var weekday = UInt8(Civil.weekday(days.lowerBound))
    for day in days {
      guard count + fires.count < Self.mostFires else { return }
      let midnight = day * Civil.secondsPerDay
      let run = fires.count
      daily.withUnsafeBufferPointer { daily in
        for repeater in daily where repeater.weekdays >> weekday & 1 != 0 {
          let wall = midnight &+ Int(repeater.time)
          let fire = Int64(isSteady ? wall &- offset : zone.rawReading(wall).fire) &* 1000
          if fire > now { fires.append(Fire(at: fire, type: repeater.type)) }
        }
      }
      if !isSteady {
        // A change of the clock may turn two around.
        fires[run...].sort { $0.at < $1.at }
        merge(from: run)
      }
      weekday = weekday == 7 ? 1 : weekday + 1
    }
  }

  /// Brings a run of ascending fires at the end into place among those before it.
  private mutating func merge(from run: Int) {
    let count = fires.count - run
    guard run > 0, count > 0, fires[run].at < fires[run - 1].at else { return }
    withUnsafeTemporaryAllocation(of: Fire.self, capacity: count) { added in
      fires.withUnsafeMutableBufferPointer { fires in
        _ = added.initialize(fromContentsOf: UnsafeMutableBufferPointer(rebasing: fires[run...]))
        var (left, right) = (run - 1, count - 1)
        var place = fires.count - 1
        while right >= 0 {
          if left >= 0, fires[left].at > added[right].at {
            fires[place] = fires[left]
            left &-= 1
          } else {
            fires[place] = added[right]
            right &-= 1
          }
          place &-= 1
        }
      }
    }
  }
}

/// The fires of one request that no time of day describes, one after another.
struct Repeater {
  enum Source {
    case calendar(BoundedCalendar)
    case recurrence(RecurrenceFires)
  }

  var type: Int32
  /// Milliseconds; nil after the last.
  var next: Int64?
  /// The last instant that counts, in milliseconds.
  var expiry: Int64
  var source: Source

  func isDue(before limit: Int64) -> Bool { next.map { $0 < limit } ?? false }

  mutating func pop(before limit: Int64) -> Int64? {
    guard let fire = next, fire < limit else { return nil }
    guard fire <= expiry else {
      next = nil
      return nil
    }
    switch source {
    case .calendar(let calendar): next = calendar.next(after: Int(fire / 1000))?.milliseconds
    case .recurrence(var fires):
      next = fires.next()?.milliseconds
      source = .recurrence(fires)
    }
    return fire
  }
}

extension DayRule {
  /// As bits of Apple's weekdays; nil for what is not a matter of weekdays alone.
  fileprivate var weekdays: UInt8? {
    switch self {
    case .every: 0xFE
    case .weekly(let weekday): 1 << UInt8(weekday)
    default: nil
    }
  }
}

extension ZoneTable {
  /// The local day number of an instant in milliseconds.
  func day(at time: Int64) -> Int {
    let seconds = Int(Instant(milliseconds: time).seconds)
    return Civil.floorDivide(seconds + offset(at: seconds), Civil.secondsPerDay)
  }
}
