import CarillonModel

/// Turns the queue into candidates: when each fires next, and what is past, refused or of no use.
struct Gatherer<Zones: ZoneLookup> {
  let input: PlanInput
  let zones: Zones
  /// Seconds since 1970, rounded down.
  let now: Int
  let zone: ZoneTable
  let week: WeekRule
  let reachability: Reachability
  let priorities: [Int32]
  /// Fires of what repeats matter to a cap.
  let counts: Bool
  /// Expansions end here, in seconds since 1970.
  let horizon: Int
  var result = Gathered()
  /// The zone a trigger named last: entries mostly share one.
  private var named: ZoneTable?
  private var delivered: DeliveredIDs?

  init(_ input: PlanInput, zones: Zones, reachability: Reachability, priorities: [Int32]) {
    self.input = input
    self.zones = zones
    self.reachability = reachability
    self.priorities = priorities
    now = Int(input.now.seconds)
    zone = input.device.zone
    week = input.device.week
    counts = !input.policy.policy.frequencyCaps.isEmpty
    horizon = now + input.policy.policy.horizonDays * Civil.secondsPerDay
    result.candidates.reserveCapacity(input.queue.count)
  }

  mutating func gather() {
    for index in input.queue.indices { add(index) }
  }

  private mutating func add(_ index: Int) {
    switch input.queue[index].head.trigger {
    case .instant(let at):
      addOnce(index, at.milliseconds, .original)
    case .local(let local):
      let reading = zone.rawReading(Int(local.wallSeconds))
      addOnce(index, Int64(reading.fire) * 1000, reading.kind == .unique ? .original : .instant)
    case .calendar(let trigger):
      guard let zone = zone(named: trigger.timeZone) else { return refuseZone(index, trigger.timeZone) }
      let calendar = BoundedCalendar(trigger, zone: zone, week: week)
      if trigger.repeats {
        addRepeating(index, trigger, calendar)
      } else {
        addOnce(index, trigger, calendar)
      }
    case .interval(let trigger):
      let anchor = trigger.anchor ?? input.queue[index].acceptedAt
      if trigger.repeats {
        addRepeating(index, trigger, anchor: anchor)
      } else {
        addOnce(index, trigger.fire(after: anchor, anchor: anchor).milliseconds, .original)
      }
    case .recurrence(let trigger):
      guard let zone = zone(named: trigger.timeZone) else { return refuseZone(index, trigger.timeZone) }
      addRecurrence(index, trigger, zone: zone)
    case .location:
      if let expiry = input.queue[index].head.expiresAt, expiry <= input.now {
        expire(index, expiry.milliseconds)
      } else {
        append(index, 0, .location, .original)
      }
    }
  }

  // MARK: One-time requests

  private mutating func addOnce(_ index: Int, _ trigger: CalendarTrigger, _ calendar: BoundedCalendar) {
    let accepted = input.queue[index].acceptedAt
    guard let fire = calendar.onlyFire(acceptedAt: Int(accepted.seconds)) else {
      return expire(index, accepted.milliseconds)
    }
    let isApples =
      CalendarRule.repeatsLikeApple(trigger.components)
      && (fire.at <= now || calendar.rule.next(after: now, in: calendar.zone) == fire)
    let held: Candidate.HeldTrigger =
      isApples && fire.isUnique
      ? .original : trigger.timeZone == nil && fire.isUnique ? .local(wall: fire.wall) : .instant
    addOnce(index, Int64(fire.at) * 1000, held)
  }

  private mutating func addOnce(_ index: Int, _ fire: Int64, _ held: Candidate.HeldTrigger) {
    if fire <= input.now.milliseconds {
      addPassed(index, fire, held)
    } else if !isPast(expiryOf: index, fire) {
      append(index, fire, .single, held)
    } else {
      expire(index, fire)
    }
  }

  /// A wish that has passed may still be to come, where quiet hours or a cap moved it: placing decides.
  private mutating func addPassed(_ index: Int, _ wish: Int64, _ held: Candidate.HeldTrigger) {
    if isPast(expiryOf: index, wish) || isDelivered(index, since: wish) { return expire(index, wish) }
    if input.policy.moves, reachability.refusal == nil {
      append(index, wish, .single, held)
      return
    }
    guard let due = Overdue(input.queue[index].head, at: input.now) else { return expire(index, wish) }
    guard append(index, due.time, .single, .instant) else { return }
    let last = result.candidates.count - 1
    result.candidates[last].firstMove = Int32(result.moves.count)
    result.candidates[last].moveCount = 1
    result.moves.append(due.move(from: wish))
  }

  private mutating func isDelivered(_ index: Int, since wish: Int64) -> Bool {
    guard !input.history.isEmpty else { return false }
    if delivered == nil { delivered = DeliveredIDs(input.history) }
    return delivered?.contains(input.queue[index].head.id, since: wish) ?? false
  }

  // MARK: What all have in common

  func isPast(expiryOf index: Int, _ fire: Int64) -> Bool {
    input.queue[index].head.expiresAt.map { fire > $0.milliseconds } ?? false
  }

  /// - Returns: false when it is withheld.
  @discardableResult
  mutating func append(
    _ index: Int, _ fire: Int64, _ form: Candidate.Form, _ held: Candidate.HeldTrigger
  ) -> Bool {
    if let refusal = reachability.refusal { return withhold(index, fire, form, refusal) }
    let reach = reachability.reach(of: input.queue[index].head.summary)
    if reach == .none, input.policy.policy.unreachable == .withhold {
      return withhold(index, fire, form, .unreachable)
    }
    let type = input.policy.index(of: input.queue[index].head.id, named: input.queue[index].head.type)
    result.candidates.append(
      Candidate(
        fire: fire, priority: priorities[type], type: Int32(type), entry: Int32(index), form: form,
        reach: reach, trigger: held))
    return true
  }

  private mutating func withhold(
    _ index: Int, _ fire: Int64, _ form: Candidate.Form, _ reason: WithheldRequest.Reason
  ) -> Bool {
    let head = input.queue[index].head
    // What nobody could notice is late as well, once its time has passed.
    if form == .single, fire <= input.now.milliseconds, Overdue(head, at: input.now) == nil {
      expire(index, fire)
    } else {
      result.withheld.append(WithheldRequest(id: head.id, reason: reason))
    }
    return false
  }

  mutating func expire(_ index: Int, _ fire: Int64) {
    result.expired.append(
      ExpiredRequest(id: input.queue[index].head.id, fireAt: Instant(milliseconds: fire)))
  }

  private mutating func refuseZone(_ index: Int, _ name: String?) {
    result.rejected.append(
      RejectedRequest(
        id: input.queue[index].head.id, pointer: "/trigger/timeZone", code: "unknownTimeZone",
        detail: "There is no time zone \(name ?? "") in the zone data \(zones.version)."))
  }

  private mutating func zone(named name: String?) -> ZoneTable? {
    guard let name else { return zone }
    if name == zone.name { return zone }
    if let named, named.name == name { return named }
    named = zones.zone(named: name)
    return named
  }
}

extension PlanningDevice {
  var week: WeekRule { WeekRule(firstWeekday: firstWeekday, minimumDays: minimumDaysInFirstWeek) }
}
