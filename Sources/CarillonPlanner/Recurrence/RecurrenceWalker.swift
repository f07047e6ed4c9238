import CarillonModel

/// Gives the wall times of a rule one after another, period by period.
struct RecurrenceWalker {
  /// Most days looked at from one time to the next, so that a rule which never matches costs no more than a fifth
  /// of a millisecond: two decades of all days, and far more where the rule names months.
  static let mostSteps = 15_000
  /// 2200-01-01 on any wall clock; times beyond it cannot be written.
  static let end = Civil.days(2200, 1, 1) * Civil.secondsPerDay

  private let rule: RecurrenceRule
  private let start: Int
  private let times: [Int]
  private var period: Int
  private var steps = 0
  private var left: Int

  /// The matching days of the present period, and which of their times come next.
  private var days: [Int] = []
  private var positions: [Int]?
  private var cursor = 0

  /// - Parameter wall: times before it may be left out, which saves walking there; not where COUNT needs them.
  init(_ rule: RecurrenceRule, start: LocalDateTime, from wall: Int) {
    self.rule = rule
    self.start = Int(start.wallSeconds)
    times = rule.times
    left = rule.count ?? .max
    period = 0
    if rule.count == nil, wall > self.start { period = max(0, index(of: wall)) }
    fill()
  }

  /// The next wall time in seconds; nil at the rule's end, or when the search has taken too long.
  mutating func next() -> Int? {
    while left > 0 {
      guard let wall = nextInPeriod() else {
        guard advance() else { return nil }
        continue
      }
      if wall < start { continue }
      if wall >= Self.end { return nil }
      if case .wall(let until) = rule.until, wall > until { return nil }
      left -= 1
      steps = 0
      return wall
    }
    return nil
  }

  private mutating func nextInPeriod() -> Int? {
    if let positions {
      guard cursor < positions.count else { return nil }
      defer { cursor += 1 }
      return days[positions[cursor] / times.count] + times[positions[cursor] % times.count]
    }
    guard cursor < days.count * times.count else { return nil }
    defer { cursor += 1 }
    return days[cursor / times.count] + times[cursor % times.count]
  }

  /// Goes to the next period; false when the search is over.
  private mutating func advance() -> Bool {
    period += 1
    fill()
    return steps < Self.mostSteps && base(period) < Self.end / Civil.secondsPerDay
  }

  // MARK: Periods

  /// The first day of a period, as a day number.
  private func base(_ period: Int) -> Int {
    let day = Civil.floorDivide(start, Civil.secondsPerDay)
    let date = Civil.date(day)
    let step = period * rule.interval
    switch rule.frequency {
    case .yearly: return Civil.days(date.year + step, 1, 1)
    case .monthly:
      let month = date.month - 1 + step
      return Civil.days(date.year + month / 12, month % 12 + 1, 1)
    case .weekly:
      return WeekRule(firstWeekday: rule.weekStart, minimumDays: 4).start(ofWeekOf: day) + 7 * step
    case .daily: return day + step
    case .hourly: return Civil.floorDivide(Civil.floorDivide(start, 3600) + step, 24)
    }
  }

  /// The last period that does not start after a wall time.
  private func index(of wall: Int) -> Int {
    let (from, to) = (
      Civil.floorDivide(start, Civil.secondsPerDay), Civil.floorDivide(wall, Civil.secondsPerDay)
    )
    let (first, last) = (Civil.date(from), Civil.date(to))
    switch rule.frequency {
    case .yearly: return (last.year - first.year) / rule.interval
    case .monthly: return ((last.year - first.year) * 12 + last.month - first.month) / rule.interval
    case .weekly: return (to - base(0)) / 7 / rule.interval
    case .daily: return (to - from) / rule.interval
    case .hourly: return (Civil.floorDivide(wall, 3600) - Civil.floorDivide(start, 3600)) / rule.interval
    }
  }

  private mutating func fill() {
    days.removeAll(keepingCapacity: true)
    cursor = 0
    let first = base(period)
    if rule.frequency == .hourly { return fillHour(first) }
    let date = Civil.date(first)
    let length =
      switch rule.frequency {
      case .yearly: Civil.isLeap(date.year) ? 366 : 365
      case .monthly: Civil.length(ofMonth: date.month, date.year)
      case .weekly: 7
      case .daily, .hourly: 1
      }
    if rule.frequency == .yearly, rule.months != 0 {
      for month in 1...12 where rule.months >> UInt64(month) & 1 != 0 {
        fillDays(Civil.days(date.year, month, 1), Civil.length(ofMonth: month, date.year))
      }
    } else {
      fillDays(first, length)
    }
    if days.isEmpty, rule.frequency == .daily { skipMonth(date.year, date.month) }
    choosePositions()
  }

  private mutating func fillDays(_ first: Int, _ length: Int) {
    for day in first..<(first + length) where rule.matches(day) { days.append(day * Civil.secondsPerDay) }
    steps += length
  }

  private mutating func fillHour(_ day: Int) {
    steps += 1
    let hour = Civil.floorDivide(start, 3600) + period * rule.interval
    if rule.matches(day) {
      if rule.hours == 0 || rule.hours >> UInt64(hour - day * 24) & 1 != 0 { days.append(hour * 3600) }
    } else {
      let date = Civil.date(day)
      skip(to: day + 1, 24)
      skipMonth(date.year, date.month)
    }
    choosePositions()
  }

  /// Where a month is not among the rule's, nothing before the next one needs a look.
  private mutating func skipMonth(_ year: Int, _ month: Int) {
    guard rule.months != 0, rule.months >> UInt64(month) & 1 == 0 else { return }
    let next = month == 12 ? Civil.days(year + 1, 1, 1) : Civil.days(year, month + 1, 1)
    skip(to: next, rule.frequency == .hourly ? 24 : 1)
  }

  /// Lets the next period be the first that starts on `day` or later.
  private mutating func skip(to day: Int, _ perDay: Int) {
    let from = Civil.floorDivide(start, Civil.secondsPerDay / perDay)
    let wanted = (day * perDay - from + rule.interval - 1) / rule.interval
    period = max(period, wanted - 1)
  }

  private mutating func choosePositions() {
    guard !rule.setPositions.isEmpty else { return }
    let count = days.count * times.count
    let chosen = rule.setPositions.map { $0 > 0 ? $0 - 1 : count + $0 }
    positions = Set(chosen.filter { (0..<count).contains($0) }).sorted()
  }
}
