import CarillonModel

/// What fires more than once: a repeating request where iOS does exactly the same, else one-time requests inside
/// the horizon.
extension Gatherer {
  mutating func addRepeating(_ index: Int, _ trigger: CalendarTrigger, _ calendar: BoundedCalendar) {
    guard let fire = calendar.next(after: now) else {
      let end =
        calendar.end < BoundedCalendar.always.end
        ? Int64(calendar.end) * 1000 : frame.queue[index].acceptedAt.milliseconds
      return expire(index, end)
    }
    guard !isPast(expiryOf: index, fire.milliseconds) else { return expire(index, fire.milliseconds) }
    let expiry = frame.queue[index].head.expiresAt
    if repeatsOnItsOwn(trigger, calendar, fire, expiry) {
      guard append(index, fire.milliseconds, .repeating, .original) else { return }
      // iOS would go on beyond the end, so the device must have come back before.
      if expiry != nil || trigger.endsAt != nil { result.cutHorizon(at: endOfHorizon) }
    } else {
      let isAdded = expand(index, from: fire, timeZone: trigger.timeZone) { calendar.next(after: $0) }
      guard isAdded else { return }
    }
    guard counts else { return }
    let type = Int(result.candidates[result.candidates.count - 1].type)
    result.repeaters.add(
      calendar, first: fire, after: now, type: type, expiry: expiry?.milliseconds ?? .max,
      isDevicesZone: calendar.zone.isSame(as: frame.zone))
  }

  mutating func addRepeating(_ index: Int, _ trigger: IntervalTrigger, anchor: Instant) {
    let fire = trigger.fire(after: Instant(milliseconds: frame.now), anchor: anchor).milliseconds
    guard !isPast(expiryOf: index, fire) else { return expire(index, fire) }
    guard append(index, fire, .repeating, .original) else { return }
    // iOS would go on beyond it, so the device must have come back before.
    if let expiry = frame.queue[index].head.expiresAt {
      result.cutHorizon(at: min(endOfHorizon, expiry.milliseconds))
    }
    guard counts else { return }
    result.repeaters.addGrid(
      first: fire, period: trigger.period, expiry: frame.queue[index].head.expiresAt?.milliseconds ?? .max,
      type: result.candidates[result.candidates.count - 1].type)
  }

  mutating func addRecurrence(_ index: Int, _ trigger: RecurrenceTrigger, zone: ZoneTable) {
    do {
      var fires = try RecurrenceFires(trigger, zone: zone, after: now)
      guard let first = fires.next() else {
        return expire(index, Int64(zone.rawReading(Int(trigger.start.wallSeconds)).fire) * 1000)
      }
      guard !isPast(expiryOf: index, first.milliseconds) else { return expire(index, first.milliseconds) }
      let rest = fires
      guard expand(index, from: first, timeZone: trigger.timeZone, next: { _ in fires.next() }), counts else {
        return
      }
      result.repeaters.add(
        Repeater(
          type: result.candidates[result.candidates.count - 1].type, next: first.milliseconds,
          expiry: frame.queue[index].head.expiresAt?.milliseconds ?? .max, source: .recurrence(rest)))
    } catch {
      result.rejected.append(
        RejectedRequest(
          id: frame.queue[index].head.id, pointer: error.pointer, code: error.code.rawValue,
          detail: error.detail))
    }
  }

  // MARK: Repeating or expanded

  /// Whether iOS, told to repeat, does exactly the same inside the horizon.
  private func repeatsOnItsOwn(
    _ trigger: CalendarTrigger, _ calendar: BoundedCalendar, _ fire: Fire, _ expiry: Instant?
  ) -> Bool {
    guard CalendarRule.repeatsLikeApple(trigger.components), calendar.end > horizon,
      expiry.map({ $0.milliseconds >= Int64(horizon) * 1000 }) ?? true
    else { return false }
    if calendar.start > now + 1, calendar.rule.next(after: now, in: calendar.zone) != fire { return false }
    return !calendar.meetsClockChange(after: now, through: horizon)
  }

  /// One-time requests for what iOS cannot repeat: those inside the horizon, and always the next.
  ///
  /// - Returns: false when it is withheld.
  private mutating func expand(
    _ index: Int, from first: Fire, timeZone: String?, next: (_ after: Int) -> Fire?
  ) -> Bool {
    var fire = first
    var count = 0
    repeat {
      let held: Candidate.HeldTrigger =
        timeZone == nil && fire.isUnique ? .local(wall: fire.wall) : .instant
      guard append(index, fire.milliseconds, .occurrence, held) else { return false }
      result.candidates[result.candidates.count - 1].occurrence = Int32(result.occurrenceIDs.count)
      result.occurrenceIDs.append(frame.queue[index].head.id.occurrence(atWall: fire.wall))
      count += 1
      guard let following = next(fire.at), !isPast(expiryOf: index, following.milliseconds) else {
        return true
      }
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
