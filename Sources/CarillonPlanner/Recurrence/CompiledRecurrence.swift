import CarillonModel

/// A recurrence whose rule has been read, with its zone. Everything that does not depend on when one asks is made here,
/// once; all its walks share it.
final class CompiledRecurrence: Sendable {
  let rule: RecurrenceRule
  /// Seconds of wall time.
  let start: Int
  /// Ascending.
  let except: [Int]
  let zone: ZoneTable
  /// The times of the rule's cycle in seconds, ascending; what BYSETPOS takes out where it chooses inside one cycle
  /// is gone.
  let times: [Int]
  /// Where BYSETPOS chooses among days.
  let positions: SetPositions?
  /// The hours or minutes of an hourly or minutely rule.
  let slots: DaySlots?
  /// Every so many days, for a daily rule.
  let everyOtherDay: CyclicBits?

  init(_ trigger: RecurrenceTrigger, zone: ZoneTable) throws(TriggerRefusal) {
    let rule = try RecurrenceRule(trigger.rule, start: trigger.start)
    self.rule = rule
    self.zone = zone
    start = Int(trigger.start.wallSeconds)
    let exceptions = trigger.except.map { Int($0.wallSeconds) }
    let isSorted = zip(exceptions, exceptions.dropFirst()).allSatisfy { $0 <= $1 }
    except = isSorted ? exceptions : exceptions.sorted()
    let all = rule.allTimes
    times = rule.choosesDays ? all : rule.usedTimes(of: all)
    // A weekly rule has weekdays, its own or its start's.
    let longest =
      rule.frequency == .weekly ? rule.weekdays.nonzeroBitCount : rule.frequency == .monthly ? 31 : 366
    positions =
      rule.choosesDays ? SetPositions(rule.setPositions, most: longest * all.count) : nil
    slots =
      rule.frequency == .hourly || rule.frequency == .minutely ? DaySlots(rule, start: start) : nil
    everyOtherDay =
      rule.frequency == .daily && rule.interval > 1 ? CyclicBits(length: rule.interval, [0]) : nil
  }

  /// The first fire strictly after an instant.
  ///
  /// - Parameter steps: grows by what is looked at, in units of some ten nanoseconds.
  func next(after now: Int, steps: inout Int) -> Fire? {
    var fires = RecurrenceFires(self, after: now)
    let fire = fires.next()
    steps += fires.steps
    return fire
  }

  func isExcepted(_ wall: Int) -> Bool {
    var (low, high) = (0, except.count)
    while low < high {
      let middle = (low + high) / 2
      if except[middle] < wall { low = middle + 1 } else { high = middle }
    }
    return low < except.count && except[low] == wall
  }
}
