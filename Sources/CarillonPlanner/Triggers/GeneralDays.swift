import CarillonModel

/// Which day a week starts on and how many of a first week's days must lie in the new month or year: Apple's
/// `firstWeekday` and `minimumDaysInFirstWeek`.
struct WeekRule: Hashable, Sendable {
  var firstWeekday: Int
  var minimumDays: Int

  /// The first day of the week that holds `day`.
  @inline(__always)
  func start(ofWeekOf day: Int) -> Int { day &- Civil.floorModulo(Civil.weekday(day) &- firstWeekday, 7) }

  /// The first day of week 1 of the month or year that begins on `day`.
  @inline(__always)
  func firstWeek(ofPeriodFrom day: Int) -> Int {
    let start = start(ofWeekOf: day)
    return start &+ 7 &- day >= minimumDays ? start : start &+ 7
  }

  /// The week-based year of a day that lies in a calendar year.
  func year(ofWeekOf day: Int, calendarYear: Int) -> Int {
    if day >= firstWeek(ofPeriodFrom: Civil.days(calendarYear + 1, 1, 1)) { return calendarYear + 1 }
    return day >= firstWeek(ofPeriodFrom: Civil.days(calendarYear, 1, 1)) ? calendarYear : calendarYear - 1
  }

  @inline(__always)
  func weekOfMonth(_ day: Int, monthStart: Int) -> Int {
    Civil.floorDivide(day &- firstWeek(ofPeriodFrom: monthStart), 7) &+ 1
  }
}

/// Days given by an uncommon mix of units: each period (month, year or week-based year) gives its first day that
/// matches all of them, or none.
///
/// A year is one of 14 kinds (its first weekday, and whether it is a leap year), and each kind comes at least every
/// 40 years, so a search that long has seen everything.
struct GeneralDays: Hashable, Sendable {
  /// Units as given, after the omitted ones that a larger one implies were set to their minimum; 0 means free.
  var year = 0
  var month = 0
  var day = 0
  var weekday = 0
  var ordinal = 0
  /// Week 0 exists (days before week 1), so free is -1.
  var weekOfMonth = -1
  var weekOfYear = 0
  var weekYear = 0
  var week: WeekRule

  /// Years until each kind of year has come, 2100 between.
  private static let longestWait = 41

  /// - Parameter steps: grows by the months, weeks and days looked at.
  func first(onOrAfter wanted: Int, steps: inout Int) -> Int? {
    let (year, month, _) = Civil.date(wanted)
    if weekOfYear != 0 { return firstByWeekOfYear(onOrAfter: wanted, from: year - 1, &steps) }
    // What names a year happens once, whatever is asked.
    if self.year != 0 || weekYear != 0 {
      let years = self.year != 0 ? self.year...self.year : (weekYear - 1)...(weekYear + 1)
      for year in years {
        guard let found = match(inMonth: self.month, year, &steps) else { continue }
        return found >= wanted ? found : nil
      }
      return nil
    }
    if self.month != 0 {
      for year in year...(year + Self.longestWait) {
        if let found = match(inMonth: self.month, year, &steps), found >= wanted { return found }
      }
      return nil
    }
    for step in (month - 1)...(month + 12 * Self.longestWait) {
      if let found = match(inMonth: step % 12 + 1, year + step / 12, &steps), found >= wanted { return found }
    }
    return nil
  }

  private func firstByWeekOfYear(onOrAfter wanted: Int, from first: Int, _ steps: inout Int) -> Int? {
    let bounded = weekYear != 0 || year != 0
    let years =
      weekYear != 0
      ? weekYear...weekYear : year != 0 ? (year - 1)...(year + 1) : first...(first + Self.longestWait + 2)
    for weekBasedYear in years {
      steps &+= 1
      let yearStart = Civil.days(weekBasedYear, 1, 1)
      let start = week.firstWeek(ofPeriodFrom: yearStart) + 7 * (weekOfYear - 1)
      if !bounded, start + 7 <= wanted { continue }
      let next = week.firstWeek(ofPeriodFrom: yearStart + (Civil.isLeap(weekBasedYear) ? 366 : 365))
      guard start < next else { continue }
      // With nothing but a weekday there is no need to look at each.
      let plain = weekday == 0 ? start : start + Civil.floorModulo(weekday - week.firstWeekday, 7)
      guard let found = isWeekAlone ? plain : firstMatch(in: start..<(start + 7), &steps) else { continue }
      if found >= wanted { return found }
      if bounded { return nil }
    }
    return nil
  }

  /// Nothing but the week of the year is asked for, and possibly a weekday.
  private var isWeekAlone: Bool {
    year == 0 && month == 0 && day == 0 && ordinal == 0 && weekOfMonth < 0 && weekYear == 0
  }

  /// The first day of a month that matches; what tells days of a month apart is counted from its first.
  private func match(inMonth month: Int, _ year: Int, _ steps: inout Int) -> Int? {
    steps &+= 1
    let start = Civil.days(year, month, 1)
    let length = Civil.length(ofMonth: month, year)
    let firstWeekday = Civil.weekday(start)
    let firstWeek = week.firstWeek(ofPeriodFrom: start) &- start
    var range = 0..<length
    if day != 0 {
      range = (day - 1)..<day
    } else if ordinal != 0 {
      range = (7 * (ordinal - 1))..<(7 * ordinal)
    } else if weekOfMonth >= 0 {
      range = (firstWeek + 7 * (weekOfMonth - 1))..<(firstWeek + 7 * weekOfMonth)
    }
    for offset in range.clamped(to: 0..<length) {
      steps &+= 1
      if weekday != 0, (firstWeekday &+ offset &- 1) % 7 &+ 1 != weekday { continue }
      if ordinal != 0, offset / 7 &+ 1 != ordinal { continue }
      if weekOfMonth >= 0, Civil.floorDivide(offset &- firstWeek, 7) &+ 1 != weekOfMonth { continue }
      if weekYear != 0, week.year(ofWeekOf: start + offset, calendarYear: year) != weekYear { continue }
      return start + offset
    }
    return nil
  }

  private func firstMatch(in days: Range<Int>, _ steps: inout Int) -> Int? {
    for day in days {
      steps &+= 1
      if matches(day) { return day }
    }
    return nil
  }

  private func matches(_ candidate: Int) -> Bool {
    if weekday != 0, Civil.weekday(candidate) != weekday { return false }
    let date = Civil.date(candidate)
    if year != 0, date.year != year { return false }
    if month != 0, date.month != month { return false }
    if day != 0, date.day != day { return false }
    if ordinal != 0, (date.day - 1) / 7 + 1 != ordinal { return false }
    if weekYear != 0, week.year(ofWeekOf: candidate, calendarYear: date.year) != weekYear { return false }
    if weekOfMonth >= 0 {
      return week.weekOfMonth(candidate, monthStart: candidate - date.day + 1) == weekOfMonth
    }
    return true
  }
}
