import CarillonModel

/// What fires more than once: a repeating request where iOS does exactly the same, else one-time requests inside
/// the horizon.
extension Gatherer {
  mutating func addRepeating(
    _ index: Int, _ entry: CompiledQueue.Entry, _ calendar: UnsafePointer<CompiledQueue.Calendar>
  ) {
    guard let fire = calendar.pointee.next(after: now) else {
      let end = calendar.pointee.hasEnd ? Int64(calendar.pointee.bounded.end) * 1000 : .max
      return endForGood(index, entry, end, else: frame.queue[index].acceptedAt.milliseconds)
    }
    guard fire.milliseconds <= entry.expiry else { return expire(index, entry.expiry) }
    if repeatsOnItsOwn(entry, calendar, fire) {
      guard append(index, entry, fire.milliseconds, .repeating, .original) else { return }
      // iOS would go on beyond the end, so the device must have come back before.
      if entry.expiry != .max || calendar.pointee.hasEnd { result.cutHorizon(at: endOfHorizon) }
    } else {
      let isAdded = expand(index, entry, from: fire, isWallTime: calendar.pointee.isWallTime) {
        calendar.pointee.bounded.next(after: $0)
      }
      guard isAdded else { return }
    }
    guard counts else { return }
    result.repeaters.add(
      calendar.pointee.bounded, first: fire, after: now, type: entry.type, expiry: entry.expiry,
      isDevicesZone: calendar.pointee.isDevicesZone)
  }

  mutating func addInterval(_ index: Int, _ entry: CompiledQueue.Entry) {
    let period = compiled.periods[Int(entry.rule)]
    let elapsed = frame.now - entry.fire
    let fire = entry.fire + (elapsed < 0 ? 1 : elapsed / period + 1) * period
    guard fire <= entry.expiry else { return expire(index, entry.expiry) }
    guard append(index, entry, fire, .repeating, .original) else { return }
    // iOS would go on beyond it, so the device must have come back before.
    if entry.expiry != .max { result.cutHorizon(at: min(endOfHorizon, entry.expiry)) }
    guard counts else { return }
    result.repeaters.addGrid(first: fire, period: period, expiry: entry.expiry, type: entry.type)
  }

  mutating func addRecurrence(
    _ index: Int, _ entry: CompiledQueue.Entry, _ recurrence: CompiledQueue.Recurrence
  ) {
    var fires = RecurrenceFires(recurrence.compiled, after: now)
    guard let first = fires.next() else { return endForGood(index, entry, else: entry.fire) }
    guard first.milliseconds <= entry.expiry else { return expire(index, entry.expiry) }
    let rest = fires
    let isAdded = expand(index, entry, from: first, isWallTime: recurrence.isWallTime) { _ in fires.next() }
    guard isAdded, counts else { return }
    result.repeaters.add(
      Repeater(type: entry.type, next: first.milliseconds, expiry: entry.expiry, source: .recurrence(rest)))
  }

  /// What repeats and comes no more is over when it ends or expires, whichever is first: a time that stays what it is,
  /// whenever one asks.
  private mutating func endForGood(
    _ index: Int, _ entry: CompiledQueue.Entry, _ end: Int64 = .max, else start: Int64
  ) {
    let over = min(end, entry.expiry)
    expire(index, over == .max ? start : over)
  }

  // MARK: Repeating or expanded

  /// Whether iOS, told to repeat, does exactly the same inside the horizon.
  private func repeatsOnItsOwn(
    _ entry: CompiledQueue.Entry, _ calendar: UnsafePointer<CompiledQueue.Calendar>, _ fire: Fire
  ) -> Bool {
    guard calendar.pointee.repeatsLikeApple, calendar.pointee.bounded.end > horizon,
      entry.expiry == .max || entry.expiry >= Int64(horizon) * 1000
    else { return false }
    if calendar.pointee.bounded.start > now + 1,
      calendar.pointee.bounded.rule.next(after: now, in: calendar.pointee.bounded.zone) != fire
    {
      return false
    }
    if isSteady, calendar.pointee.isDevicesZone { return true }
    return !calendar.pointee.bounded.meetsClockChange(after: now, through: horizon)
  }

  /// One-time requests for what iOS cannot repeat: those inside the horizon, and always the next.
  ///
  /// - Returns: false when it is withheld.
  private mutating func expand(
    _ index: Int, _ entry: CompiledQueue.Entry, from first: Fire, isWallTime: Bool,
    next: (_ after: Int) -> Fire?
  ) -> Bool {
    var fire = first
    var count = 0
    repeat {
      let held: Candidate.HeldTrigger = isWallTime && fire.isUnique ? .local(wall: fire.wall) : .instant
      let number = Int32(result.occurrenceIDs.count)
      guard append(index, entry, fire.milliseconds, .occurrence, held, complete: { $0.occurrence = number })
      else { return false }
      result.occurrenceIDs.append(
        frame.made(frame.queue[index].head.id.occurrence(atWall: fire.wall)))
      count += 1
      guard let following = next(fire.at), following.milliseconds <= entry.expiry else { return true }
      fire = following
    } while fire.at <= horizon && count < Planner.mostOccurrences
    result.cutHorizon(at: min(endOfHorizon, fire.milliseconds))
    return true
  }

  /// The horizon's last local day begins here, in milliseconds: the plan does not change with every second that
  /// passes.
  private var endOfHorizon: Int64 {
    let day = Civil.floorDivide(horizon + frame.zone.offset(at: horizon), Civil.secondsPerDay)
    let start = frame.zone.firstInstant(ofDay: day)
    // A horizon of one day may end on the day that is 25 hours long.
    return Int64(start > now ? start : horizon) * 1000
  }
}

extension Fire {
  var milliseconds: Int64 { Int64(at) * 1000 }
}
