import CarillonModel

extension CalendarRule {
  /// Chooses the shape of a set of components.
  ///
  /// Units smaller than the largest given one are their minimum when omitted. Components out of range give a
  /// rule that never fires; they are refused where a notification is put.
  init(_ components: CalendarComponents, missing: MissingDayRule, week: WeekRule) {
    let hasDate =
      components.year != nil || components.month != nil || components.day != nil || components.weekday != nil
      || components.hasWeekUnit
    let second = components.second ?? 0
    let minute = components.minute ?? 0
    if hasDate || components.hour != nil {
      clock = .daily((components.hour ?? 0) * 3600 + minute * 60 + second)
    } else if components.minute != nil {
      clock = .hourly(minute * 60 + second)
    } else {
      clock = .minutely(second)
    }
    guard components.isInRange, hasDate || components.hasTime else {
      days = .never
      return
    }
    days = hasDate ? Self.days(components, missing, week) : .every
  }

  private static func days(
    _ components: CalendarComponents, _ missing: MissingDayRule, _ week: WeekRule
  ) -> DayRule {
    switch (components.year, components.month, components.day, components.weekday) {
    case (let year?, let month, let day, nil) where !components.hasWeekUnit:
      let start = Civil.days(year, month ?? 1, 1)
      let length = Civil.length(ofMonth: month ?? 1, year)
      return DayRule.place(day ?? 1, missing, length).map { .once(start + $0) } ?? .never
    case (nil, let month?, let day, nil) where !components.hasWeekUnit:
      // No year has a 30 February, whatever the rule for missing days.
      guard day ?? 1 <= Civil.length(ofMonth: month, 2000) else { return .never }
      return .yearly(month: month, day: day ?? 1, missing: missing)
    case (nil, nil, let day?, nil) where !components.hasWeekUnit:
      return .monthly(day: day, missing: missing)
    case (nil, nil, nil, let weekday?) where !components.hasWeekUnit:
      return .weekly(weekday: weekday)
    case (nil, nil, nil, let weekday?) where components.hasOnlyOrdinal:
      return .nthWeekday(weekday: weekday, ordinal: components.weekdayOrdinal ?? 1)
    default:
      return .general(general(components, week))
    }
  }

  private static func general(_ components: CalendarComponents, _ week: WeekRule) -> GeneralDays {
    var days = GeneralDays(week: week)
    days.year = components.year ?? 0
    days.month = components.month ?? 0
    days.day = components.day ?? 0
    days.weekday = components.weekday ?? 0
    days.ordinal = components.weekdayOrdinal ?? 0
    days.weekOfMonth = components.weekOfMonth ?? -1
    days.weekOfYear = components.weekOfYear ?? 0
    days.weekYear = components.yearForWeekOfYear ?? 0
    if days.weekYear != 0, days.weekOfYear == 0, days.year == 0, days.month == 0 { days.weekOfYear = 1 }
    if days.year != 0, days.month == 0, days.weekOfYear == 0 { days.month = 1 }
    return days
  }

  /// Whether iOS, told to repeat the components, fires exactly when this rule does, clock changes aside.
  static func repeatsLikeApple(_ components: CalendarComponents) -> Bool {
    if let day = components.day, components.weekday == nil, !components.hasWeekUnit {
      if let year = components.year {
        if day > Civil.length(ofMonth: components.month ?? 1, year) { return false }
      } else if let month = components.month {
        // Only 29 February is in some years and not in others.
        if month == 2, day == 29 { return false }
      } else if day > 28 {
        return false
      }
    }
    if components.weekdayOrdinal == 5 { return false }
    // Apple lets a week unit without a weekday fire on each of the days, and a weekday with minutes alone each
    // hour.
    if components.hasWeekUnit, components.weekday == nil, components.day == nil { return false }
    return components.weekday == nil || components.hour != nil || components.minute == nil
  }
}

extension CalendarComponents {
  var hasOnlyOrdinal: Bool {
    weekdayOrdinal != nil && weekOfMonth == nil && weekOfYear == nil && yearForWeekOfYear == nil
  }

  var hasWeekUnit: Bool {
    weekdayOrdinal != nil || weekOfMonth != nil || weekOfYear != nil || yearForWeekOfYear != nil
  }

  var hasTime: Bool { hour != nil || minute != nil || second != nil }

  /// Apple's ranges, the years those of the contract.
  var isInRange: Bool {
    func holds(_ value: Int?, _ range: ClosedRange<Int>) -> Bool { value.map(range.contains) ?? true }
    return holds(year, 2000...2199) && holds(month, 1...12) && holds(day, 1...31) && holds(hour, 0...23)
      && holds(minute, 0...59) && holds(second, 0...59) && holds(weekday, 1...7)
      && holds(weekdayOrdinal, 1...5) && holds(weekOfMonth, 0...6) && holds(weekOfYear, 1...53)
      && holds(yearForWeekOfYear, 2000...2199)
  }
}
