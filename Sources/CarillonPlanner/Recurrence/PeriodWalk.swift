import CarillonModel

/// Goes through the times of a rule whose BYSETPOS chooses among the days of a year, a month or a week.
struct PeriodWalk {
  private let recurrence: CompiledRecurrence
  private let startDay: Int
  /// No period with fewer times has one at any of the rule's positions.
  private let fewest: Int
  private var years: RuleYears
  private var period: Int
  /// The chosen times of the present period.
  private var chosen: [Int] = []
  private var cursor = 0
  private var isFilled = false

  /// - Parameter wall: not before the rule's start; earlier periods are left out.
  init(_ recurrence: CompiledRecurrence, from wall: Int) {
    self.recurrence = recurrence
    startDay = Civil.floorDivide(recurrence.start, Civil.secondsPerDay)
    fewest = recurrence.rule.setPositions.map(abs).min() ?? 1
    years = RuleYears(recurrence.rule)
    period = 0
    period = index(of: Civil.floorDivide(wall, Civil.secondsPerDay))
  }

  mutating func next(steps: inout Int) -> Int? {
    steps &+= 1
    while cursor == chosen.count {
      if isFilled { period += 1 }
      isFilled = true
      guard fill(steps: &steps) else { return nil }
    }
    defer { cursor += 1 }
    return chosen[cursor]
  }

  /// The last period that does not begin after a day.
  private func index(of day: Int) -> Int {
    let (first, last) = (Civil.date(startDay), Civil.date(day))
    let rule = recurrence.rule
    return switch rule.frequency {
    case .yearly: (last.year - first.year) / rule.interval
    case .monthly: ((last.year - first.year) * 12 + last.month - first.month) / rule.interval
    default: (day - firstWeek) / 7 / rule.interval
    }
  }

  private var firstWeek: Int {
    WeekRule(firstWeekday: recurrence.rule.weekStart, minimumDays: 4).start(ofWeekOf: startDay)
  }

  /// False beyond the last year.
  private mutating func fill(steps: inout Int) -> Bool {
    steps &+= 1
    chosen.removeAll(keepingCapacity: true)
    cursor = 0
    let first = Civil.date(startDay)
    let step = period * recurrence.rule.interval
    switch recurrence.rule.frequency {
    case .yearly:
      let year = first.year + step
      guard year < RecurrenceTimes.endYear else { return false }
      choose(of: years.days(year, steps: &steps), from: Civil.days(year, 1, 1), steps: &steps)
    case .monthly:
      let month = first.month - 1 + step
      let (year, monthOfYear) = (first.year + month / 12, month % 12 + 1)
      guard year < RecurrenceTimes.endYear else { return false }
      let start = Civil.days(year, monthOfYear, 1)
      let days = years.days(year, steps: &steps)
      let bits = days.bits(from: start - Civil.days(year, 1, 1))
      choose(of: bits, count: Civil.length(ofMonth: monthOfYear, year), from: start, steps: &steps)
    default:
      let start = firstWeek + 7 * step
      let (year, monthOfYear, _) = Civil.date(start)
      guard year < RecurrenceTimes.endYear else { return false }
      let yearStart = Civil.days(year, 1, 1)
      var bits = years.days(year, steps: &steps).bits(from: start - yearStart)
      let inYear = yearStart + (Civil.isLeap(year) ? 366 : 365) - start
      if monthOfYear == 12, inYear < 7 {
        bits |= years.days(year + 1, steps: &steps).bits(from: 0) << UInt64(inYear)
      }
      choose(of: bits, count: 7, from: start, steps: &steps)
    }
    return true
  }

  private mutating func choose(of bits: UInt64, count: Int, from start: Int, steps: inout Int) {
    let bits = bits & (.max >> UInt64(64 - count))
    if bits.nonzeroBitCount * recurrence.times.count >= fewest {
      choose(of: DaySet(bits: bits), from: start, steps: &steps)
    }
  }

  private mutating func choose(of days: DaySet, from start: Int, steps: inout Int) {
    let times = recurrence.times
    let count = days.count * times.count
    guard count >= fewest else { return }
    steps &+= 4 * recurrence.rule.setPositions.count
    chosen = recurrence.rule.positions(among: count).map { position in
      (start + days.day(at: position / times.count)) * Civil.secondsPerDay + times[position % times.count]
    }
  }
}
