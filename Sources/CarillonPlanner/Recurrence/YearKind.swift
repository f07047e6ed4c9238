import CarillonModel

/// All that a recurrence rule can tell years apart by: 14 kinds, or less than fifty for a rule that numbers weeks.
struct YearKind: Hashable, Sendable {
  var isLeap: Bool
  /// Apple's weekday of 1 January.
  var firstWeekday: Int
  var followsLeap: Bool
  var precedesLeap: Bool

  init(_ year: Int, numbersWeeks: Bool) {
    isLeap = Civil.isLeap(year)
    firstWeekday = Civil.weekday(Civil.days(year, 1, 1))
    followsLeap = numbersWeeks && Civil.isLeap(year - 1)
    precedesLeap = numbersWeeks && Civil.isLeap(year + 1)
  }

  var length: Int { isLeap ? 366 : 365 }
}

extension RecurrenceRule {
  /// The days of such a year that pass all parts that speak of days.
  func days(of kind: YearKind) -> DaySet {
    var days = DaySet(count: kind.length)
    if months | monthDays | monthDaysFromEnd != 0 { days.formIntersection(daysOfMonths(kind)) }
    if !yearDays.isEmpty {
      var chosen = DaySet()
      for number in yearDays where abs(number) <= kind.length {
        chosen.insert(number > 0 ? number - 1 : kind.length + number)
      }
      days.formIntersection(chosen)
    }
    if !weekNumbers.isEmpty { days.formIntersection(daysOfWeeks(kind)) }
    if weekdays != 0 || !nthWeekdays.isEmpty {
      var chosen = DaySet()
      if weekdays != 0 {
        chosen = DaySet(count: kind.length)
        let week = CyclicBits(length: 7, (0..<7).lazy.filter { weekdays >> UInt64($0 + 1) & 1 != 0 })
        chosen.formIntersection(week, phase: kind.firstWeekday - 1)
      }
      if !nthWeekdays.isEmpty { chosen.formUnion(daysOfNthWeekdays(kind)) }
      days.formIntersection(chosen)
    }
    return days
  }

  private func daysOfMonths(_ kind: YearKind) -> DaySet {
    var days = DaySet()
    var start = 0
    for month in 1...12 {
      let length = kind.length(ofMonth: month)
      if months == 0 || months >> UInt64(month) & 1 != 0 {
        let all: UInt64 = .max >> UInt64(64 - length)
        var chosen = monthDays | monthDaysFromEnd == 0 ? all : monthDays >> 1 & all
        var rest = monthDaysFromEnd
        while rest != 0 {
          let fromEnd = rest.trailingZeroBitCount
          if fromEnd <= length { chosen |= 1 << UInt64(length - fromEnd) }
          rest &= rest - 1
        }
        days.insert(chosen, from: start)
      }
      start += length
    }
    return days
  }

  /// Whether a number in BYDAY counts in the year; else in the month.
  var countsWeekdaysInYear: Bool { frequency == .yearly && months == 0 }

  private func daysOfNthWeekdays(_ kind: YearKind) -> DaySet {
    var days = DaySet()
    if countsWeekdaysInYear {
      for nth in nthWeekdays {
        if let day = nth.day(in: kind.length, from: kind.firstWeekday) { days.insert(day) }
      }
      return days
    }
    var start = 0
    for month in 1...12 {
      let length = kind.length(ofMonth: month)
      let first = (kind.firstWeekday - 1 + start) % 7
      days.insert(nthWeekdaysOfMonths[first * 4 + length - 28], from: start)
      start += length
    }
    return days
  }

  /// For each weekday that a month can start on, and each length it can have, its days as bits.
  func nthWeekdaysByMonth() -> [UInt64] {
    guard !nthWeekdays.isEmpty, !countsWeekdaysInYear else { return [] }
    return (1...7).flatMap { first in
      (28...31).map { length in
        nthWeekdays.reduce(0) { bits, nth in
          nth.day(in: length, from: first).map { bits | 1 << UInt64($0) } ?? bits
        }
      }
    }
  }

  /// By ISO 8601's first week, which has at least four days in the year; RFC 5545 lets weeks start elsewhere.
  private func daysOfWeeks(_ kind: YearKind) -> DaySet {
    /// Days from a year's 1 January to its first week.
    func firstWeek(_ firstWeekday: Int) -> Int {
      let before = Civil.floorModulo(firstWeekday - weekStart, 7)
      return before <= 3 ? -before : 7 - before
    }
    func weekCount(_ firstWeekday: Int, _ length: Int) -> Int {
      (length + firstWeek(firstWeekday + length) - firstWeek(firstWeekday)) / 7
    }
    func isChosen(_ week: Int, of count: Int) -> Bool {
      weekNumbers.contains(week) || weekNumbers.contains(week - count - 1)
    }
    let first = firstWeek(kind.firstWeekday)
    let count = weekCount(kind.firstWeekday, kind.length)
    var days = DaySet()
    for week in 1...count where isChosen(week, of: count) {
      let start = first + 7 * (week - 1)
      days.insert(start..<(start + 7))
    }
    if first > 0 {
      let length = kind.followsLeap ? 366 : 365
      let before = weekCount(kind.firstWeekday - length, length)
      if isChosen(before, of: before) { days.insert(0..<first) }
    }
    let next = kind.length + firstWeek(kind.firstWeekday + kind.length)
    if next < kind.length {
      let after = weekCount(kind.firstWeekday + kind.length, kind.precedesLeap ? 366 : 365)
      if isChosen(1, of: after) { days.insert(next..<kind.length) }
    }
    return days
  }
}

extension YearKind {
  func length(ofMonth month: Int) -> Int { Civil.length(ofMonth: month, isLeap ? 2000 : 2001) }
}

extension RecurrenceRule.NthWeekday {
  /// Days after the first of a period of that length that starts on such a weekday; nil where there is none.
  fileprivate func day(in length: Int, from first: Int) -> Int? {
    let offset = (weekday - first + 7) % 7
    let day = offset + 7 * (ordinal > 0 ? ordinal - 1 : (length - 1 - offset) / 7 + 1 + ordinal)
    return day >= 0 && day < length ? day : nil
  }
}
