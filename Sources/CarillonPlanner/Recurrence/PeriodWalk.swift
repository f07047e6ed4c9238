import CarillonModel

/// Goes through the times of a rule whose BYSETPOS chooses among the days of a year, a month or a week.
struct PeriodWalk {
  private let recurrence: CompiledRecurrence
  private let positions: SetPositions
  /// No period with fewer times has one at any of the rule's positions.
  private let fewest: Int
  private var years: RuleYears

  /// The present period: its first day, its length in days, and the year of its first day.
  private var start = 0
  private var length = 0
  private var year = 0
  private var month = 1
  private var yearStart = 0
  private var yearLength = 0
  private var days = DaySet()
  private var isOver = false

  /// The chosen times of the present period.
  private var chosen: [Int] = []
  private var cursor = 0
  /// How many are chosen among so many, as far as was asked; few numbers of times come up.
  private var counts: [(of: Int, chosen: Int)] = []

  init(_ recurrence: CompiledRecurrence, positions: SetPositions, fewest: Int) {
    self.recurrence = recurrence
    self.positions = positions
    self.fewest = fewest
    years = RuleYears(recurrence.rule)
  }

  mutating func next(steps: inout Int) -> Int? {
    steps &+= 1
    while cursor == chosen.count {
      guard !isOver else { return nil }
      advance(steps: &steps)
      fill(steps: &steps)
    }
    defer { cursor += 1 }
    return chosen[cursor]
  }

  /// Enters the last period that does not begin after a wall time, which is not before the rule's start.
  mutating func seek(_ wall: Int, steps: inout Int) {
    let (first, last) = (startDay, Civil.floorDivide(wall, Civil.secondsPerDay))
    let (firstDate, lastDate) = (Civil.date(first), Civil.date(last))
    let interval = recurrence.rule.interval
    switch recurrence.rule.frequency {
    case .yearly:
      enter(year: firstDate.year + (lastDate.year - firstDate.year) / interval * interval, steps: &steps)
    case .monthly:
      let distance = (lastDate.year - firstDate.year) * 12 + lastDate.month - firstDate.month
      enter(
        year: firstDate.year, month: firstDate.month + distance / interval * interval, steps: &steps)
    default:
      enter(week: firstWeek + (last - firstWeek) / (7 * interval) * (7 * interval), steps: &steps)
    }
    fill(steps: &steps)
  }

  /// Enters the same period, and counts what the rule gives from its start up to there.
  ///
  /// - Returns: when it is more than `limit`, any number above it.
  mutating func count(before wall: Int, atMost limit: Int, steps: inout Int) -> Int {
    seek(wall, steps: &steps)
    let target = start
    seek(recurrence.start, steps: &steps)
    guard start < target else { return 0 }
    var total = chosen.count { $0 >= recurrence.start }
    if recurrence.rule.frequency == .weekly, recurrence.rule.months == 0 {
      // All weeks are alike, but for where the rule starts.
      advance(steps: &steps)
      let weeks = (target - start) / (7 * recurrence.rule.interval)
      total += weeks * chosenCount(among: timeCount(&steps))
      seek(wall, steps: &steps)
      return total
    }
    while !isOver, total <= limit {
      advance(steps: &steps)
      if start >= target { break }
      let count = timeCount(&steps)
      if count >= fewest { total += chosenCount(among: count) }
    }
    fill(steps: &steps)
    return total
  }

  private mutating func chosenCount(among count: Int) -> Int {
    for entry in counts where entry.of == count { return entry.chosen }
    let chosen = positions.chosenCount(among: count)
    counts.append((count, chosen))
    return chosen
  }

  // MARK: Periods

  private var startDay: Int { Civil.floorDivide(recurrence.start, Civil.secondsPerDay) }

  private var firstWeek: Int {
    WeekRule(firstWeekday: recurrence.rule.weekStart, minimumDays: 4).start(ofWeekOf: startDay)
  }

  private mutating func advance(steps: inout Int) {
    let interval = recurrence.rule.interval
    switch recurrence.rule.frequency {
    case .yearly: enter(year: year + interval, steps: &steps)
    case .monthly: enter(year: year, month: month + interval, steps: &steps)
    default: enter(week: start + 7 * interval, steps: &steps)
    }
  }

  private mutating func load(year: Int, steps: inout Int) {
    guard year < RecurrenceTimes.endYear else {
      isOver = true
      days = DaySet()
      return
    }
    isOver = false
    self.year = year
    yearStart = Civil.days(year, 1, 1)
    yearLength = Civil.isLeap(year) ? 366 : 365
    days = years.days(year, steps: &steps)
  }

  private mutating func enter(year: Int, steps: inout Int) {
    load(year: year, steps: &steps)
    (start, length) = (Civil.days(year, 1, 1), 366)
  }

  /// - Parameter month: may lie in a later year.
  private mutating func enter(year: Int, month: Int, steps: inout Int) {
    steps &+= 1
    let wanted = year + (month - 1) / 12
    if wanted != self.year || yearLength == 0 { load(year: wanted, steps: &steps) }
    self.month = (month - 1) % 12 + 1
    start = Civil.days(wanted, self.month, 1)
    length = Civil.length(ofMonth: self.month, wanted)
  }

  private mutating func enter(week: Int, steps: inout Int) {
    steps &+= 1
    start = week
    length = 7
    guard week < yearStart || week >= yearStart + yearLength else { return }
    load(year: Civil.date(week).year, steps: &steps)
  }

  /// The days of the present month or week.
  private mutating func bits(_ steps: inout Int) -> UInt64 {
    guard !isOver else { return 0 }
    var bits = days.bits(from: start - yearStart)
    let inYear = yearStart + yearLength - start
    if inYear < length { bits |= years.days(year + 1, steps: &steps).bits(from: 0) << UInt64(inYear) }
    return bits & (.max >> UInt64(64 - length))
  }

  private mutating func timeCount(_ steps: inout Int) -> Int {
    (length > 64 ? days.count : bits(&steps).nonzeroBitCount) * recurrence.times.count
  }

  private mutating func fill(steps: inout Int) {
    steps &+= 1
    chosen.removeAll(keepingCapacity: true)
    cursor = 0
    let days = length > 64 ? days : DaySet(bits: bits(&steps))
    let times = recurrence.times
    let count = days.count * times.count
    guard !isOver, count >= fewest else { return }
    positions.forEach(among: count) { position in
      chosen.append(
        (start + days.day(at: position / times.count)) * Civil.secondsPerDay + times[position % times.count])
    }
    steps &+= 4 * chosen.count
  }
}
