/// An RFC 5545 recurrence rule made ready: lists are bit sets, what was left out has what `start` implies.
struct RecurrenceRule: Hashable, Sendable {
  enum Frequency: String, Hashable, Sendable { case yearly, monthly, weekly, daily, hourly }
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
  /// Most times on one day: one each minute.
  static let mostTimes = 1_440

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
  var yearDays: Set<Int> = []
  /// -53...53.
  var weekNumbers: Set<Int> = []
  /// Bit n is Apple's weekday n.
  var weekdays: UInt64 = 0
  var nthWeekdays: [NthWeekday] = []
  var hours: UInt64 = 0
  var minutes: UInt64 = 0
  var seconds: UInt64 = 0
  var setPositions: [Int] = []
  /// Apple's weekday on which a week starts; RFC 5545's default is Monday.
  var weekStart = 2

  /// Whether a day passes all parts that speak of days.
  func matches(_ day: Int) -> Bool {
    let date = Civil.date(day)
    if months != 0, months >> UInt64(date.month) & 1 == 0 { return false }
    if monthDays | monthDaysFromEnd != 0 {
      let fromEnd = Civil.length(ofMonth: date.month, date.year) - date.day + 1
      if monthDays >> UInt64(date.day) & 1 == 0, monthDaysFromEnd >> UInt64(fromEnd) & 1 == 0 { return false }
    }
    if weekdays != 0 || !nthWeekdays.isEmpty, !matchesWeekday(day, date.year, date.month, date.day) {
      return false
    }
    if !yearDays.isEmpty {
      let number = day - Civil.days(date.year, 1, 1) + 1
      let length = Civil.isLeap(date.year) ? 366 : 365
      if !yearDays.contains(number), !yearDays.contains(number - length - 1) { return false }
    }
    return weekNumbers.isEmpty || matchesWeekNumber(day, date.year)
  }

  private func matchesWeekday(_ day: Int, _ year: Int, _ month: Int, _ dayOfMonth: Int) -> Bool {
    let weekday = Civil.weekday(day)
    if weekdays >> UInt64(weekday) & 1 != 0 { return true }
    guard nthWeekdays.contains(where: { $0.weekday == weekday }) else { return false }
    let isOfYear = frequency == .yearly && months == 0
    let first = isOfYear ? Civil.days(year, 1, 1) : day - dayOfMonth + 1
    let length =
      isOfYear ? (Civil.isLeap(year) ? 366 : 365) : Civil.length(ofMonth: month, year)
    let fromStart = (day - first) / 7 + 1
    let fromEnd = -((first + length - 1 - day) / 7 + 1)
    return nthWeekdays.contains {
      $0.weekday == weekday && ($0.ordinal == fromStart || $0.ordinal == fromEnd)
    }
  }

  private func matchesWeekNumber(_ day: Int, _ year: Int) -> Bool {
    // ISO 8601's week one has at least four days in the year; RFC 5545 lets weeks start elsewhere.
    let week = WeekRule(firstWeekday: weekStart, minimumDays: 4)
    let weekYear = week.year(ofWeekOf: day, calendarYear: year)
    let first = week.firstWeek(ofPeriodFrom: Civil.days(weekYear, 1, 1))
    let next = week.firstWeek(ofPeriodFrom: Civil.days(weekYear + 1, 1, 1))
    let number = (day - first) / 7 + 1
    return weekNumbers.contains(number) || weekNumbers.contains(number - (next - first) / 7 - 1)
  }

  /// Seconds after midnight, or after the hour for an hourly rule, ascending.
  var times: [Int] {
    func numbers(_ set: UInt64) -> [Int] { (0..<60).filter { set >> UInt64($0) & 1 != 0 } }
    let hours = frequency == .hourly ? [0] : numbers(hours)
    return hours.flatMap { hour in
      numbers(minutes).flatMap { minute in numbers(seconds).map { hour * 3600 + minute * 60 + $0 } }
    }
  }
}
