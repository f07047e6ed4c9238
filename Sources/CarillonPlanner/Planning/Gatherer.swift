import CarillonModel

/// Turns the queue into candidates: when each fires next, and what is past, refused or of no use.
struct Gatherer<Zones: ZoneLookup> {
  let frame: Frame
  let zones: Zones
  let priorities: [Int32]
  /// Fires of what repeats matter to a cap.
  let counts: Bool
  /// Expansions end here, in seconds since 1970.
  let horizon: Int
  var result = Gathered()
  /// The zone a trigger named last: entries mostly share one.
  private var named: ZoneTable?
  private var delivered: DeliveredIDs?

  var now: Int { frame.nowSeconds }

  /// - Parameter priorities: effective ones, by type.
  init(_ frame: Frame, zones: Zones, priorities: [Int32]) {
    self.frame = frame
    self.zones = zones
    self.priorities = priorities
    counts = !frame.policy.policy.frequencyCaps.isEmpty
    horizon = frame.nowSeconds + frame.policy.horizonDays * Civil.secondsPerDay
    result.candidates.reserveCapacity(frame.queue.count)
  }

  mutating func gather() {
    for index in frame.queue.indices { add(index) }
  }

  private mutating func add(_ index: Int) {
    switch frame.queue[index].head.trigger {
    case .instant(let at):
      addOnce(index, at.milliseconds, .original)
    case .local(let local):
      let reading = frame.zone.rawReading(Int(local.wallSeconds))
      let held: Candidate.HeldTrigger = reading.kind == .unique ? .original : .instant
      addOnce(index, Int64(reading.fire) * 1000, held, isWallTime: true)
    case .calendar(let trigger):
      guard let zone = zone(named: trigger.timeZone) else { return refuseZone(index, trigger.timeZone) }
      if !trigger.repeats, let wall = trigger.onlyWallTime {
        let reading = zone.rawReading(wall)
        let held: Candidate.HeldTrigger = reading.kind == .unique ? .original : .instant
        addOnce(index, Int64(reading.fire) * 1000, held, isWallTime: trigger.timeZone == nil)
      } else if trigger.repeats {
        addRepeating(index, trigger, BoundedCalendar(trigger, zone: zone, week: frame.week))
      } else {
        addOnce(index, trigger, BoundedCalendar(trigger, zone: zone, week: frame.week))
      }
    case .interval(let trigger):
      let anchor = trigger.anchor ?? frame.queue[index].acceptedAt
      if trigger.repeats {
        addRepeating(index, trigger, anchor: anchor)
      } else {
        addOnce(index, trigger.fire(after: anchor, anchor: anchor).milliseconds, .original)
      }
    case .recurrence(let trigger):
      guard let zone = zone(named: trigger.timeZone) else { return refuseZone(index, trigger.timeZone) }
      addRecurrence(index, trigger, zone: zone)
    case .location:
      if let expiry = frame.queue[index].head.expiresAt, expiry.milliseconds <= frame.now {
        expire(index, expiry.milliseconds)
      } else {
        append(index, 0, .location, .original)
      }
    }
  }

  // MARK: One-time requests

  private mutating func addOnce(_ index: Int, _ trigger: CalendarTrigger, _ calendar: BoundedCalendar) {
    let accepted = frame.queue[index].acceptedAt
    guard let fire = calendar.onlyFire(acceptedAt: Int(accepted.seconds)) else {
      return expire(index, accepted.milliseconds)
    }
    let isApples =
      CalendarRule.repeatsLikeApple(trigger.components)
      && (fire.at <= now || calendar.rule.next(after: now, in: calendar.zone) == fire)
    let held: Candidate.HeldTrigger =
      isApples && fire.isUnique
      ? .original : trigger.timeZone == nil && fire.isUnique ? .local(wall: fire.wall) : .instant
    addOnce(index, Int64(fire.at) * 1000, held, isWallTime: trigger.timeZone == nil)
  }

  /// - Parameter isWallTime: asked for by the device's wall clock.
  private mutating func addOnce(
    _ index: Int, _ fire: Int64, _ held: Candidate.HeldTrigger, isWallTime: Bool = false
  ) {
    if fire <= frame.now {
      addPassed(index, fire, held, isWallTime)
    } else if !isPast(expiryOf: index, fire) {
      append(index, fire, .single, held, isWallTime: isWallTime)
    } else {
      expire(index, fire)
    }
  }

  /// A wish that has passed may still be to come, where quiet hours or a cap moved it: placing decides.
  private mutating func addPassed(
    _ index: Int, _ wish: Int64, _ held: Candidate.HeldTrigger, _ isWallTime: Bool
  ) {
    if isPast(expiryOf: index, wish) || isDelivered(index, since: wish) { return expire(index, wish) }
    if frame.policy.moves, frame.reachability.refusal == nil {
      append(index, wish, .single, held, isWallTime: isWallTime)
      return
    }
    guard let due = Overdue(frame.queue[index].head, at: frame.now) else { return expire(index, wish) }
    guard append(index, due.time, .single, .instant) else { return }
    let last = result.candidates.count - 1
    result.candidates[last].firstStep = Int32(result.steps.count)
    result.candidates[last].stepCount = 1
    result.steps.append(due.step(from: wish))
  }

  private mutating func isDelivered(_ index: Int, since wish: Int64) -> Bool {
    guard !frame.history.isEmpty else { return false }
    if delivered == nil { delivered = DeliveredIDs(frame.history) }
    return delivered?.contains(frame.queue[index].head.id, since: wish) ?? false
  }

  // MARK: What all have in common

  func isPast(expiryOf index: Int, _ fire: Int64) -> Bool {
    frame.queue[index].head.expiresAt.map { fire > $0.milliseconds } ?? false
  }

  /// - Returns: false when it is withheld.
  @discardableResult
  mutating func append(
    _ index: Int, _ fire: Int64, _ form: Candidate.Form, _ held: Candidate.HeldTrigger,
    isWallTime: Bool = false
  ) -> Bool {
    if let refusal = frame.reachability.refusal { return withhold(index, fire, form, refusal) }
    let reach = frame.reachability.reach(of: frame.queue[index].head.summary)
    if reach == .none, frame.policy.withholdsUnreachable {
      return withhold(index, fire, form, .unreachable)
    }
    let type = frame.policy.index(of: frame.queue[index].head.id, named: frame.queue[index].head.type)
    result.candidates.append(
      Candidate(
        fire: fire, priority: priorities[type], type: Int32(type), entry: Int32(index), form: form,
        reach: reach, isWallTime: isWallTime, trigger: held))
    return true
  }

  private mutating func withhold(
    _ index: Int, _ fire: Int64, _ form: Candidate.Form, _ reason: WithheldRequest.Reason
  ) -> Bool {
    let head = frame.queue[index].head
    // What nobody could notice is late as well, once its time has passed.
    if form == .single, fire <= frame.now, Overdue(head, at: frame.now) == nil {
      expire(index, fire)
    } else {
      result.withheld.append(WithheldRequest(id: head.id, reason: reason))
    }
    return false
  }

  mutating func expire(_ index: Int, _ fire: Int64) {
    result.expired.append(
      ExpiredRequest(id: frame.queue[index].head.id, fireAt: Instant(milliseconds: fire)))
  }

  private mutating func refuseZone(_ index: Int, _ name: String?) {
    result.rejected.append(
      RejectedRequest(
        id: frame.queue[index].head.id, pointer: "/trigger/timeZone", code: "unknownTimeZone",
        detail: "There is no time zone \(name ?? "") in the zone data \(zones.version)."))
  }

  private mutating func zone(named name: String?) -> ZoneTable? {
    guard let name else { return frame.zone }
    if name == frame.zone.name { return frame.zone }
    if let named, named.name == name { return named }
    named = zones.zone(named: name)
    return named
  }
}
