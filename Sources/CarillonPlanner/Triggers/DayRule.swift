import CarillonModel

/// Which local days a calendar trigger fires on: the shape is chosen once, and each has its own arithmetic.
enum DayRule: Hashable, Sendable {
  case every
  /// Apple's weekday, 1 is Sunday.
  case weekly(weekday: Int)
  case monthly(day: Int, missing: MissingDayRule)
  case yearly(month: Int, day: Int, missing: MissingDayRule)
  case nthWeekday(weekday: Int, ordinal: Int)
  /// One day number.
  case once(Int)
  case general(GeneralDays)
  case never

  /// The first day the rule gives that is not before `day`.
  @inline(__always)
  func first(onOrAfter day: Int) -> Int? {
    var steps = 0
    return first(onOrAfter: day, steps: &steps)
  }

  /// The first day the rule gives that is not before `day`.
  ///
  /// - Parameter steps: grows by what is looked at, where that is more than a handful of months or years.
  @inline(__always)
  func first(onOrAfter day: Int, steps: inout Int) -> Int? {
    switch self {
    case .every: day
    case .weekly(let weekday): day &+ Civil.floorModulo(weekday &- Civil.weekday(day), 7)
    case .monthly(let wanted, let missing): Self.monthly(wanted, missing, onOrAfter: day)
    case .yearly(let month, let wanted, let missing): Self.yearly(month, wanted, missing, onOrAfter: day)
    case .nthWeekday(let weekday, let ordinal): Self.nthWeekday(weekday, ordinal, onOrAfter: day)
    case .once(let only): only >= day ? only : nil
    case .general(let days): days.first(onOrAfter: day, steps: &steps)
    case .never: nil
    }
  }

  private static func monthly(_ wanted: Int, _ missing: MissingDayRule, onOrAfter day: Int) -> Int? {
    var (year, month, dayOfMonth) = Civil.date(day)
    let monthStart = day &- dayOfMonth &+ 1
    // A month that lacks the day may hand it to the first of the next.
    if missing == .nextDay, dayOfMonth == 1 {
      let lengthBefore = Civil.length(ofMonth: month == 1 ? 12 : month - 1, month == 1 ? year - 1 : year)
      if wanted > lengthBefore { return day }
    }
    var start = monthStart
    // Two neighbouring months never both lack a day.
    for _ in 0..<3 {
      let length = Civil.length(ofMonth: month, year)
      if let offset = place(wanted, missing, length), start &+ offset >= day { return start &+ offset }
      start &+= length
      month &+= 1
      if month == 13 {
        month = 1
        year &+= 1
      }
    }
    return nil
  }

  private static func yearly(
    _ month: Int, _ wanted: Int, _ missing: MissingDayRule, onOrAfter day: Int
  ) -> Int? {
    var year = Civil.date(day).year
    // A missing 29 February can become 1 March, never another year's day: no need to look back.
    for _ in 0..<9 {
      let start = Civil.days(year, month, 1)
      if let offset = place(wanted, missing, Civil.length(ofMonth: month, year)), start &+ offset >= day {
        return start &+ offset
      }
      year &+= 1
    }
    return nil
  }

  /// Days after the first of a month of that length; nil where the day is left out.
  @inline(__always)
  static func place(_ wanted: Int, _ missing: MissingDayRule, _ length: Int) -> Int? {
    if wanted <= length { return wanted &- 1 }
    return switch missing {
    case .skip: nil
    case .lastDay: length &- 1
    case .nextDay: length
    }
  }

  private static func nthWeekday(_ weekday: Int, _ ordinal: Int, onOrAfter day: Int) -> Int? {
    var (year, month, dayOfMonth) = Civil.date(day)
    var start = day &- dayOfMonth &+ 1
    // A fifth weekday comes at least every fourth month.
    for _ in 0..<8 {
      let length = Civil.length(ofMonth: month, year)
      let offset = Civil.floorModulo(weekday &- Civil.weekday(start), 7) &+ 7 &* (ordinal &- 1)
      if offset < length, start &+ offset >= day { return start &+ offset }
      start &+= length
      month &+= 1
      if month == 13 {
        month = 1
        year &+= 1
      }
    }
    return nil
  }
}
