/// Sets of components that can never match, or that say one thing twice.
extension CalendarComponents {
  enum Problem {
    case empty
    case impossible(String)
    case contradictory
  }

  /// What of a date is given, without the time of day.
  private var weekMembersAreEmpty: Bool {
    weekOfMonth == nil && weekOfYear == nil && yearForWeekOfYear == nil
  }

  var isEmpty: Bool { self == CalendarComponents() }

  /// Year, month and day, when all are given and the day exists.
  public var fullDate: CivilDate? {
    guard let year, let month, let day else { return nil }
    return CivilDate(checkingYear: year, month: month, day: day)
  }

  /// Takes out what only repeats a full date: its weekday and weeks, which a device sends along.
  ///
  /// How the device counts weeks is not known here; members are taken as agreeing when any way of counting gives them.
  /// - Returns: what is wrong with the set, if something is.
  mutating func simplify(onMissingDay: MissingDayRule) -> Problem? {
    if isEmpty { return .empty }
    if let problem = impossibility(onMissingDay: onMissingDay) { return problem }
    guard let date = fullDate else { return nil }
    if let weekday, weekday != date.weekday { return .contradictory }
    if let weekdayOrdinal, weekdayOrdinal != date.weekdayOrdinal { return .contradictory }
    if !weekMembersAreEmpty, !weeksAgree(with: date) { return .contradictory }
    (weekday, weekdayOrdinal, weekOfMonth, weekOfYear, yearForWeekOfYear) = (nil, nil, nil, nil, nil)
    return nil
  }

  private func weeksAgree(with date: CivilDate) -> Bool {
    for first in 1...7 {
      for minimum in 1...7 {
        let weeks = date.weeks(firstWeekday: first, minimumDaysInFirstWeek: minimum)
        if weekOfMonth ?? weeks.weekOfMonth == weeks.weekOfMonth,
          weekOfYear ?? weeks.weekOfYear == weeks.weekOfYear,
          yearForWeekOfYear ?? weeks.yearForWeekOfYear == weeks.yearForWeekOfYear
        {
          return true
        }
      }
    }
    return false
  }

  private func impossibility(onMissingDay: MissingDayRule) -> Problem? {
    // 2000 was a leap year: what it lacks, every year lacks.
    if let month, let day, day > CivilDate.daysInMonth(month, ofYear: 2000) {
      return .impossible("month \(month) never has a day \(day)")
    }
    if let year, let month, let day, fullDate == nil, onMissingDay == .skip {
      return .impossible("there is no \(day). \(month). \(year)")
    }
    if let year, let week = yearForWeekOfYear, abs(year - week) > 1 {
      return .impossible("no day of \(year) is in a week of \(week)")
    }
    if weekdayOrdinal != nil, weekday == nil, fullDate == nil {
      return .impossible("a weekdayOrdinal needs its weekday")
    }
    if let day, let weekdayOrdinal, fullDate == nil, (day - 1) / 7 + 1 != weekdayOrdinal {
      return .impossible("day \(day) is never weekday number \(weekdayOrdinal) of its month")
    }
    if let day, let weekOfMonth, fullDate == nil, !((day - 1) / 7...(day + 5) / 7 + 1).contains(weekOfMonth) {
      return .impossible("day \(day) is never in week \(weekOfMonth) of its month")
    }
    if let month, let weekOfYear, fullDate == nil, !CalendarComponents.month(month, mayHaveWeek: weekOfYear) {
      return .impossible("month \(month) never has week \(weekOfYear)")
    }
    if let year, fullDate == nil, weekday != nil || day != nil,
      !hasMatch(in: year, onMissingDay: onMissingDay)
    {
      return .impossible("no day of \(year) matches")
    }
    return nil
  }

  /// Generous by the week that ways of counting differ.
  private static func month(_ month: Int, mayHaveWeek week: Int) -> Bool {
    if week == 1, month == 12 { return true }
    if week >= 52, month == 1 { return true }
    let start = CivilDate(year: 2000, month: 1, day: 1).daysSinceEpoch
    let first = CivilDate(year: 2000, month: month, day: 1).daysSinceEpoch - start
    let last = first + CivilDate.daysInMonth(month, ofYear: 2000) - 1
    return (week - 2) * 7 <= last && week * 7 + 6 >= first - 1
  }

  private func hasMatch(in year: Int, onMissingDay: MissingDayRule) -> Bool {
    for month in 1...12 where self.month ?? month == month {
      let days = CivilDate.daysInMonth(month, ofYear: year)
      let first = CivilDate(year: year, month: month, day: 1).weekday
      if let day, day > days, onMissingDay != .skip { return true }
      for day in 1...days where self.day ?? day == day {
        if weekday ?? 0 != 0, (first - 1 + day - 1) % 7 + 1 != weekday { continue }
        if let weekdayOrdinal, (day - 1) / 7 + 1 != weekdayOrdinal { continue }
        return true
      }
    }
    return false
  }
}
