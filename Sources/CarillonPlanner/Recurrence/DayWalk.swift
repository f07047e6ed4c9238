import CarillonModel

/// Goes through the times of a rule day by day: for all rules but those whose BYSETPOS chooses among days.
struct DayWalk {
  private let recurrence: CompiledRecurrence
  private let startDay: Int
  private var years: RuleYears

  private var year = 0
  /// The day number of the year's first day.
  private var yearStart = 0
  private var days = DaySet()
  /// Days after the year's first.
  private var day = 0
  private var slot = 0
  /// Where the present times start, in seconds of wall time, and which of them comes next.
  private var base = 0
  private var nextTime: Int

  init(_ recurrence: CompiledRecurrence) {
    self.recurrence = recurrence
    startDay = Civil.floorDivide(recurrence.start, Civil.secondsPerDay)
    years = RuleYears(recurrence.rule)
    nextTime = recurrence.times.count
  }

  mutating func next(steps: inout Int) -> Int? {
    steps &+= 1
    while nextTime == recurrence.times.count {
      if let slots = recurrence.slots,
        let found = slots.first(from: slot + 1, on: yearStart + day, steps: &steps)
      {
        enter(slot: found, of: slots)
      } else if !enterNextDay(steps: &steps) {
        return nil
      }
    }
    defer { nextTime += 1 }
    return base + recurrence.times[nextTime]
  }

  private mutating func enter(slot: Int, of slots: DaySlots) {
    self.slot = slot
    base = (yearStart + day) * Civil.secondsPerDay + slot * slots.length
    nextTime = 0
  }

  private mutating func enterNextDay(steps: inout Int) -> Bool {
    var from = day + 1
    while true {
      steps &+= 1
      if let found = days.first(from: from) {
        day = found
        break
      }
      from = 0
      guard load(year + 1, steps: &steps) else { return false }
    }
    base = (yearStart + day) * Civil.secondsPerDay
    nextTime = 0
    if let slots = recurrence.slots {
      // The days without a slot are not among these.
      if let slot = slots.first(from: 0, on: yearStart + day, steps: &steps) { enter(slot: slot, of: slots) }
    }
    return true
  }

  private mutating func load(_ year: Int, steps: inout Int) -> Bool {
    guard year < RecurrenceTimes.endYear else { return false }
    self.year = year
    yearStart = Civil.days(year, 1, 1)
    days = selected(year, yearStart, steps: &steps)
    return true
  }

  /// Lets the next time be the first that is not before `wall`.
  mutating func seek(_ wall: Int, steps: inout Int) {
    let number = Civil.floorDivide(wall, Civil.secondsPerDay)
    guard load(Civil.date(number).year, steps: &steps) else { return }
    day = number - yearStart
    nextTime = recurrence.times.count
    guard days.contains(day) else {
      slot = recurrence.slots?.perDay ?? 0
      return
    }
    base = number * Civil.secondsPerDay
    guard let slots = recurrence.slots else {
      nextTime = timesBefore(wall - base)
      return
    }
    let wanted = (wall - base) / slots.length
    slot = slots.perDay
    guard let found = slots.first(from: wanted, on: number, steps: &steps) else { return }
    enter(slot: found, of: slots)
    if found == wanted { nextTime = timesBefore(wall - base) }
  }

  /// How many times the rule gives from its start on that are before `wall`; once it is clear that they are more
  /// than `limit`, any number above it.
  mutating func count(before wall: Int, atMost limit: Int, steps: inout Int) -> Int {
    let number = Civil.floorDivide(wall, Civil.secondsPerDay)
    let lastYear = Civil.date(number).year
    var year = Civil.date(startDay).year
    var total = -countInYear(year, before: recurrence.start, steps: &steps)
    while year < lastYear, year < RecurrenceTimes.endYear, total <= limit {
      let start = Civil.days(year, 1, 1)
      total += count(of: selected(year, start, steps: &steps), before: 366, from: start, steps: &steps)
      year += 1
    }
    return total > limit ? total : total + countInYear(year, before: wall, steps: &steps)
  }

  private mutating func countInYear(_ year: Int, before wall: Int, steps: inout Int) -> Int {
    let start = Civil.days(year, 1, 1)
    let days = selected(year, start, steps: &steps)
    let number = Civil.floorDivide(wall, Civil.secondsPerDay)
    let total = count(of: days, before: number - start, from: start, steps: &steps)
    guard days.contains(number - start) else { return total }
    let rest = wall - number * Civil.secondsPerDay
    guard let slots = recurrence.slots else { return total + timesBefore(rest) }
    let wanted = rest / slots.length
    var slotCount = 0
    var slot = slots.first(from: 0, on: number, steps: &steps)
    while let present = slot, present < wanted {
      slotCount += 1
      slot = slots.first(from: present + 1, on: number, steps: &steps)
    }
    let own = slot == wanted ? timesBefore(rest - wanted * slots.length) : 0
    return total + slotCount * recurrence.times.count + own
  }

  /// The times of the days before `end`.
  private func count(of days: DaySet, before end: Int, from yearStart: Int, steps: inout Int) -> Int {
    guard let slots = recurrence.slots else { return days.count(before: end) * recurrence.times.count }
    var total = 0
    var day = 0
    while let found = days.first(from: day), found < end {
      steps &+= 1
      total += slots.count(on: yearStart + found) * recurrence.times.count
      day = found + 1
    }
    return total
  }

  private func timesBefore(_ time: Int) -> Int {
    var (low, high) = (0, recurrence.times.count)
    while low < high {
      let middle = (low + high) / 2
      if recurrence.times[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: Intervals

  /// The days of a year that pass the BY parts and lie in one of the rule's periods.
  private mutating func selected(_ year: Int, _ start: Int, steps: inout Int) -> DaySet {
    let rule = recurrence.rule
    if rule.frequency == .yearly, rule.interval > 1 {
      let startYear = Civil.date(startDay).year
      guard (year - startYear) % rule.interval == 0 else { return DaySet() }
    }
    var days = years.days(year, steps: &steps)
    switch rule.frequency {
    case .yearly: break
    case .monthly: if rule.interval > 1 { days.formIntersection(months(of: year)) }
    case .weekly: if rule.interval > 1 { days.formIntersection(weeks(from: start)) }
    case .daily:
      if let every = recurrence.everyOtherDay { days.formIntersection(every, phase: start - startDay) }
    case .hourly, .minutely:
      if let having = recurrence.slots?.days { days.formIntersection(having, phase: start) }
    }
    return days
  }

  private func months(of year: Int) -> DaySet {
    let first = Civil.date(startDay)
    var days = DaySet()
    var start = 0
    for month in 1...12 {
      let length = Civil.length(ofMonth: month, year)
      let distance = (year - first.year) * 12 + month - first.month
      if distance % recurrence.rule.interval == 0 { days.insert(start..<(start + length)) }
      start += length
    }
    return days
  }

  private func weeks(from yearStart: Int) -> DaySet {
    let week = WeekRule(firstWeekday: recurrence.rule.weekStart, minimumDays: 4)
    let period = 7 * recurrence.rule.interval
    let first = week.start(ofWeekOf: startDay)
    // The first that reaches into the year.
    var start = Civil.floorDivide(yearStart - 7 - first, period) * period + period + first - yearStart
    var days = DaySet()
    while start < 366 {
      days.insert(start..<(start + 7))
      start += period
    }
    return days
  }
}
