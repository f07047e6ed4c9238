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

  private struct Daily {
    /// Seconds after local midnight.
    var time: Int32
    /// Bit n is Apple's weekday n.
    var weekdays: UInt8
    var type: Int32
  }

  private var daily: [Daily] = []
  private var isSorted = true
  private var others: [Repeater] = []
  /// The first local day that is not counted yet; nil before the first question.
  private var nextDay: Int?
  /// Up to when all have been given, in milliseconds since 1970.
  private var given = Int64.min
  private var count = 0

  var isEmpty: Bool { daily.isEmpty && others.isEmpty }

  /// Whether ``take(upTo:after:zone:_:)`` has nothing to add, as far as that is seen at once.
  func isGiven(upTo limit: Int64) -> Bool { isEmpty || limit <= given }

  mutating func add(_ repeater: Repeater) { others.append(repeater) }

  /// - Parameters:
  ///   - first: its first fire after `now`.
  ///   - now: seconds since 1970.
  ///   - expiry: milliseconds since 1970.
  mutating func add(
    _ calendar: BoundedCalendar, first: Fire, after now: Int, type: Int, expiry: Int64, isDevicesZone: Bool
  ) {
    let isUnbounded =
      calendar.start <= now && calendar.end >= BoundedCalendar.always.end && expiry == .max
    if isDevicesZone, isUnbounded, case .daily(let time) = calendar.rule.clock,
      let weekdays = calendar.rule.days.weekdays
    {
      daily.append(Daily(time: Int32(time), weekdays: weekdays, type: Int32(type)))
      isSorted = false
    } else {
      others.append(
        Repeater(type: type, next: first.milliseconds, expiry: expiry, source: .calendar(calendar)))
    }
  }

  /// Gives every fire up to `limit` (and some beyond) that was not given yet, as far as possible in order.
  ///
  /// - Parameters: milliseconds since 1970.
  mutating func take(
    upTo limit: Int64, after now: Int64, zone: ZoneTable, _ body: (_ fire: Int64, _ type: Int) -> Void
  ) {
    if isEmpty { return }
    let wanted = zone.day(at: limit) + 1
    let start = nextDay ?? zone.day(at: now) - 1
    guard wanted >= start else { return }
    let end = wanted + Self.daysAhead
    nextDay = end
    // A gap may carry a fire into the next day, so the last day is not complete.
    given = Int64(zone.firstInstant(ofDay: end - 1)) * 1000
    guard count < Self.mostFires else { return }
    takeDaily(start..<end, after: now, zone, body)
    let last = Int64(zone.firstInstant(ofDay: end)) * 1000
    for index in others.indices {
      while count < Self.mostFires, let fire = others[index].pop(before: last) {
        count += 1
        body(fire, others[index].type)
      }
    }
  }

  private mutating func takeDaily(
    _ days: Range<Int>, after now: Int64, _ zone: ZoneTable, _ body: (_ fire: Int64, _ type: Int) -> Void
  ) {
    if daily.isEmpty { return }
    if !isSorted {
      daily.sort { $0.time < $1.time }
      isSorted = true
    }
    for day in days {
      guard count < Self.mostFires else { return }
      let midnight = day * Civil.secondsPerDay
      let weekday = UInt8(1) << UInt8(Civil.weekday(day))
      let noon = midnight + Civil.secondsPerDay / 2 - zone.offset(at: midnight)
      let isSteady = zone.isSteady(from: noon - Civil.secondsPerDay, to: noon + Civil.secondsPerDay)
      let offset = zone.offset(at: noon)
      for repeater in daily where repeater.weekdays & weekday != 0 {
        let wall = midnight + Int(repeater.time)
        let fire = Int64(isSteady ? wall - offset : zone.rawReading(wall).fire) * 1000
        if fire > now {
          count += 1
          body(fire, Int(repeater.type))
        }
      }
    }
  }
}

/// The fires of one request that no time of day describes, one after another.
struct Repeater {
  enum Source {
    case calendar(BoundedCalendar)
    case interval(IntervalTrigger, anchor: Instant)
    case recurrence(RecurrenceFires)
  }

  var type: Int
  /// Milliseconds; nil after the last.
  var next: Int64?
  /// The last instant that counts, in milliseconds.
  var expiry: Int64
  var source: Source

  mutating func pop(before limit: Int64) -> Int64? {
    guard let fire = next, fire < limit else { return nil }
    guard fire <= expiry else {
      next = nil
      return nil
    }
    switch source {
    case .calendar(let calendar): next = calendar.next(after: Int(fire / 1000))?.milliseconds
    case .interval(let trigger, let anchor):
      next = trigger.fire(after: Instant(milliseconds: fire), anchor: anchor).milliseconds
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
