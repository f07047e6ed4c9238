import CarillonModel

/// The fires of a recurrence in their order, each once. A value: a copy goes on by itself.
struct RecurrenceFires {
  private let recurrence: CompiledRecurrence
  private var times: RecurrenceTimes
  private let until: Int
  private let after: Int
  /// Fires of wall times that a gap swallowed, ascending: they ring among what the clock shows after the gap.
  private var swallowed: [Fire] = []
  private var nextSwallowed = 0
  /// The next fire whose wall time the clock shows.
  private var shown: Fire?
  private var last = Int.min
  private var isAtEnd = false

  /// - Parameter now: only fires strictly after it are given.
  init(_ trigger: RecurrenceTrigger, zone: ZoneTable, after now: Int) throws(TriggerRefusal) {
    self.init(try CompiledRecurrence(trigger, zone: zone), after: now)
  }

  init(_ recurrence: CompiledRecurrence, after now: Int) {
    self.recurrence = recurrence
    if case .instant(let end) = recurrence.rule.until { until = end } else { until = .max }
    after = now
    times = RecurrenceTimes(recurrence, from: recurrence.zone.firstOpenWall(after: now))
  }

  /// How much was looked at so far, in units of some ten nanoseconds.
  var steps: Int { times.steps }

  mutating func next() -> Fire? {
    while true {
      if shown == nil, !isAtEnd { pull() }
      let fire: Fire
      if nextSwallowed < swallowed.count, swallowed[nextSwallowed].at <= shown?.at ?? .max {
        fire = swallowed[nextSwallowed]
        nextSwallowed += 1
      } else if let next = shown {
        fire = next
        shown = nil
      } else {
        return nil
      }
      if fire.at > until { return nil }
      if fire.at <= last || fire.at <= after { continue }
      last = fire.at
      return fire
    }
  }

  /// Goes on to the next time that the clock shows; a gap is at most a day long.
  private mutating func pull() {
    while let wall = times.next() {
      if !recurrence.except.isEmpty, recurrence.isExcepted(wall) { continue }
      let reading = recurrence.zone.rawReading(wall)
      let fire = Fire(at: reading.fire, wall: wall, isUnique: reading.kind == .unique)
      if reading.kind == .skipped {
        swallowed.append(fire)
      } else {
        shown = fire
        return
      }
    }
    isAtEnd = true
  }
}
