/// A day of the proleptic Gregorian calendar.
public struct CivilDate: Hashable, Sendable, Comparable {
  public var year: Int
  /// 1 = January.
  public var month: Int
  /// 1...31.
  public var day: Int

  public init(year: Int, month: Int, day: Int) {
    self.year = year
    self.month = month
    self.day = day
  }

  /// Nil when there is no such day: 30 February is not 1 March.
  public init?(checkingYear year: Int, month: Int, day: Int) {
    guard (1...12).contains(month), day >= 1, day <= CivilDate.daysInMonth(month, ofYear: year) else {
      return nil
    }
    self.init(year: year, month: month, day: day)
  }

  /// - Parameter days: from 1970-01-01, which is 0.
  public init(daysSinceEpoch days: Int) { (year, month, day) = Civil.date(days) }

  /// From 1970-01-01, which is 0.
  public var daysSinceEpoch: Int { Civil.days(year, month, day) }

  /// 1 = Sunday ... 7 = Saturday, as Apple counts.
  public var weekday: Int { Civil.weekday(daysSinceEpoch) }

  /// 1 = Sunday ... 7 = Saturday.
  public static func weekday(ofDaysSinceEpoch days: Int) -> Int { Civil.weekday(days) }

  public static func isLeap(_ year: Int) -> Bool { Civil.isLeap(year) }

  /// - Parameter month: 1...12.
  public static func daysInMonth(_ month: Int, ofYear year: Int) -> Int { Civil.length(ofMonth: month, year) }

  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}
