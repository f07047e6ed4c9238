import CarillonAPI
import CarillonModel
import CarillonPlanner
import CarillonStore

/// One look at a device: what came due since the last one, what became of it by all that is known now, and what
/// follows for the next plan.
struct DeviceLook {
  let planner: DevicePlanner
  let situation: DevicePlanner.Situation
  private let deliveries: DevicePlanner.Deliveries
  let now: Instant
  private(set) var evidence: DeliveryEvidence
  var occurrences: Occurrences
  /// Whose those are that came due while their user was not there.
  private(set) var absentUsers: [Occurrences.Key: String] = [:]
  /// Events of the report whose occurrence is not known yet.
  var unplaced: [SyncEvent] = []
  /// Ids of the report's taps that are of something the device was told to hold.
  var tapsOfDelivered: Set<String> = []
  /// What the tallies hold already.
  private var counted: Set<Sample> = []
  /// As the plan is to take it.
  var truth: DeviceTruth
  private(set) var fatigue: DeviceStateChange.Fatigue?
  /// What this report showed.
  var drift = DriftCounts()
  /// What is due and rings yet, since the device's clock is behind.
  private(set) var stillRinging: [DeliveryMemory.Due] = []

  init(
    _ planner: DevicePlanner, _ situation: DevicePlanner.Situation, _ evidence: DeliveryEvidence,
    _ deliveries: DevicePlanner.Deliveries, now: Instant
  ) throws(ServiceError) {
    self.planner = planner
    self.situation = situation
    self.deliveries = deliveries
    self.now = now
    self.evidence = evidence
    self.evidence.fetched = deliveries.memory.fetched
    truth = situation.truth
    occurrences = Occurrences(stored: situation.occurrences)
    postpone()
    if !deliveries.fired.isEmpty, let previous = situation.previous {
      let heads = QueueIndex(situation.queueBefore)
      let journey = try Journey(planner, situation, now: now)
      let held = HeldOccurrences(
        try previous.plan(), group: { heads[$0]?.head.group },
        wishElsewhere: { id in heads[id].flatMap { journey?.wish(of: $0) } })
      for fired in deliveries.fired {
        for row in held.occurrences(of: fired) { occurrences.add(row) }
      }
    }
    settle()
    if evidence.source == .report {
      unplaced = situation.newEvents
      placeEvents()
      takeNotificationCenter()
      try findDrift()
      let settings = situation.report?.settings
      fatigue = truth.noteNoticeability(
        situation.state, isTold: settings?.sound != nil || settings?.lockScreen != nil, now: now)
      if let version = situation.report?.planVersion {
        truth.appliedPlanVersion = max(version, truth.appliedPlanVersion ?? 0)
      }
    }
    count()
    try rememberDelivered()
    stillRinging = try StillRinging(
      planner: planner, situation: situation, evidence: evidence, occurrences: occurrences, now: now
    ).requests(of: deliveries.memory.due)
  }

  // MARK: What was held

  private mutating func postpone() {
    for (key, item) in occurrences.items {
      guard item.row.outcome == .open else { continue }
      var row = item.row
      if let due = row.due {
        guard deliveries.postponed.contains(due) else { continue }
        row.held = nil
      } else if !situation.stillHas(row) {
        // Cancelled, or put anew, before it came.
        (row.outcome, row.reason) = (.missed, StoredDelivery.takenBack)
      }
      occurrences[key] = row
    }
  }

  private mutating func settle() {
    guard evidence.source == .report else { return }
    let last = occurrences.lastDue
    for (key, item) in occurrences.items where item.row.outcome == .open && !item.row.isUntold {
      guard let due = item.row.due else { continue }
      var row = item.row
      row.outcome = evidence.outcome(
        of: due, isLast: last[row.request] == row.dueAt, hasVanished: truth.vanished.contains(row.request))
      if row.outcome == .open, evidence.isUntold(due) { row.reason = StoredDelivery.untold }
      occurrences[key] = row
    }
  }

  /// Requests that are found delivered at this look.
  var newlyDelivered: Set<NotificationID> {
    let found = occurrences.items.values.filter { item in
      item.row.outcome.isDelivered && !(item.stored?.outcome.isDelivered ?? false)
    }
    return Set(found.map(\.row.request)).union(rungByAnOlderPlan.map(\.request.delivery.id))
  }

  // MARK: What follows

  /// A digest is one request, whatever it stands for.
  private struct Sample: Hashable {
    var request: NotificationID
    var dueAt: Instant
    var isTap: Bool
  }

  private mutating func count() {
    let rule = planner.policy.policy.adaptivePriority ?? AdaptivePriority()
    var engagement = Engagement(truth, rule, now: now)
    for row in occurrences.changed {
      let stored = occurrences.items[Occurrences.Key(row)]?.stored
      let isDelivered = row.outcome.isDelivered && !(stored?.outcome.isDelivered ?? false)
      let isTapped = row.tappedAt != nil && stored?.tappedAt == nil
      func isFirst(_ isTap: Bool) -> Bool {
        counted.insert(Sample(request: row.request, dueAt: row.dueAt, isTap: isTap)).inserted
      }
      engagement.count(
        type: row.type, dueAt: row.dueAt, isDelivered: isDelivered && isFirst(false),
        isTapped: isTapped && isFirst(true))
    }
    engagement.write(to: &truth)
  }

  /// What rang by an older plan, though a newer one had taken it back.
  var rungByAnOlderPlan: [DeliveryMemory.Superseded] { deliveries.rung }

  /// Whether it is of an older put: its id stands in the queue for another time.
  func isOfEarlierPut(_ delivery: PastDelivery) -> Bool { deliveries.others.contains(delivery) }

  func isOfEarlierPut(_ row: StoredDelivery) -> Bool {
    !deliveries.others.isEmpty
      && isOfEarlierPut(PastDelivery(id: row.request, type: row.type, at: row.dueAt))
  }

  /// Whether planning counts it among what was delivered.
  func isInHistory(_ row: StoredDelivery) -> Bool {
    deliveries.memory.made.contains { $0.id == row.request && $0.at >= row.wishedAt }
  }

  /// What is over for planning, though it rings yet. A repetition presumes it delivered by itself.
  var ringingDeliveries: [PastDelivery] {
    stillRinging.filter { evidence.stillHolds($0) }.map(\.delivery)
  }

  /// What of the stored plan an answer has brought the device.
  func handedOutPlan(_ previous: PreviousPlan) throws(ServiceError) -> Plan {
    let whole = try previous.plan()
    guard deliveries.isForOthers else { return whole }
    var plan = whole
    plan.held.removeAll { !situation.isHandedOut($0, of: whole, by: deliveries.memory) }
    return plan
  }

  // MARK: After the plan

  /// What the answer takes away from the device, due but pending: it will not ring.
  mutating func takeBack(_ requests: [DeliveryMemory.Due]) {
    for due in requests {
      for (key, item) in occurrences.items where item.row.outcome == .open && item.row.due == due {
        var row = item.row
        let isDenied = situation.state.authorizationStatus == .denied
        row.outcome = isDenied ? .suppressed : .missed
        row.reason = isDenied ? nil : StoredDelivery.takenBack
        occurrences[key] = row
      }
    }
  }

  /// What came due without being held, and what of the rest is still to come, as the new plan has it.
  ///
  /// - Returns: everything that came due since the last look.
  mutating func complete(_ plan: Plan) throws(ServiceError) -> [CameDue] {
    let wishes = PassedWishes(
      planner: planner, situation: situation, before: try planner.planningDevice(situation.before),
      after: try planner.planningDevice(situation.state),
      journey: try Journey(planner, situation, now: now), now: now)
    truth.waiting = wishes.waiting(in: plan)
    for (key, item) in occurrences.items where item.isNew && truth.waiting.contains(key.notification) {
      if !(item.row.held?.repeats ?? false) { occurrences.withdraw(key) }
    }
    try addUnheld(wishes.asleep(waiting: truth.waiting) + wishes.passed(in: plan) + wishes.repeated())
    addRungByAnOlderPlan(wishes)
    placeEvents()
    count()
    try rememberDelivered()
    forgetDelivered()
    keepVanished(plan)
    let new = occurrences.new
    if !new.isEmpty || truth != situation.truth {
      truth.lookedAt = now
      truth.lookedVersion = situation.rowVersion + 1
    }
    return cameDue(new)
  }

  private mutating func addUnheld(_ wishes: [PassedWishes.Wish]) throws(ServiceError) {
    let unheld = wishes.filter { !isKnown($0) }
    guard !unheld.isEmpty else { return }
    let previous = try situation.previous?.plan()
    let absence = PlanAbsence(previous)
    for wish in unheld {
      let head = wish.entry.head
      var row = StoredDelivery(
        notification: head.id, wishedAt: wish.at, request: head.id,
        type: planner.policy.type(of: head.id, named: head.type).name, dueAt: wish.at, outcome: .open)
      if let rung = rung(wish) {
        row.request = rung.id
        row.dueAt = rung.at
        row.outcome = evidence.confirms(rung.id, dueAt: rung.at) ? .delivered : .inferredDelivered
      } else if wish.hasBeenLeapt, !evidence.isDenied {
        (row.outcome, row.reason) = (.expired, StoredDelivery.travelled)
      } else {
        (row.outcome, row.reason) = absence.outcome(of: wish, isDenied: evidence.isDenied)
      }
      if wish.isAsleep { absentUsers[Occurrences.Key(row)] = wish.entry.user }
      occurrences.add(row)
    }
  }

  /// Whether it stands among what was held.
  private func isKnown(_ wish: PassedWishes.Wish) -> Bool {
    let id = wish.entry.head.id
    if let item = occurrences.items[Occurrences.Key(notification: id, wishedAt: wish.at)] {
      return item.isNew || item.row.held != nil
    }
    guard situation.state.info.timeZone != situation.before.info.timeZone, !wish.entry.head.trigger.repeats
    else {
      // A wall time comes but once, wherever it was told.
      return wish.entry.head.trigger.isFloatingOnce
        && occurrences.items.contains { key, item in
          key.notification == id && item.row.dueAt > wish.entry.acceptedAt
            && (item.isNew || item.row.held != nil) && !isOfEarlierPut(item.row)
        }
    }
    return occurrences.items.contains { key, item in
      key.notification == id
        && (item.isNew || item.row.held != nil && item.row.dueAt > wish.entry.acceptedAt)
        && !isOfEarlierPut(item.row)
    }
  }

  /// It was delivered all the same: a newer plan had taken it back or brought it once more, but the device lived by an
  /// older one.
  private func rung(_ wish: PassedWishes.Wish) -> PastDelivery? {
    let id = wish.entry.head.id
    func isOfWish(_ delivery: PastDelivery) -> Bool {
      guard delivery.at > wish.entry.acceptedAt, !isOfEarlierPut(delivery) else { return false }
      return wish.entry.head.trigger.repeats
        ? delivery.at == wish.at && delivery.id.text.hasPrefix(id.text + "@")
        : delivery.id == id && delivery.at >= wish.at
    }
    return deliveries.rung.map(\.request.delivery).first(where: isOfWish)
      ?? deliveries.memory.made.first(where: isOfWish)
  }

  /// What rang that way, of a wish that had been given up at an earlier look, or that the queue has no more.
  private mutating func addRungByAnOlderPlan(_ wishes: PassedWishes) {
    for item in deliveries.rung {
      let rung = item.request.delivery
      let isThere = occurrences.items.contains {
        $0.value.row.request == rung.id && $0.value.row.dueAt == rung.at
      }
      guard !isThere else { continue }
      var row = StoredDelivery(
        notification: rung.id, wishedAt: isOfEarlierPut(rung) ? item.wishedAt : wishes.wish(of: rung),
        request: rung.id, type: rung.type, dueAt: rung.at,
        outcome: evidence.confirms(rung.id, dueAt: rung.at) ? .delivered : .inferredDelivered)
      // It was held, whatever was thought of it before.
      row.held = .init(revisionHash: 0, planVersion: 0, repeats: false)
      occurrences.add(row)
    }
  }

  /// What is neither held nor open any more need not be remembered as lost.
  private mutating func keepVanished(_ plan: Plan) {
    guard !truth.vanished.isEmpty else { return }
    var wanted = Set(plan.held.map(\.id))
    for item in occurrences.items.values where item.row.outcome == .open { wanted.insert(item.row.request) }
    truth.vanished.formIntersection(wanted)
  }

  private func cameDue(_ rows: [StoredDelivery]) -> [CameDue] {
    guard !rows.isEmpty else { return [] }
    let heads = PassedWishes.byID(situation.queueBefore + situation.queue)
    let all = absentUsers.isEmpty ? heads : PassedWishes.byID(situation.everybodys)
    return rows.map { row in
      let user = absentUsers[Occurrences.Key(row)]
      return CameDue(
        notification: row.notification, request: row.request, type: row.type, wishedAt: row.wishedAt,
        at: row.dueAt, outcome: row.outcome,
        inbox: (user == nil ? heads : all)[row.notification]?.head.inbox ?? false, user: user)
    }
  }

  /// What came due at an earlier look, and of which the outcome is another now.
  var settled: [CameDue] { cameDue(occurrences.settled) }

  /// What to store of all that, with what the report changed; nil: nothing.
  func history(_ change: DeviceStateChange?) -> DeviceHistory? {
    var history = DeviceHistory()
    history.change = change
    history.deliveries = owned(occurrences.changed)
    if truth != situation.truth { history.truth = truth }
    return history.isEmpty ? nil : history
  }
}
