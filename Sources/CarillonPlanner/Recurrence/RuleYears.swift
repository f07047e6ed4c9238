import CarillonModel

/// The days a rule leaves of each year; years of one kind are worked out once.
struct RuleYears {
  private let rule: RecurrenceRule
  private let namesDays: Bool
  private var known: [(kind: YearKind, days: DaySet)] = []

  init(_ rule: RecurrenceRule) {
    self.rule = rule
    namesDays =
      rule.months | rule.monthDays | rule.monthDaysFromEnd | rule.weekdays != 0
      || !(rule.yearDays.isEmpty && rule.weekNumbers.isEmpty && rule.nthWeekdays.isEmpty)
  }

  /// The days of a year that pass all BY parts, whatever the interval.
  mutating func days(_ year: Int, steps: inout Int) -> DaySet {
    steps &+= 8
    guard namesDays else { return DaySet(count: Civil.isLeap(year) ? 366 : 365) }
    let kind = YearKind(year, numbersWeeks: !rule.weekNumbers.isEmpty)
    for entry in known where entry.kind == kind { return entry.days }
    steps &+= 200
    let days = rule.days(of: kind)
    known.append((kind, days))
    return days
  }
}
