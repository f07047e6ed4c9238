/// A day of the proleptic Gregorian calendar.
///
/// The arithmetic counts years from 1 March, so that the leap day is the last of its year, and eras of 400 years
/// (146,097 days), after which the calendar repeats.
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
  public init(daysSinceEpoch days: Int) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// From 1970-01-01, which is 0.
  public var daysSinceEpoch: Int {
    let marchYear = month <= 2 ? year - 1 : year
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// 1 = Sunday ... 7 = Saturday, as Apple counts.
  public var weekday: Int { CivilDate.weekday(ofDaysSinceEpoch: daysSinceEpoch) }

  /// 1 = Sunday ... 7 = Saturday.
  public static func weekday(ofDaysSinceEpoch days: Int) -> Int {
    // 1970-01-01 was a Thursday.
    let remainder = (days + 4) % 7
    return (remainder < 0 ? remainder + 7 : remainder) + 1
  }

  public static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  /// - Parameter month: 1...12.
  public static func daysInMonth(_ month: Int, ofYear year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  public static func < (left: CivilDate, right: CivilDate) -> Bool {
    (left.year, left.month, left.day) < (right.year, right.month, right.day)
  }
}
