import CarillonModel

/// All that repeats: what caps count without anybody placing it.
///
/// Most of what repeats rings at one time of day, each day or on some weekdays, on the device's own clock. Those
/// are written down once by their time of day, so that a month of them is a walk over days and no search.
struct Repeaters {
  struct Daily {
    /// Milliseconds after local midnight.
    var time: Int64
    /// Bit n is Apple's weekday n.
    var weekdays: UInt8
    var type: Int32
  }

  /// An interval's points.
  struct Grid {
    /// Milliseconds since 1970.
    var next: Int64
    /// Milliseconds.
    var period: Int64
    /// The last instant that counts, in milliseconds.
    var expiry: Int64
    var type: Int32
  }

  private(set) var daily: [Daily] = []
  private(set) var grids: [Grid] = []
  private(set) var others: [Repeater] = []

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
    _ calendar: BoundedCalendar, first: Fire, after now: Int, type: Int32, expiry: Int64,
    isDevicesZone: Bool
  ) {
    let isUnbounded =
      calendar.start <= now && calendar.end >= BoundedCalendar.always.end && expiry == .max
    if isDevicesZone, isUnbounded, case .daily(let time) = calendar.rule.clock,
      let weekdays = calendar.rule.days.weekdays
    {
      daily.append(Daily(time: Int64(time) * 1000, weekdays: weekdays, type: type))
    } else {
      others.append(
        Repeater(type: type, next: first.milliseconds, expiry: expiry, source: .calendar(calendar)))
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
