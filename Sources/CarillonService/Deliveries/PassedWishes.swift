import CarillonModel
import CarillonPlanner
import CarillonStore

/// Of the wishes whose time has passed, those that nobody held: they waited for a slot, were withheld, expired, or had
/// never been planned. And those that are still to come, because they were moved or are late.
struct PassedWishes {
  let planner: DevicePlanner
  let situation: DevicePlanner.Situation
  /// Where the device was, and where it is.
  let before: PlanningDevice
  let after: PlanningDevice
  let journey: Journey?
  let now: Instant

  /// One occurrence that nobody held.
  struct Wish {
    var entry: StoredEntry
    var at: Instant
    /// Its time was in neither zone while the device was there.
    var hasBeenLeapt = false
    /// Its user was not there.
    var isAsleep = false
  }

  /// Ids of one-time notifications whose wish has passed and which the plan still brings.
  func waiting(in plan: Plan) -> Set<NotificationID> {
    var waiting: Set<NotificationID> = []
    let entries = QueueIndex(situation.queue)
    for request in plan.held where !request.trigger.repeats {
      guard let wish = request.moves.first?.from, wish <= now else { continue }
      waiting.insert(request.source)
    }
    for request in plan.queued {
      if request.reason == .digest {
        if let wish = request.fireAt, wish <= now { waiting.insert(request.id) }
        continue
      }
      guard request.fireAt != nil else { continue }
      guard let entry = entries[request.id], let wish = wish(of: entry, on: after), wish <= now else {
        continue
      }
      waiting.insert(request.id)
    }
    return waiting
  }

  /// Wishes that the plan has given up, or brings no more, and that were not so at the last look.
  func passed(in plan: Plan) -> [Wish] {
    guard !plan.expired.isEmpty || !plan.withheld.isEmpty || situation.edits else { return [] }
    var passed: [Wish] = []
    let entries = QueueIndex(situation.queue)
    for request in plan.expired {
      guard let entry = entries[request.id], !entry.head.trigger.repeats, request.fireAt <= now,
        isNews(entry, request.fireAt)
      else { continue }
      passed.append(wish(request.fireAt, of: entry))
    }
    for request in plan.withheld {
      guard let entry = entries[request.id], !entry.head.trigger.repeats,
        let wish = wish(of: entry, on: after), wish <= now, isNews(entry, wish)
      else { continue }
      passed.append(self.wish(wish, of: entry))
    }
    // What this very report takes out of the queue, or puts anew, had its old wish until now.
    if situation.edits {
      for entry in situation.queueBefore
      where !entry.head.trigger.repeats && !(entries[entry.head.id]?.isSamePut(as: entry) ?? false) {
        // One that was moved was still to come: it is cancelled, or its user has gone and hears of it in the inbox.
        let waits = situation.truth.waiting.contains(entry.head.id)
        guard !waits || situation.isLeft(entry), let wish = wish(of: entry, on: before),
          wish <= now, isNews(entry, wish)
        else { continue }
        passed.append(Wish(entry: entry, at: wish, isAsleep: waits))
      }
    }
    return passed
  }

  /// What came due since the last look of the entries of who is not there. No plan has it, and it is announced in the
  /// user's inbox.
  ///
  /// - Parameter waiting: what the new plan brings yet, since its user is back.
  func asleep(waiting: Set<NotificationID>) -> [Wish] {
    let fires = PastFires(device: before, zones: planner.zones, now: now)
    return situation.asleepBefore.flatMap { (entry: StoredEntry) -> [Wish] in
      guard entry.head.trigger.repeats else {
        let wishes = [before, after].compactMap { self.wish(of: entry, on: $0) }
        guard let wish = wishes.first(where: { $0 <= now }), !waiting.contains(entry.head.id),
          isNews(entry, wish)
        else { return [] }
        return [Wish(entry: entry, at: wish, isAsleep: true)]
      }
      let start = max(entry.acceptedAt, situation.truth.lookedAt ?? entry.acceptedAt)
      guard start < now else { return [] }
      return fires.of(QueueEntry(head: entry.head, acceptedAt: entry.acceptedAt), after: start)
        .map { Wish(entry: entry, at: $0, isAsleep: true) }
    }
  }

  /// The fires of everything that repeats since the last look.
  func repeated() -> [Wish] {
    let fires = PastFires(device: before, zones: planner.zones, now: now)
    return situation.queueBefore.flatMap { entry -> [Wish] in
      guard entry.head.trigger.repeats else { return [] }
      let start = max(entry.acceptedAt, situation.truth.lookedAt ?? entry.acceptedAt)
      guard start < now else { return [] }
      return fires.of(QueueEntry(head: entry.head, acceptedAt: entry.acceptedAt), after: start)
        .filter { fire in !isTold(entry, fire) }
        .map { Wish(entry: entry, at: $0) }
    }
  }

  /// Whether a fire of what repeats was told before its time came.
  private func isTold(_ entry: StoredEntry, _ fire: Instant) -> Bool {
    situation.truth.delivered.contains { id, put in
      put.at == fire && put.acceptedAt == entry.acceptedAt
        && (id == entry.head.id || id.text.hasPrefix(entry.head.id.text + "@"))
    }
  }

  /// - Parameter time: as the plan has it.
  private func wish(_ time: Instant, of entry: StoredEntry) -> Wish {
    guard let journey, entry.putVersion <= situation.rowVersion, let old = wish(of: entry, on: before),
      let new = journey.wish(of: entry), old != new
    else { return Wish(entry: entry, at: time) }
    switch journey.passage(from: old, to: new, acceptedAt: entry.acceptedAt) {
    case .came(let time, _): return Wish(entry: entry, at: time)
    case .leapt(let time): return Wish(entry: entry, at: time, hasBeenLeapt: true)
    // It is over because it came late, by a wish of there.
    case .ahead: return Wish(entry: entry, at: old <= now ? old : time)
    }
  }

  /// What a request that rang was wished for: its own time, where the queue has no such wish any more.
  func wish(of delivery: PastDelivery) -> Instant {
    guard let entry = situation.queueBefore.first(where: { $0.head.id == delivery.id }),
      !entry.head.trigger.repeats
    else { return delivery.at }
    let wishes = [before, after].compactMap { wish(of: entry, on: $0) }
    return wishes.first { $0 <= delivery.at } ?? delivery.at
  }

  /// Whether the wish had not passed at the last look, or was still to come after it.
  private func isNews(_ entry: StoredEntry, _ wish: Instant) -> Bool {
    if situation.truth.delivered[entry.head.id]?.acceptedAt == entry.acceptedAt { return false }
    guard let lookedAt = situation.truth.lookedAt else { return true }
    // A time would not tell: much may happen in one millisecond.
    if entry.putVersion > situation.truth.lookedVersion { return true }
    if situation.truth.waiting.contains(entry.head.id) { return true }
    let old = journey == nil ? wish : self.wish(of: entry, on: before) ?? wish
    return old > lookedAt
  }

  private func wish(of entry: StoredEntry, on device: PlanningDevice) -> Instant? {
    planner.wish(of: entry, on: device, now: now)
  }

  /// For queues put together; ``QueueIndex`` for one.
  static func byID(_ queue: [StoredEntry]) -> [NotificationID: StoredEntry] {
    Dictionary(queue.map { ($0.head.id, $0) }) { first, _ in first }
  }
}

/// Why a plan did not hold a notification.
struct PlanAbsence {
  private var reasons: [NotificationID: String] = [:]
  /// With the time that each was wished for: an id may be put anew.
  private var expired: [NotificationID: Instant] = [:]

  /// - Parameter plan: the one that was in force; nil: there was none.
  init(_ plan: Plan?) {
    guard let plan else { return }
    for request in plan.withheld { reasons[request.id] = request.reason.rawValue }
    for request in plan.queued where request.reason != .digest {
      reasons[request.id] = request.reason.rawValue
      // An occurrence waits under an id of its own.
      if let at = request.id.text.lastIndex(of: "@") {
        let source = NotificationID(unchecked: String(request.id.text[..<at]))
        if reasons[source] == nil { reasons[source] = request.reason.rawValue }
      }
    }
    for request in plan.expired { expired[request.id] = request.fireAt }
  }

  func outcome(
    of wish: PassedWishes.Wish, isDenied: Bool
  ) -> (outcome: DeliveryOutcome, reason: String) {
    if isDenied { return (.suppressed, WithheldRequest.Reason.denied.rawValue) }
    if wish.at <= wish.entry.acceptedAt { return (.expired, StoredDelivery.past) }
    if wish.isAsleep { return (.missed, StoredDelivery.signedOut) }
    let id = wish.entry.head.id
    if expired[id] == wish.at, !wish.entry.head.trigger.repeats { return (.expired, "expired") }
    return (.missed, reasons[id] ?? "unplanned")
  }
}
