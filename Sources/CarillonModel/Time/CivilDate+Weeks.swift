/// The numbers of a date's weeks, which depend on how weeks are counted.
public struct WeekNumbers: Hashable, Sendable {
  public var yearForWeekOfYear: Int
  public var weekOfYear: Int
  /// 0 for the days before the first week that has enough days.
  public var weekOfMonth: Int
}

extension CivilDate {
  /// - Parameters:
  ///   - firstWeekday: on which weeks begin, 1 = Sunday.
  ///   - minimumDaysInFirstWeek: how many of its days a week must have in a month or year to be its first; 1...7.
  public func weeks(firstWeekday: Int, minimumDaysInFirstWeek: Int) -> WeekNumbers {
    let days = daysSinceEpoch
    func firstWeek(from start: Int) -> Int {
      let before = (CivilDate.weekday(ofDaysSinceEpoch: start) - firstWeekday + 7) % 7
      return start - before + (7 - before >= minimumDaysInFirstWeek ? 0 : 7)
    }
    func firstWeek(ofYear year: Int) -> Int {
      firstWeek(from: CivilDate(year: year, month: 1, day: 1).daysSinceEpoch)
    }
    var weekYear = year + 1
    while days < firstWeek(ofYear: weekYear) { weekYear -= 1 }
    let month = firstWeek(from: days - day + 1)
    return WeekNumbers(
      yearForWeekOfYear: weekYear, weekOfYear: (days - firstWeek(ofYear: weekYear)) / 7 + 1,
      weekOfMonth: days < month ? 0 : (days - month) / 7 + 1)
  }

  /// Which weekday of its month this is: the 8th is a second one.
  public var weekdayOrdinal: Int { (day - 1) / 7 + 1 }
}
