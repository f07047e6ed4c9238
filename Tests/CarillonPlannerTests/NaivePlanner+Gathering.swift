import CarillonModel
import CarillonPlanner
import CarillonZones

extension NaivePlanner {
  var nowSeconds: Int64 { input.now.seconds }
  /// The end of the horizon, in seconds.
  var horizon: Int64 { nowSeconds + Int64(policy.horizonDays) * 86_400 }

  mutating func gather(_ entry: QueueEntry) {
    let head = entry.head
    let type = type(of: head)
    var request = Request(
      head: head, id: head.id, type: type, priority: effectivePriority(type), form: .once,
      trigger: head.trigger)
    if let name = zoneName(of: head.trigger), zones.zone(named: name) == nil {
      plan.rejected.append(
        RejectedRequest(id: head.id, pointer: "/trigger/timeZone", code: "unknownTimeZone", detail: ""))
      return
    }
    switch head.trigger {
    case .instant(let at): once(request, at.milliseconds)
    case .local(let local):
      let at = clock.fire(of: local.wallSeconds)
      if !clock.isUnique(local.wallSeconds) { request.trigger = .instant(Instant(seconds: at)) }
      once(request, at * 1000)
    case .interval(let trigger): interval(request, trigger, entry.acceptedAt)
    case .calendar(let trigger) where trigger.repeats: calendar(request, trigger, entry.acceptedAt)
    case .calendar(let trigger): onceByCalendar(request, trigger, entry.acceptedAt)
    case .recurrence(let trigger): recurrence(request, trigger)
    case .location:
      request.form = .location
      if let expiry = head.expiresAt, expiry <= input.now { return expire(head.id, expiry.milliseconds) }
      if let reason = notHolding(head) { return withhold(head.id, reason) }
      requests.append(request)
    }
  }

  private func zoneName(of trigger: Trigger) -> String? {
    switch trigger {
    case .calendar(let trigger): trigger.timeZone
    case .recurrence(let trigger): trigger.timeZone
    default: nil
    }
  }

  // MARK: Once

  private mutating func once(_ wished: Request, _ wish: Int64) {
    var request = wished
    request.wish = wish
    request.fire = wish
    let head = request.head
    if let at = input.delivered[head.id] { return expire(head.id, min(wish, at.milliseconds)) }
    if wish <= now, isDone(request) || input.expired.contains(head.id) { return expire(head.id, wish) }
    if wish > now, isPast(head.expiresAt, wish) { return expire(head.id, wish) }
    if let reason = notHolding(head) {
      let isStillWanted = head.overdue == .deliverNow && (head.expiresAt.map { $0 > input.now } ?? true)
      return wish > now || isStillWanted ? withhold(head.id, reason) : expire(head.id, wish)
    }
    moving.append(request)
  }

  private mutating func onceByCalendar(_ wished: Request, _ trigger: CalendarTrigger, _ acceptedAt: Instant) {
    let clock = clock(of: trigger.timeZone)
    let start = trigger.startsAt.map { instant(of: $0, clock) } ?? acceptedAt.seconds + 1
    let fire =
      NaiveFires.next(trigger, clock, after: max(acceptedAt.seconds, start - 1))
      ?? NaiveFires.next(trigger, clock, after: nowSeconds - 300 * 86_400)!
    var request = wished
    let isOriginal =
      NaiveFires.isAppleOwn(trigger.components) && clock.isUnique(fire.wall)
      && (fire.at <= nowSeconds || NaiveFires.next(trigger, clock, after: nowSeconds) == fire)
    if !isOriginal { request.trigger = oneTimeTrigger(fire, zone: trigger.timeZone, clock) }
    once(request, fire.at * 1000)
  }

  private func oneTimeTrigger(_ fire: NaiveFire, zone: String?, _ clock: NaiveClock) -> Trigger {
    zone == nil && clock.isUnique(fire.wall)
      ? .local(LocalDateTime(wallSeconds: fire.wall)) : .instant(Instant(seconds: fire.at))
  }

  // MARK: Repeating

  private mutating func interval(_ wished: Request, _ trigger: IntervalTrigger, _ acceptedAt: Instant) {
    let anchor = (trigger.anchor ?? acceptedAt).milliseconds
    let period = Int64((trigger.seconds * 1000).rounded())
    guard trigger.repeats else { return once(wished, anchor + period) }
    var steps = max(1, (now - anchor) / period)
    while anchor + steps * period <= now { steps += 1 }
    let first = anchor + steps * period
    if let expiry = wished.head.expiresAt, isPast(expiry, first) {
      return expire(wished.id, expiry.milliseconds)
    }
    if let reason = notHolding(wished.head) { return withhold(wished.id, reason) }
    add(wished, .repeating, first)
    if let expiry = wished.head.expiresAt { cuts.append(min(expiry, Instant(seconds: startOfHorizonsDay))) }
    repeats(wished) { after, until in
      stride(from: first, through: until * 1000, by: Int(period)).filter { $0 > after * 1000 }
    }
  }

  /// - Parameter fires: in `(after, until]`, which are seconds.
  private mutating func repeats(
    _ request: Request, _ fires: @escaping (_ after: Int64, _ until: Int64) -> [Int64]
  ) {
    let expiry = request.head.expiresAt
    repeaters.append(
      (
        request.type.name,
        { after, until in
          fires(after, until).filter { fire in expiry.map { fire <= $0.milliseconds } ?? true }
        }
      ))
  }

  private mutating func calendar(_ wished: Request, _ trigger: CalendarTrigger, _ acceptedAt: Instant) {
    let clock = clock(of: trigger.timeZone)
    let start = trigger.startsAt.map { instant(of: $0, clock) } ?? .min
    let end = trigger.endsAt.map { instant(of: $0, clock) } ?? .max
    let expiry = wished.head.expiresAt
    // Those of the horizon, and the next two: one to hold, one to know whether there are more.
    var fires = NaiveFires.natural(trigger, clock, after: nowSeconds, until: max(horizon, start))
    for _ in 0..<2 {
      let last = fires.last?.at ?? nowSeconds
      fires += [NaiveFires.next(trigger, clock, after: max(last, horizon))].compactMap(\.self)
    }
    let hidden = fires.filter { $0.at < start }
    fires = fires.filter { $0.at >= start && $0.at < end }
    guard let first = fires.first else {
      let over = [end == .max ? nil : end * 1000, expiry?.milliseconds].compactMap(\.self).min()
      return expire(wished.id, over ?? acceptedAt.milliseconds)
    }
    guard isUsable(wished, first) else { return }
    repeats(wished) { after, until in
      NaiveFires.natural(trigger, clock, after: after, until: until)
        .filter { $0.at >= start && $0.at < end }.map { $0.at * 1000 }
    }
    fires = fires.filter { !isPast(expiry, $0.at * 1000) }
    let isUneven = isUneven(trigger, clock) { at in
      at >= start && at < end && !isPast(expiry, at * 1000)
    }
    let endsSoon =
      end <= horizon
      || expiry.map { $0.milliseconds < horizon * 1000 } ?? false
    if !NaiveFires.isAppleOwn(trigger.components) || !hidden.isEmpty || isUneven || endsSoon {
      expand(wished, fires, zone: trigger.timeZone, clock)
    } else {
      add(wished, .repeating, first.at * 1000)
      if end != .max || expiry != nil { cuts.append(Instant(seconds: startOfHorizonsDay)) }
    }
  }

  /// Whether, inside the horizon, a change of the clock swallows one of its times or shows it twice, the second time
  /// still to come: the device would then ring at another time, or again. What is given by minutes alone rings on.
  private func isUneven(
    _ trigger: CalendarTrigger, _ clock: NaiveClock, isAllowed: (_ at: Int64) -> Bool
  ) -> Bool {
    guard trigger.components.hour != nil || NaiveFires.hasDate(trigger.components) else { return false }
    let days = (clock.day(at: nowSeconds) - 2)...(clock.day(at: horizon) + 1)
    return days.flatMap { NaiveFires.walls(trigger, on: $0) }.contains { wall in
      let shown = clock.instants(of: wall)
      let fire = clock.fire(of: wall)
      return shown.count != 1 && isAllowed(fire) && fire <= horizon && shown.last ?? fire > nowSeconds
    }
  }

  private mutating func recurrence(_ wished: Request, _ trigger: RecurrenceTrigger) {
    let clock = clock(of: trigger.timeZone)
    // No rule here waits for longer than four months.
    var fires = NaiveFires.recurrence(trigger, clock, after: nowSeconds, until: horizon + 250 * 86_400)
    guard let first = fires.first else {
      let start = clock.fire(of: trigger.start.wallSeconds) * 1000
      return expire(wished.id, wished.head.expiresAt?.milliseconds ?? start)
    }
    guard isUsable(wished, first) else { return }
    fires = fires.filter { !isPast(wished.head.expiresAt, $0.at * 1000) }
    expand(wished, fires, zone: trigger.timeZone, clock)
    repeats(wished) { after, until in
      NaiveFires.recurrence(trigger, clock, after: after, until: until).map { $0.at * 1000 }
    }
  }

  /// Whether the first of its fires can be held at all; says why not where it cannot.
  private mutating func isUsable(_ request: Request, _ first: NaiveFire) -> Bool {
    if let expiry = request.head.expiresAt, isPast(expiry, first.at * 1000) {
      expire(request.id, expiry.milliseconds)
      return false
    }
    if let reason = notHolding(request.head) {
      withhold(request.id, reason)
      return false
    }
    return true
  }

  private mutating func expand(_ wished: Request, _ fires: [NaiveFire], zone: String?, _ clock: NaiveClock) {
    var taken = fires.filter { $0.at <= horizon }.prefix(Self.mostOccurrences)
    if taken.isEmpty { taken = fires.prefix(1) }
    for fire in taken {
      var occurrence = wished
      let stamp = LocalDateTime(wallSeconds: fire.wall).text.filter { $0 != "-" && $0 != ":" }
      occurrence.id = NotificationID(unchecked: "\(wished.id.text)@\(stamp)")
      occurrence.trigger = oneTimeTrigger(fire, zone: zone, clock)
      add(occurrence, .occurrence, fire.at * 1000)
    }
    if taken.count < fires.count {
      cuts.append(Instant(seconds: min(startOfHorizonsDay, fires[taken.count].at)))
    }
  }

  /// By when the device must be back for what lies beyond the horizon: its last day's first instant, so that the plan
  /// does not change with every second that passes.
  private var startOfHorizonsDay: Int64 {
    let start = clock.firstInstant(ofDay: clock.day(at: horizon))
    return start > nowSeconds ? start : horizon
  }

  private mutating func add(_ wished: Request, _ form: Request.Form, _ fire: Int64) {
    var request = wished
    request.form = form
    request.wish = fire
    request.fire = fire
    requests.append(request)
  }

  private func clock(of zoneName: String?) -> NaiveClock { zoneName.map { .of(zone($0)) } ?? clock }

  /// A date means its first instant. Seconds.
  private func instant(of bound: LocalBound, _ clock: NaiveClock) -> Int64 {
    switch bound {
    case .date(let date): clock.firstInstant(ofDay: NaiveClock.day(ofWall: date.wallSeconds))
    case .dateTime(let time): clock.fire(of: time.wallSeconds)
    }
  }
}
