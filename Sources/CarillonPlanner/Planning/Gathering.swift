import CarillonModel

/// Turns the queue into candidates: when each fires next, and what is past, refused or of no use.
struct Gatherer<Zones: ZoneLookup> {
  let input: PlanInput
  let zones: Zones
  let now: Int
  let zone: ZoneTable
  let week: WeekRule
  let reachability: Reachability
  let priorities: [Int32]
  let counts: Bool
  private(set) var result = Gathered()
  /// The zone a trigger named last: entries mostly share one.
  private var named: ZoneTable?

  init(_ input: PlanInput, zones: Zones) {
    self.input = input
    self.zones = zones
    now = Int(input.now.seconds)
    zone = input.device.zone
    week = input.device.week
    reachability = Reachability(status: input.device.authorizationStatus, settings: input.device.settings)
    priorities = input.policy.effectivePriorities(input.engagement)
    counts = !input.policy.policy.frequencyCaps.isEmpty
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
      add(index, trigger, BoundedCalendar(trigger, zone: zone, week: week))
    case .interval(let trigger):
      let anchor = trigger.anchor ?? input.queue[index].acceptedAt
      if trigger.repeats {
        addRepeating(index, trigger.fire(after: input.now, anchor: anchor).milliseconds) {
          trigger.fire(after: Instant(milliseconds: $0), anchor: anchor).milliseconds
        }
      } else {
        addOnce(index, trigger.fire(after: anchor, anchor: anchor).milliseconds, .original)
      }
    case .recurrence(let trigger): add(index, trigger)
    case .location:
      if let expiry = input.queue[index].head.expiresAt, expiry <= input.now {
        expire(index, expiry.milliseconds)
      } else {
        append(index, 0, .location, .original)
      }
    }
  }

  private mutating func add(_ index: Int, _ trigger: CalendarTrigger, _ calendar: BoundedCalendar) {
    let accepted = input.queue[index].acceptedAt
    guard trigger.repeats else {
      guard let fire = calendar.onlyFire(acceptedAt: Int(accepted.seconds)) else {
        return expire(index, accepted.milliseconds)
      }
      let isApples =
        CalendarRule.repeatsLikeApple(trigger.components)
        && (fire.at <= now || calendar.rule.next(after: now, in: calendar.zone) == fire)
      addOnce(index, Int64(fire.at) * 1000, isApples && fire.isUnique ? .original : form(of: fire, trigger))
      return
    }
    guard let fire = calendar.next(after: now) else {
      return expire(
        index,
        (calendar.end < BoundedCalendar.always.end) ? Int64(calendar.end) * 1000 : accepted.milliseconds)
    }
    let startsLater = calendar.start > now + 1 && calendar.rule.next(after: now, in: calendar.zone) != fire
    if trigger.endsAt == nil, !startsLater, CalendarRule.repeatsLikeApple(trigger.components) {
      addRepeating(index, Int64(fire.at) * 1000) { calendar.next(afterMilliseconds: $0) }
    } else {
      expand(index, from: fire, timeZone: trigger.timeZone) { calendar.next(after: $0) }
      countAll(index, fire) { calendar.next(after: $0) }
    }
  }

  private mutating func add(_ index: Int, _ trigger: RecurrenceTrigger) {
    guard let zone = zone(named: trigger.timeZone) else { return refuseZone(index, trigger.timeZone) }
    do {
      var fires = try RecurrenceFires(trigger, zone: zone, after: now)
      guard let first = fires.next() else {
        return expire(index, Int64(zone.rawReading(Int(trigger.start.wallSeconds)).fire) * 1000)
      }
      var counted = fires
      let wholeChain: (Int) -> Fire? = { _ in counted.next() }
      expand(index, from: first, timeZone: trigger.timeZone) { _ in fires.next() }
      countAll(index, first, wholeChain)
    } catch {
      let refusal = error
      result.rejected.append(
        RejectedRequest(
          id: input.queue[index].head.id, pointer: refusal.pointer, code: refusal.code.rawValue,
          detail: refusal.detail))
    }
  }

  /// One-time requests for what iOS cannot repeat: those inside the horizon, and always the next.
  private mutating func expand(
    _ index: Int, from first: Fire, timeZone: String?, next: (_ after: Int) -> Fire?
  ) {
    let horizon = now + input.policy.policy.horizonDays * Civil.secondsPerDay
    var fire = first
    var count = 0
    repeat {
      addOccurrence(index, fire, isZoneless: timeZone == nil)
      count += 1
      guard let following = next(fire.at) else { return }
      fire = following
    } while fire.at <= horizon && count < Planner.mostOccurrences
    // From a day's first instant, so that the plan does not change with every second that passes.
    let day = Civil.floorDivide(horizon + zone.offset(at: horizon), Civil.secondsPerDay)
    let cut = Int64(min(zone.firstInstant(ofDay: day), fire.at)) * 1000
    result.horizonCut = min(result.horizonCut ?? cut, cut)
  }

  /// Lets all fires of what was expanded count, those beyond the horizon too.
  private mutating func countAll(_ index: Int, _ first: Fire, _ next: @escaping (_ after: Int) -> Fire?) {
    count(index, Int64(first.at) * 1000) { after in
      next(Int(Instant(milliseconds: after).seconds)).map { Int64($0.at) * 1000 }
    }
  }

  private mutating func addOccurrence(_ index: Int, _ fire: Fire, isZoneless: Bool) {
    let id = input.queue[index].head.id.occurrence(atWall: fire.wall)
    let held: Candidate.HeldTrigger =
      isZoneless && fire.isUnique ? .local(wall: fire.wall) : .instant
    let count = result.candidates.count
    append(index, Int64(fire.at) * 1000, .occurrence, held)
    guard result.candidates.count > count else { return }
    result.candidates[count].occurrence = Int32(result.occurrenceIDs.count)
    result.occurrenceIDs.append(id)
  }

  private func form(of fire: Fire, _ trigger: CalendarTrigger) -> Candidate.HeldTrigger {
    trigger.timeZone == nil && fire.isUnique ? .local(wall: fire.wall) : .instant
  }

  private mutating func addOnce(_ index: Int, _ fire: Int64, _ held: Candidate.HeldTrigger) {
    guard fire <= input.now.milliseconds else { return append(index, fire, .single, held) }
    let head = input.queue[index].head
    guard head.overdue == .deliverNow, head.expiresAt.map({ $0 > input.now }) ?? true else {
      return expire(index, fire)
    }
    // The next whole second is the soonest that a device can be asked for.
    let due = Int64(now + 1) * 1000
    append(index, due, .single, .instant)
    guard let last = result.candidates.indices.last, result.candidates[last].entry == index else { return }
    result.candidates[last].moves = Int32(result.moves.count)
    result.moves.append([
      Move(by: "overdue", from: Instant(milliseconds: fire), to: Instant(milliseconds: due))
    ])
  }

  private mutating func addRepeating(
    _ index: Int, _ fire: Int64, following: @escaping (_ after: Int64) -> Int64?
  ) {
    append(index, fire, .repeating, .original)
    count(index, fire, following)
  }

  /// Lets the fires of what repeats count against the caps.
  private mutating func count(
    _ index: Int, _ fire: Int64, _ following: @escaping (_ after: Int64) -> Int64?
  ) {
    guard counts, let last = result.candidates.last, last.entry == index else { return }
    let expiry = input.queue[index].head.expiresAt?.milliseconds ?? .max
    result.repeaters.append(
      Repeater(type: Int(last.type), first: fire) { after in
        following(after).flatMap { $0 <= expiry ? $0 : nil }
      })
  }

  private mutating func append(
    _ index: Int, _ fire: Int64, _ form: Candidate.Form, _ held: Candidate.HeldTrigger
  ) {
    if form != .location, let expiry = input.queue[index].head.expiresAt, fire > expiry.milliseconds {
      if form != .occurrence { expire(index, fire) }
      return
    }
    if let refusal = reachability.refusal { return withhold(index, refusal) }
    let reach = reachability.reach(of: input.queue[index].head.summary)
    if reach == .none, input.policy.policy.unreachable == .withhold { return withhold(index, .unreachable) }
    let type = input.policy.index(of: input.queue[index].head.id, named: input.queue[index].head.type)
    result.candidates.append(
      Candidate(
        fire: fire, priority: priorities[type], type: Int32(type),
        entry: Int32(index), form: form, reach: reach, trigger: held))
  }

  private mutating func withhold(_ index: Int, _ reason: WithheldRequest.Reason) {
    let id = input.queue[index].head.id
    // The occurrences of one entry are withheld as one.
    if result.withheld.last.map({ !$0.id.isSame(as: id) }) ?? true {
      result.withheld.append(WithheldRequest(id: id, reason: reason))
    }
  }

  private mutating func expire(_ index: Int, _ fire: Int64) {
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

extension BoundedCalendar {
  func next(afterMilliseconds now: Int64) -> Int64? {
    next(after: Int(Instant(milliseconds: now).seconds)).map { Int64($0.at) * 1000 }
  }

  /// The fire of a trigger that does not repeat: the first after it was accepted, or where only earlier ones
  /// exist, the last of them that can be named. Nil when it never matches.
  func onlyFire(acceptedAt: Int) -> Fire? {
    next(after: acceptedAt) ?? next(after: Int(Civil.days(1999, 12, 1)) * Civil.secondsPerDay)
  }
}

extension IntervalTrigger {
  /// The first point strictly after `now` of the grid anchor + k × seconds, k from 1.
  func fire(after now: Instant, anchor: Instant) -> Instant {
    // Far beyond any date that can be written, and far from overflow.
    let period = max(1, Int64((min(seconds, 1e12) * 1000).rounded()))
    let elapsed = now.milliseconds - anchor.milliseconds
    let steps = elapsed < 0 ? 1 : elapsed / period + 1
    return Instant(milliseconds: anchor.milliseconds + steps * period)
  }
}

extension NotificationID {
  /// The id of one occurrence of a repeating notification, e.g. `standup@20260103T0900`.
  func occurrence(atWall wall: Int) -> NotificationID {
    let day = Civil.floorDivide(wall, Civil.secondsPerDay)
    let date = Civil.date(day)
    let time = wall - day * Civil.secondsPerDay
    func digits(_ value: Int, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.utf8.count)) + text
    }
    let seconds = time % 60 == 0 ? "" : digits(time % 60, 2)
    let stamp =
      digits(date.year, 4) + digits(date.month, 2) + digits(date.day, 2) + "T" + digits(time / 3600, 2)
      + digits(time / 60 % 60, 2) + seconds
    return NotificationID(unchecked: text + "@" + stamp)
  }
}
