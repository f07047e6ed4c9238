/// An RFC 5545 recurrence rule as read: lists are bit sets, what was left out has what `start` implies.
struct RecurrenceRule: Hashable, Sendable {
  enum Frequency: String, Hashable, Sendable { case yearly, monthly, weekly, daily, hourly, minutely }
  enum Until: Hashable, Sendable {
    /// Seconds of wall time, itself included.
    case wall(Int)
    /// Seconds since 1970, itself included.
    case instant(Int)
  }

  /// `BYDAY=-1FR`: the last Friday of the month or year.
  struct NthWeekday: Hashable, Sendable {
    var weekday: Int
    var ordinal: Int
  }

  /// Most occurrences COUNT may ask for: ten years of days.
  static let mostCount = 3_660
  /// Years, months, weeks, days, hours or minutes.
  static let mostInterval = 10_000
  /// Most times on one day: one each minute.
  static let mostTimes = 1_440
  /// Seconds between two times of a rule: what Apple asks of an interval that repeats.
  static let shortestSpacing = 60

  var frequency = Frequency.daily
  var interval = 1
  var count: Int?
  var until: Until?
  /// Bit n is month n. Here and below 0 means all.
  var months: UInt64 = 0
  var monthDays: UInt64 = 0
  /// Bit n is the n-th day from the month's end.
  var monthDaysFromEnd: UInt64 = 0
  /// -366...366.
  var yearDays: [Int] = []
  /// -53...53.
  var weekNumbers: Set<Int> = []
  /// Bit n is Apple's weekday n.
  var weekdays: UInt64 = 0
  var nthWeekdays: [NthWeekday] = []
  /// What those are in each kind of month; see ``nthWeekdaysByMonth()``.
  var nthWeekdaysOfMonths: [UInt64] = []
  var hours: UInt64 = 0
  var minutes: UInt64 = 0
  var seconds: UInt64 = 0
  var setPositions: [Int] = []
  /// Apple's weekday on which a week starts; RFC 5545's default is Monday.
  var weekStart = 2
}

extension RecurrenceRule {
  /// What the times of day are counted in: a day, or the hour or minute that the frequency steps by.
  var cycle: Int {
    switch frequency {
    case .hourly: 3600
    case .minutely: 60
    default: 86_400
    }
  }

  /// Whether BYSETPOS chooses among whole days, and not only among the times of one.
  var choosesDays: Bool {
    switch frequency {
    case .yearly, .monthly, .weekly: !setPositions.isEmpty
    case .daily, .hourly, .minutely: false
    }
  }

  /// All times in ``cycle``, ascending, in seconds from its start.
  var allTimes: [Int] {
    func numbers(_ set: UInt64, _ isFree: Bool) -> [Int] {
      isFree ? [0] : (0..<60).filter { set >> UInt64($0) & 1 != 0 }
    }
    let seconds = numbers(seconds, false)
    let minutes = numbers(minutes, frequency == .minutely)
    return numbers(hours, frequency == .hourly || frequency == .minutely).flatMap { hour in
      minutes.flatMap { minute in seconds.map { hour * 3600 + minute * 60 + $0 } }
    }
  }

  /// The positions, from 0, that BYSETPOS chooses among so many, ascending.
  func positions(among count: Int) -> [Int] {
    let chosen = setPositions.map { $0 > 0 ? $0 - 1 : count + $0 }.filter { (0..<count).contains($0) }
      .sorted()
    var unique: [Int] = []
    for position in chosen where position != unique.last { unique.append(position) }
    return unique
  }

  /// The times that ever can be used: where BYSETPOS chooses among days too, those at the places it names.
  func usedTimes(of times: [Int]) -> [Int] {
    if setPositions.isEmpty { return times }
    if !choosesDays { return positions(among: times.count).map { times[$0] } }
    let count = times.count
    return Set(setPositions.map { $0 > 0 ? ($0 - 1) % count : (count - -$0 % count) % count }).sorted().map {
      times[$0]
    }
  }
}
