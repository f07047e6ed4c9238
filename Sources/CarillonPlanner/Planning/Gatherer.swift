import CarillonModel

/// Turns the queue into candidates: when each fires next, and what is past, refused or of no use.
struct Gatherer: ~Copyable {
  let frame: Frame
  let compiled: CompiledQueue
  let priorities: [Int32]
  /// What repeats is kept for the caps.
  let counts: Bool
  /// Expansions end here, in seconds since 1970.
  let horizon: Int
  /// The device's clock keeps its offset through all of the horizon.
  let isSteady: Bool
  var result = Gathered()
  /// Where candidates are written, as many as there are entries, and what an expansion has beyond.
  private var room = UnsafeMutableBufferPointer<Candidate>(start: nil, count: 0)
  private var spill: [Candidate] = []
  private var count = 0
  /// The compiled entry that is looked at.
  private var place = 0
  private var singles: UnsafeMutablePointer<Int32>?
  private var delivered: DeliveredIDs?

  var now: Int { frame.nowSeconds }

  /// - Parameters:
  ///   - priorities: effective ones, by type.
  ///   - counts: whether what repeats is kept for the caps.
  init(_ frame: Frame, _ compiled: CompiledQueue, priorities: [Int32], counts: Bool) {
    self.frame = frame
    self.compiled = compiled
    self.priorities = priorities
    self.counts = counts
    horizon = frame.nowSeconds + frame.policy.horizonDays * Civil.secondsPerDay
    isSteady = frame.zone.isSteady(
      from: frame.nowSeconds - Civil.secondsPerDay, to: horizon + Civil.secondsPerDay)
    result.areAllCompiled = compiled.onceByFire != nil && !frame.policy.adapts(priorities)
  }

  mutating func gather() {
    let candidates = [Candidate](unsafeUninitializedCapacity: compiled.entries.count) { room, filled in
      self.room = room
      if compiled.onceByFire == nil {
        addAll()
      } else {
        result.singles = [Int32](unsafeUninitializedCapacity: compiled.entries.count) { singles, filled in
          singles.initialize(repeating: -1)
          filled = singles.count
          self.singles = singles.baseAddress
          addAll()
        }
      }
      filled = min(count, compiled.entries.count)
    }
    result.candidates = candidates
    if !spill.isEmpty { result.candidates += spill }
  }

  private mutating func addAll() {
    compiled.entries.withUnsafeBufferPointer { entries in
      compiled.calendars.withUnsafeBufferPointer { calendars in
        for place in 0..<entries.count {
          self.place = place
          add(Int(entries[place].queued), entries[place], calendars)
        }
      }
    }
  }

  /// Hands over what was gathered, and keeps none of it.
  consuming func finish() -> Gathered { result }

  @inline(__always)
  private mutating func add(
    _ index: Int, _ entry: CompiledQueue.Entry, _ calendars: UnsafeBufferPointer<CompiledQueue.Calendar>
  ) {
    switch entry.kind {
    case .once: addOnce(index, entry, held: entry.isHeldAsWished ? .original : .instant)
    case .calendarOnce: addOnce(index, entry, calendars[Int(entry.rule)])
    case .calendar: addRepeating(index, entry, calendars.baseAddress! + Int(entry.rule))
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
    result.areAllCompiled = false
    addOnce(
      index, entry,
      held: isApples && fire.isUnique
        ? .original : calendar.isWallTime && fire.isUnique ? .local(wall: fire.wall) : .instant)
  }

  @inline(__always)
  private mutating func addOnce(
    _ index: Int, _ entry: CompiledQueue.Entry, held: Candidate.HeldTrigger
  ) {
    if !frame.delivered.isEmpty, let at = frame.delivered[frame.queue[index].head.id] {
      expire(index, min(entry.fire, at.milliseconds))
    } else if entry.fire <= frame.now {
      addPassed(index, entry, held)
    } else if entry.fire <= entry.expiry {
      append(index, entry, entry.fire, .single, held)
    } else {
      expire(index, entry.fire)
    }
  }

  /// A wish that has passed may still be to come, where quiet hours or a cap moved it: placing decides.
  private mutating func addPassed(
    _ index: Int, _ entry: CompiledQueue.Entry, _ held: Candidate.HeldTrigger
  ) {
    let wish = entry.fire
    if wish > entry.expiry || isOver(index, since: wish) { return expire(index, wish) }
    if frame.policy.moves, frame.reachability.refusal == nil {
      append(index, entry, wish, .single, held)
      return
    }
    guard let due = Overdue(frame.queue[index].head, at: frame.now) else { return expire(index, wish) }
    result.areAllCompiled = false
    let firstStep = Int32(result.steps.count)
    let isAdded = append(index, entry, due.time, .single, .instant) { candidate in
      candidate.firstStep = firstStep
      candidate.stepCount = 1
    }
    if isAdded { result.steps.append(due.step(from: wish)) }
  }

  /// It was delivered, or an earlier plan has given it up.
  private mutating func isOver(_ index: Int, since wish: Int64) -> Bool {
    if !frame.expired.isEmpty, frame.expired.contains(frame.queue[index].head.id) { return true }
    guard !frame.history.isEmpty else { return false }
    if delivered == nil { delivered = DeliveredIDs(frame.history) }
    return delivered?.contains(frame.queue[index].head.id, since: wish) ?? false
  }

  // MARK: What all have in common

  /// - Parameter complete: says what else is to be known of it.
  /// - Returns: false when it is withheld.
  @discardableResult
  @inline(__always)
  mutating func append(
    _ index: Int, _ entry: CompiledQueue.Entry, _ fire: Int64, _ form: Candidate.Form,
    _ held: Candidate.HeldTrigger, complete: (inout Candidate) -> Void = { _ in }
  ) -> Bool {
    let reach = frame.reachability.reach(of: entry.content)
    if frame.reachability.refusal != nil || reach == .none && frame.policy.withholdsUnreachable {
      withhold(index, fire, form, frame.reachability.refusal ?? .unreachable)
      return false
    }
    if form == .single {
      if let singles { singles[place] = Int32(truncatingIfNeeded: count) }
    } else if form != .location {
      result.unsettled.append(Int32(truncatingIfNeeded: count))
    }
    var candidate = Candidate(
      fire: fire, priority: priorities[Int(entry.type)], type: entry.type,
      entry: Int32(truncatingIfNeeded: index), compiled: Int32(truncatingIfNeeded: place), form: form,
      reach: reach, isWallTime: entry.isWallTime, trigger: held)
    complete(&candidate)
    if count < room.count {
      room.initializeElement(at: count, to: candidate)
    } else {
      spill.append(candidate)
    }
    count &+= 1
    return true
  }

  private mutating func withhold(
    _ index: Int, _ fire: Int64, _ form: Candidate.Form, _ reason: WithheldRequest.Reason
  ) {
    let head = frame.queue[index].head
    // What nobody could notice is late as well, once its time has passed.
    if form == .single, fire <= frame.now, Overdue(head, at: frame.now) == nil || wasDigested(index, fire) {
      expire(index, fire)
    } else {
      result.withheld.append(WithheldRequest(id: head.id, reason: reason))
    }
  }

  /// A digest that stood for it has been delivered. Placing asks the same of what is not withheld.
  private func wasDigested(_ index: Int, _ fire: Int64) -> Bool {
    let head = frame.queue[index].head
    let entry = compiled.entries[place]
    guard !frame.history.isEmpty, let group = head.group, let quietHours = frame.policy.policy.quietHours,
      frame.policy.rules[Int(entry.type)].digest, frame.policy.rules[Int(entry.type)].quietHours == .hold,
      !quietHours.exempt.contains(frame.reachability.effective(entry.level))
    else { return false }
    var windows = QuietWindows(quietHours, zone: frame.zone)
    guard let end = windows.end(of: fire), end != fire, end <= entry.expiry else { return false }
    return frame.wasDelivered(digestOf: group, end: end)
  }

  mutating func expire(_ index: Int, _ fire: Int64) {
    result.expired.append(
      ExpiredRequest(id: frame.queue[index].head.id, fireAt: Instant(milliseconds: fire)))
  }
}
