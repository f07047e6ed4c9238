import CarillonModel

/// The fires of a recurrence in their order, each once. A value: a copy goes on by itself.
struct RecurrenceFires {
  private var walker: RecurrenceWalker
  private let zone: ZoneTable
  private let except: Set<Int>
  private let until: Int
  private let after: Int
  /// Fires of wall times a gap swallowed may come after those of later wall times.
  private var pending: [Fire] = []
  private var settled = Int.min
  private var last = Int.min
  private var isAtEnd = false

  /// - Parameter now: only fires strictly after it are given.
  init(_ trigger: RecurrenceTrigger, zone: ZoneTable, after now: Int) throws(TriggerRefusal) {
    self.init(try CompiledRecurrence(trigger, zone: zone), after: now)
  }

  init(_ recurrence: CompiledRecurrence, after now: Int) {
    zone = recurrence.zone
    except = recurrence.except
    if case .instant(let end) = recurrence.rule.until { until = end } else { until = .max }
    after = now
    // A gap is at most a day long.
    let from = now + zone.offset(at: now) - 2 * Civil.secondsPerDay
    walker = RecurrenceWalker(recurrence.rule, start: recurrence.start, from: from)
  }

  mutating func next() -> Fire? {
    while true {
      if let soonest = pending.indices.min(by: { pending[$0].at < pending[$1].at }),
        isAtEnd || pending[soonest].at <= settled
      {
        let fire = pending.remove(at: soonest)
        if fire.at > until { return nil }
        if fire.at <= last || fire.at <= after { continue }
        last = fire.at
        return fire
      }
      if isAtEnd { return nil }
      pull()
    }
  }

  private mutating func pull() {
    guard let wall = walker.next() else {
      isAtEnd = true
      return
    }
    let reading = zone.rawReading(wall)
    if reading.kind != .skipped { settled = reading.fire }
    guard !except.contains(wall) else { return }
    pending.append(Fire(at: reading.fire, wall: wall, isUnique: reading.kind == .unique))
  }
}
