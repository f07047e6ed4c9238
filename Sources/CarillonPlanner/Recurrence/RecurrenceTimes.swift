import CarillonModel

/// Gives the wall times of a rule one after another.
struct RecurrenceTimes {
  /// 2200-01-01 on any wall clock; times beyond it cannot be written.
  static let endYear = 2200

  private let start: Int
  /// The first time wanted, and the last that can come.
  private let range: ClosedRange<Int>?
  /// What COUNT leaves.
  private var left: Int
  private var days: DayWalk?
  private var periods: PeriodWalk?
  /// What was looked at so far, in units of some ten nanoseconds.
  private(set) var steps = 0

  /// - Parameter wall: times before it are not given; COUNT counts them.
  init(_ recurrence: CompiledRecurrence, from wall: Int) {
    let rule = recurrence.rule
    start = recurrence.start
    left = rule.count ?? .max
    var last = Civil.days(Self.endYear, 1, 1) * Civil.secondsPerDay - 1
    if case .wall(let until) = rule.until { last = min(last, until) }
    let first = max(wall, start)
    range = first <= last && !recurrence.times.isEmpty ? first...last : nil
    guard range != nil else { return }
    if let positions = recurrence.positions {
      guard let fewest = positions.fewest else { return }
      var periods = PeriodWalk(recurrence, positions: positions, fewest: fewest)
      if rule.count != nil {
        left -= periods.count(before: first, atMost: left, steps: &steps)
      } else {
        periods.seek(first, steps: &steps)
      }
      self.periods = periods
    } else {
      var days = DayWalk(recurrence)
      if rule.count != nil { left -= days.count(before: first, atMost: left, steps: &steps) }
      days.seek(first, steps: &steps)
      self.days = days
    }
  }

  /// The next wall time in seconds; nil at the rule's end.
  mutating func next() -> Int? {
    guard let range else { return nil }
    while left > 0 {
      let found = days == nil ? periods?.next(steps: &steps) : days?.next(steps: &steps)
      guard let wall = found ?? nil, wall <= range.upperBound else { return nil }
      if wall < start { continue }
      left -= 1
      if wall >= range.lowerBound { return wall }
    }
    return nil
  }
}
