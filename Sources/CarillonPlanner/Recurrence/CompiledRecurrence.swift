import CarillonModel

/// A recurrence whose rule has been read, with its zone.
struct CompiledRecurrence: Sendable {
  let rule: RecurrenceRule
  let start: LocalDateTime
  let except: Set<Int>
  let zone: ZoneTable

  init(_ trigger: RecurrenceTrigger, zone: ZoneTable) throws(TriggerRefusal) {
    rule = try RecurrenceRule(trigger.rule, start: trigger.start)
    start = trigger.start
    except = Set(trigger.except.map { Int($0.wallSeconds) })
    self.zone = zone
  }

  /// The first fire strictly after an instant.
  func next(after now: Int) -> Fire? {
    var fires = RecurrenceFires(self, after: now)
    return fires.next()
  }
}
