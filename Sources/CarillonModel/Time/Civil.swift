/// Arithmetic of the proleptic Gregorian calendar on day numbers: day 0 is 1970-01-01, a Thursday.
///
/// Plain integers and no checks: this runs some ten times for each fire, in the planner's module too, and so it is
/// inlined over the border. ``CivilDate`` is the same for everybody else.
public enum Civil {
  @inlinable @inline(__always) public static var secondsPerDay: Int { 86_400 }
  /// 400 Gregorian years: a whole number of weeks, so everything repeats.
  @inlinable @inline(__always) public static var daysPerCycle: Int { 146_097 }
  @inlinable @inline(__always) public static var secondsPerCycle: Int { 146_097 * 86_400 }

  /// The day number of a date; `month` is 1...12, `day` may lie outside the month.
  @inlinable @inline(__always)
  public static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
    // Years start in March, so that the leap day is a year's last.
    let shifted = month > 2 ? year : year &- 1
    let cycle = floorDivide(shifted, 400)
    let yearOfCycle = shifted &- cycle &* 400
    let monthFromMarch = month > 2 ? month &- 3 : month &+ 9
    let dayOfYear = (153 &* monthFromMarch &+ 2) / 5 &+ day &- 1
    let dayOfCycle = yearOfCycle &* 365 &+ yearOfCycle / 4 &- yearOfCycle / 100 &+ dayOfYear
    return cycle &* daysPerCycle &+ dayOfCycle &- 719_468
  }

  /// The date of a day number.
  @inlinable @inline(__always)
  public static func date(_ dayNumber: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = dayNumber &+ 719_468
    let cycle = floorDivide(shifted, daysPerCycle)
    let dayOfCycle = shifted &- cycle &* daysPerCycle
    let yearOfCycle =
      (dayOfCycle &- dayOfCycle / 1460 &+ dayOfCycle / 36_524 &- dayOfCycle / 146_096) / 365
    let dayOfYear = dayOfCycle &- (365 &* yearOfCycle &+ yearOfCycle / 4 &- yearOfCycle / 100)
    let monthFromMarch = (5 &* dayOfYear &+ 2) / 153
    let day = dayOfYear &- (153 &* monthFromMarch &+ 2) / 5 &+ 1
    let month = monthFromMarch < 10 ? monthFromMarch &+ 3 : monthFromMarch &- 9
    let year = yearOfCycle &+ cycle &* 400 &+ (month <= 2 ? 1 : 0)
    return (year, month, day)
  }

  /// Apple's weekday of a day number: 1 is Sunday.
  @inlinable @inline(__always)
  public static func weekday(_ dayNumber: Int) -> Int { floorModulo(dayNumber &+ 4, 7) &+ 1 }

  @inlinable @inline(__always)
  public static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  @inlinable @inline(__always)
  public static func length(ofMonth month: Int, _ year: Int) -> Int {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  @inlinable @inline(__always)
  public static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    value >= 0 ? value / divisor : (value &+ 1) / divisor &- 1
  }

  @inlinable @inline(__always)
  public static func floorModulo(_ value: Int, _ divisor: Int) -> Int {
    let rest = value % divisor
    return rest < 0 ? rest &+ divisor : rest
  }
}
