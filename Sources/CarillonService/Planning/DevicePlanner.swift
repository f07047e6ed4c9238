import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonStore

/// Makes the plan of one device from what the database knows of it.
struct DevicePlanner {
  /// Expired entries stay in the queue this long, so that support can still be asked about them.
  static let secondsExpiredEntriesAreKept: Int64 = 30 * 86_400
  /// The zone of a device that has never said where it is.
  static let zoneBeforeFirstReport = "UTC"

  let zones: any ZoneLookup
  let policy: CompiledPolicy
  let policyVersion: Int

  /// A plan with what the store must know to keep it.
  struct Outcome {
    var result: PlanResult
    /// Nil when the plan is the one that is stored.
    var draft: PlanDraft?
    /// Whether it is another plan than the stored one.
    var isNew: Bool
    /// Ids that may be pending on the device from now on.
    var sent: Set<NotificationID>
    /// Expired so long ago that they leave the queue.
    var prunes: [NotificationID]
    /// Until when the plan stays what it is if nobody says or changes anything.
    var validUntil: Instant
    /// Everything that came due since the last look, in the order of time.
    var cameDue: [CameDue]
    /// What is known now of what came due, and of the device.
    var look: DeviceLook
  }

  /// What the planner must know of a device.
  func planningDevice(_ state: DeviceState) throws(ServiceError) -> PlanningDevice {
    PlanningDevice(
      authorizationStatus: state.authorizationStatus, settings: state.settings, zone: try zone(of: state),
      firstWeekday: state.info.firstWeekday ?? 1,
      minimumDaysInFirstWeek: state.info.minimumDaysInFirstWeek ?? 1)
  }

  /// The time of what rings once, whether it has passed or not; of anything else the next one.
  func wish(of entry: StoredEntry, on device: PlanningDevice, now: Instant) -> Instant? {
    Planner.firstFire(of: entry.head, acceptedAt: entry.acceptedAt, now: now, device: device, zones: zones)
  }

  private func zone(of state: DeviceState) throws(ServiceError) -> ZoneTable {
    let name = state.info.timeZone ?? Self.zoneBeforeFirstReport
    guard let zone = zones.zone(named: name) else {
      throw .unknownTimeZone(name: name, pointer: "/device/timeZone")
    }
    return zone
  }

  /// What a plan is made from, besides the policy and the time.
  struct Situation {
    /// After the report, when there is one.
    var state: DeviceState
    /// After the report's puts and cancels; without what sleeps.
    var queue: [StoredEntry]
    /// Before them.
    var queueBefore: [StoredEntry]
    /// All of it before them, with what sleeps.
    var everybodys: [StoredEntry]
    /// Whether the two may differ.
    var edits = false
    /// The stored plan.
    var previous: PreviousPlan?
    /// What is known of the device beside its state.
    var truth: DeviceTruth
    /// What is open of what came due, and all of what the report speaks of.
    var occurrences: [StoredDelivery] = []
    /// Those of the report's events that came before.
    var knownEvents: Set<String> = []
    /// As it was before the report.
    var before: DeviceState
    /// The one this very call brought.
    var report: SyncRequest?
    /// Whether it is the newest one once more, and changes no state.
    var isRepetition = false
    /// Whether the plan goes to the device; a plan for anybody else takes nothing from it and brings it nothing.
    var isAnswer = false
    /// Items of the inbox, which badges count on from.
    var unread = 0
    /// When the last report came; nil: none did.
    var seenAt: Instant?
    /// Of the device as it is stored; 0 where it is not.
    var rowVersion: Int64 = 0
    /// What is forgotten is forgotten as of then; nil: as of the planning's own time.
    var forgetsAsOf: Instant?

    /// Without a report.
    init(
      _ device: StoredDevice?, state: DeviceState, queue: [StoredEntry], previous: PreviousPlan?,
      truth: DeviceTruth
    ) {
      seenAt = device?.sequence == nil ? nil : device?.seenAt
      rowVersion = device?.rowVersion ?? 0

      self.state = state
      everybodys = queue
      self.queue = queue.awake(for: state.info.userId)
      self.previous = previous
      self.truth = truth
      queueBefore = self.queue
      before = state
    }
  }

  func plan(_ situation: Situation, now: Instant) throws(ServiceError) -> Outcome {
    let (state, queue, previous) = (situation.state, situation.queue, situation.previous?.summary)
    let evidence = situation.evidence
    var deliveries = try deliveries(situation, evidence, now: now)
    var look = try DeviceLook(self, situation, evidence, deliveries, now: now)
    var input = try input(
      situation, history: deliveries.history + look.ringingDeliveries, truth: look.truth, now: now)
    input.stillRinging = Set(look.stillRinging.map(\.delivery.id))
    var result = Planner.plan(input, zones: zones)
    let takenBack = deliveries.takeBack(by: result, look.evidence)
    look.takeBack(takenBack)
    let sent = sent(
      after: result.plan, state: state, before: input.sent,
      isReported: !situation.isRepetition && situation.report?.pending != nil)
    result.plan.version = 0
    let form = PlanCodec.encode(result.plan)
    let digest = Self.digest(of: form)
    // A change of `sent` or of what is remembered alone is stored, but it is no new plan.
    let isNew = previous.map { $0.digest != digest } ?? true
    result.plan.version = (previous?.version ?? 0) + (isNew ? 1 : 0)
    let memory = try remembered(
      deliveries, with: result.plan, isNew: isNew, situation, evidence, now: now)
    let isStored =
      previous.map {
        !isNew && $0.policyVersion == policyVersion && $0.zoneData == zones.version
          && Set($0.sent) == sent && $0.deliveries == memory
      } ?? false
    let cameDue = try look.complete(result.plan)
    var draft = isStored ? nil : draft(result.plan, form, digest: digest, sent: sent, memory)
    if draft != nil, try areEvictionsCounted(result.plan, after: situation.previous, now: now) {
      draft?.evictions = [:]
    }
    return Outcome(
      result: result, draft: draft,
      isNew: isNew, sent: sent,
      prunes: prunes(result.plan, queue: queue, now: situation.forgetsAsOf ?? now),
      validUntil: look.stillRinging.map { $0.delivery.at.adding(seconds: StillRinging.mostSeconds) }
        .reduce(validUntil(result.plan, input, now: now), min), cameDue: cameDue, look: look)
  }

  /// Why a notification is where the plan of this moment puts it.
  func explain(
    _ id: NotificationID, _ situation: Situation, now: Instant
  ) throws(ServiceError) -> Explanation {
    let history = try deliveries(situation, situation.evidence, now: now).history
    let input = try input(situation, history: history, truth: situation.truth, now: now)
    var explanation = Planner.explain(id, in: input, zones: zones)
    try explanation.tellWhatBecame(of: id, situation, now: now)
    return explanation
  }

  private func input(
    _ situation: Situation, history: [PastDelivery], truth: DeviceTruth, now: Instant
  ) throws(ServiceError) -> PlanInput {
    var input = PlanInput(
      policy: policy, policyVersion: policyVersion,
      device: try planningDevice(situation.state), now: now)
    let promised = try promised(situation, on: input.device, now: now)
    input.queue = situation.queue.map { entry in
      var head = entry.head
      if promised.contains(head.id) { head.overdue = .deliverNow }
      return QueueEntry(head: head, acceptedAt: entry.acceptedAt)
    }
    input.sent = Set(situation.previous?.summary.sent ?? [])
    input.pending = situation.state.pending
    input.foreign = situation.state.foreign
    input.history = history
    input.unread = situation.unread
    input.engagement = truth.engagement
    input.fatiguedAt = truth.fatiguedAt
    input.expired = try expired(situation, on: input.device)
    if !truth.delivered.isEmpty {
      for entry in situation.queue {
        guard let told = truth.delivered[entry.head.id], told.acceptedAt == entry.acceptedAt else { continue }
        input.delivered[entry.head.id] = told.at
      }
    }
    return input
  }

  /// What a cap has moved past its wish and the stored plan brings yet. What stood before it may turn out never to have
  /// come: then there was room for it at a time that has passed, and it comes at once, and is not given up for that.
  private func promised(
    _ situation: Situation, on device: PlanningDevice, now: Instant
  ) throws(ServiceError) -> Set<NotificationID> {
    guard let previous = situation.previous, !policy.policy.frequencyCaps.isEmpty else { return [] }
    let moved = try previous.plan().held.filter { request in
      guard !request.trigger.repeats, let wish = request.moves.first?.from, let fire = request.fireAt else {
        return false
      }
      return wish <= now && fire > now
    }
    guard !moved.isEmpty else { return [] }
    let entries = QueueIndex(situation.queue)
    let kept = moved.filter { request in
      guard let entry = entries[request.source], let wish = wish(of: entry, on: device, now: now) else {
        return false
      }
      // Another put, or the clock of another zone, asks for another time.
      return wish == request.moves.first?.from && wish > entry.acceptedAt
    }
    return Set(kept.map(\.source))
  }

  /// What the stored plan called expired and is still asked for at that very time: only a cap could make it come
  /// back, by a delivery that came later.
  private func expired(
    _ situation: Situation, on device: PlanningDevice
  ) throws(ServiceError) -> Set<NotificationID> {
    guard let previous = situation.previous, !policy.policy.frequencyCaps.isEmpty else { return [] }
    let expired = try previous.plan().expired
    guard !expired.isEmpty else { return [] }
    let entries = QueueIndex(situation.queue)
    return Set(
      expired.filter { request in
        guard let entry = entries[request.id] else { return false }
        let wish = Planner.firstFire(
          of: entry.head, acceptedAt: entry.acceptedAt, now: request.fireAt, device: device, zones: zones)
        return wish == request.fireAt
      }.map(\.id))
  }

  /// Occurrences enter the horizon as time goes by: a plan that has some is looked at again after an hour.
  static let secondsAnExpansionHolds: Int64 = 3_600

  /// The next moment at which time alone changes the plan: the next fire or expiry of anything in the queue. What
  /// is withheld has no fire in the plan, but expires like everything else.
  private func validUntil(_ plan: Plan, _ input: PlanInput, now: Instant) -> Instant {
    var next = Self.neverChanges
    for request in plan.held { next = min(next, request.fireAt ?? next) }
    for request in plan.queued { next = min(next, request.fireAt ?? next) }
    // What expires before its time reaches the inbox at that time.
    for request in plan.expired where request.fireAt > now { next = min(next, request.fireAt) }
    if let refreshBy = plan.refreshBy, refreshBy > now { next = min(next, refreshBy) }
    if let recovery = input.recoversAt { next = min(next, recovery) }
    for entry in input.queue {
      if let expiry = entry.head.expiresAt, expiry > now { next = min(next, expiry) }
    }
    if plan.held.contains(where: { $0.source != $0.id }) {
      next = min(next, now.adding(seconds: Self.secondsAnExpansionHolds))
    }
    guard !plan.withheld.isEmpty else { return next }
    for entry in input.queue {
      let fire = Planner.firstFire(
        of: entry.head, acceptedAt: entry.acceptedAt, now: now, device: input.device, zones: zones)
      if let fire, fire > now { next = min(next, fire) }
    }
    return next
  }

  /// 1 January 3000, beyond every fire there can be.
  private static let neverChanges = Instant(seconds: 32_503_680_000)

  private func draft(
    _ plan: Plan, _ form: [UInt8], digest: UInt64, sent: Set<NotificationID>, _ memory: [UInt8]
  ) -> PlanDraft {
    PlanDraft(
      version: plan.version, policyVersion: policyVersion, zoneData: zones.version, digest: digest,
      document: PlanCodec.encoded(form, version: plan.version), sent: sent.sorted(),
      nextFireAt: plan.held.lazy.compactMap(\.fireAt).min(), deliveries: memory,
      evictions: plan.evictionsByType)
  }

  /// Whether the plan before left the same without a slot, on the same day.
  private func areEvictionsCounted(
    _ plan: Plan, after previous: PreviousPlan?, now: Instant
  ) throws(ServiceError) -> Bool {
    guard let previous, previous.summary.computedAt.utcDay == now.utcDay else { return false }
    return try previous.plan().evictionsByType == plan.evictionsByType
  }

  /// Of all a plan says but its version.
  ///
  /// - Parameter form: stored while the version was 0.
  private static func digest(of form: [UInt8]) -> UInt64 {
    var hash = StableHash()
    hash.combine(form)
    return hash.state
  }

  /// What was once sent stays ours until a report shows it gone.
  private func sent(
    after plan: Plan, state: DeviceState, before: Set<NotificationID>, isReported: Bool
  ) -> Set<NotificationID> {
    let held = Set(plan.held.map(\.id))
    if !isReported, before.count <= Self.maximumSent { return before.union(held) }
    return before.intersection((state.pending ?? []).map(\.id)).union(held)
  }

  /// More than this is not remembered between two reports of what is pending.
  static let maximumSent = 1_000

  /// Those that expired long ago, and were not put only after that.
  private func prunes(_ plan: Plan, queue: [StoredEntry], now: Instant) -> [NotificationID] {
    let limit = now.adding(seconds: -Self.secondsExpiredEntriesAreKept)
    let old = Set(plan.expired.filter { $0.fireAt < limit }.map(\.id))
    guard !old.isEmpty else { return [] }
    return queue.filter { $0.acceptedAt < limit && old.contains($0.head.id) }.map(\.head.id)
  }
}

extension Instant {
  /// Days since 1970.
  fileprivate var utcDay: Int64 { (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400 }
}
