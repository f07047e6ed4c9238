import CarillonModel

/// Turns the queue into candidates: when each fires next, and what is past, refused or of no use.
struct Gatherer: ~Copyable {
  let frame: Frame
  let compiled: CompiledQueue
  let priorities: [Int32]
  /// Fires of what repeats matter to a cap.
  let counts: Bool
  /// Expansions end here, in seconds since 1970.
  let horizon: Int
  var result = Gathered()
  private var delivered: DeliveredIDs?

  var now: Int { frame.nowSeconds }

  /// - Parameter priorities: effective ones, by type.
  init(_ frame: Frame, _ compiled: CompiledQueue, priorities: [Int32]) {
    self.frame = frame
    self.compiled = compiled
    self.priorities = priorities
    counts = !frame.policy.policy.frequencyCaps.isEmpty
    horizon = frame.nowSeconds + frame.policy.horizonDays * Civil.secondsPerDay
    result.candidates.reserveCapacity(frame.queue.count)
    if compiled.onceByFire != nil { result.singles = [Int32](repeating: -1, count: frame.queue.count) }
    result.areAllCompiled = compiled.onceByFire != nil && !frame.policy.adapts(priorities)
  }

  mutating func gather() {
    compiled.entries.withUnsafeBufferPointer { entries in
      for index in 0..<entries.count { add(index, entries[index]) }
    }
  }

  /// Hands over what was gathered, and keeps none of it.
  consuming func finish() -> Gathered { result }

  @inline(__always)
  private mutating func add(_ index: Int, _ entry: CompiledQueue.Entry) {
    switch entry.kind {
    case .once: addOnce(index, entry)
    case .calendarOnce: addOnce(index, entry, compiled.calendars[Int(entry.rule)])
    case .calendar: addRepeating(index, entry, compiled.calendars[Int(entry.rule)])
    case .interval: addInterval(index, entry)
    case .recurrence: addRecurrence(index, entry, compiled.recurrences[Int(entry.rule)])
    case .location:
      if entry.expiry <= frame.now {
        expire(index, entry.expiry)
      } else {
        append(index, entry, 0, .location, .original)
      }
    case .rejected: result.rejected.append(compiled.refusals[Int(entry.rule)])
    }
  }

  // MARK: One-time requests

  private mutating func addOnce(
    _ index: Int, _ entry: CompiledQueue.Entry, _ calendar: CompiledQueue.Calendar
  ) {
    let accepted = frame.queue[index].acceptedAt
    guard let fire = calendar.bounded.onlyFire(acceptedAt: Int(accepted.seconds)) else {
      return expire(index, accepted.milliseconds)
    }
    let isApples =
      calendar.repeatsLikeApple
      && (fire.at <= now || calendar.bounded.rule.next(after: now, in: calendar.bounded.zone) == fire)
    var entry = entry
    entry.fire = fire.milliseconds
    entry.isWallTime = calendar.isWallTime
    entry.held =
      isApples && fire.isUnique
      ? .original : calendar.isWallTime && fire.isUnique ? .local(wall: fire.wall) : .instant
    result.areAllCompiled = false
    addOnce(index, entry)
  }

  @inline(__always)
  private mutating func addOnce(_ index: Int, _ entry: CompiledQueue.Entry) {
    if entry.fire <= frame.now {
      addPassed(index, entry)
    } else if entry.fire <= entry.expiry {
      append(index, entry, entry.fire, .single, entry.held)
    } else {
      expire(index, entry.fire)
    }
  }

  /// A wish that has passed may still be to come, where quiet hours or a cap moved it: placing decides.
  private mutating func addPassed(_ index: Int, _ entry: CompiledQueue.Entry) {
    let wish = entry.fire
    if wish > entry.expiry || isOver(index, since: wish) { return expire(index, wish) }
    if frame.policy.moves, frame.reachability.refusal == nil {
      append(index, entry, wish, .single, entry.held)
      return
    }
    guard let due = Overdue(frame.queue[index].head, at: frame.now) else { return expire(index, wish) }
    result.areAllCompiled = false
    guard append(index, entry, due.time, .single, .instant) else { return }
    let last = result.candidates.count - 1
    result.candidates[last].firstStep = Int32(result.steps.count)
    result.candidates[last].stepCount = 1
    result.steps.append(due.step(from: wish))
  }

  /// It was delivered, or an earlier plan has given it up.
  private mutating func isOver(_ index: Int, since wish: Int64) -> Bool {
    if !frame.expired.isEmpty, frame.expired.contains(frame.queue[index].head.id) { return true }
    guard !frame.history.isEmpty else { return false }
    if delivered == nil { delivered = DeliveredIDs(frame.history) }
    return delivered?.contains(frame.queue[index].head.id, since: wish) ?? false
  }

  // MARK: What all have in common

  /// - Returns: false when it is withheld.
  @discardableResult
  @inline(__always)
  mutating func append(
    _ index: Int, _ entry: CompiledQueue.Entry, _ fire: Int64, _ form: Candidate.Form,
    _ held: Candidate.HeldTrigger
  ) -> Bool {
    let reach = frame.reachability.reach(of: frame.queue[index].head.summary)
    if frame.reachability.refusal != nil || reach == .none && frame.policy.withholdsUnreachable {
      withhold(index, fire, form, frame.reachability.refusal ?? .unreachable)
      return false
    }
    if form == .single, !result.singles.isEmpty {
      result.singles[index] = Int32(truncatingIfNeeded: result.candidates.count)
    }
    result.candidates.append(
      Candidate(
        fire: fire, priority: priorities[Int(entry.type)], type: entry.type,
        entry: Int32(truncatingIfNeeded: index), form: form, reach: reach, isWallTime: entry.isWallTime,
        trigger: held))
    return true
  }

  private mutating func withhold(
    _ index: Int, _ fire: Int64, _ form: Candidate.Form, _ reason: WithheldRequest.Reason
  ) {
    let head = frame.queue[index].head
    // What nobody could notice is late as well, once its time has passed.
    if form == .single, fire <= frame.now, Overdue(head, at: frame.now) == nil {
      expire(index, fire)
    } else {
      result.withheld.append(WithheldRequest(id: head.id, reason: reason))
    }
  }

  mutating func expire(_ index: Int, _ fire: Int64) {
    result.expired.append(
      ExpiredRequest(id: frame.queue[index].head.id, fireAt: Instant(milliseconds: fire)))
  }
}
