import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonStore

extension DevicePlanner {
  /// What was delivered so far, for planning, and what of it to remember.
  struct Deliveries {
    var history: [PastDelivery] = []
    var memory = DeliveryMemory()
    /// Whether the memory holds more than what is stored.
    var isNews = false
    /// Requests of the stored plan whose time has come.
    var fired: [FiredRequest] = []
    /// What rang by an older plan, though the stored one had taken it back.
    var rung: [DeliveryMemory.Superseded] = []
    /// Of what has come, what the queue has no more: its id was put anew with another time.
    var others: Set<PastDelivery> = []
    /// What was noted as due, and is still to come.
    var postponed: [DeliveryMemory.Due] = []
    /// Whether the stored plan was made for somebody else than the device.
    var isForOthers: Bool { memory.handedOut != nil }

    /// Decides what was due and pending and is so no longer once the answer has arrived.
    mutating func takeBack(
      by result: PlanResult, _ evidence: DeliveryEvidence
    ) -> [DeliveryMemory.Due] {
      let takenBack = memory.due.filter {
        !$0.repeats && evidence.stillHolds($0) && result.takesBack($0)
      }
      guard !takenBack.isEmpty else { return [] }
      memory.takeBack(takenBack)
      isNews = true
      return takenBack
    }
  }

  func deliveries(
    _ situation: Situation, _ evidence: DeliveryEvidence, now: Instant
  ) throws(ServiceError) -> Deliveries {
    guard let previous = situation.previous else { return Deliveries() }
    var evidence = evidence
    let journey = try Journey(self, situation, now: now)
    let hasFired =
      previous.summary.nextFireAt.map { fire in
        fire <= evidence.latest(now) || journey != nil
          || evidence.source == .report && evidence.confirmsAnything
      } ?? false
    guard !previous.summary.deliveries.isEmpty || hasFired else { return Deliveries() }
    let stored: DeliveryMemory
    do { stored = try DeliveryMemory(stored: previous.summary.deliveries) } catch {
      throw .store(.unreadable(.deliveries))
    }
    var deliveries = Deliveries(memory: stored)
    evidence.fetched = stored.fetched
    if !stored.due.isEmpty, evidence.source == .report {
      let postponed = try Postponed(self, situation, evidence, journey, now: now)
      deliveries.postponed = deliveries.memory.postpone(postponed.contains)
    }
    if hasFired {
      let plan = try previous.plan()
      // Where the device was when they came.
      let fires = PastFires(device: try planningDevice(situation.before), zones: zones, now: now)
      let rung = RungRequests(
        situation, evidence, fires: fires, journey: journey, planVersion: plan.version,
        heldSince: stored.heldSince)
      deliveries.fired = plan.held.filter { situation.isHandedOut($0, of: plan, by: stored) }
        .compactMap(rung.fired)
      deliveries.memory.note(
        deliveries.fired, earliest: now.adding(seconds: -secondsRemembered))
    }
    if let journey { deliveries.memory.travel(journey, evidence) }
    let hasTravelled = deliveries.memory.superseded != stored.superseded
    deliveries.rung = deliveries.memory.settle(evidence, now: now, seenAt: situation.seenAt)
    if !deliveries.fired.isEmpty || !deliveries.rung.isEmpty {
      let puts = try EarlierPuts(self, situation, journey, now: now)
      deliveries.memory.others.formUnion(deliveries.fired.flatMap(puts.deliveries))
      deliveries.others = Set(deliveries.rung.filter(puts.contains).map(\.request.delivery))
    }
    deliveries.others.formUnion(deliveries.memory.others)
    deliveries.memory.disown(deliveries.others)
    deliveries.history = deliveries.memory.history(evidence)
    deliveries.isNews = hasTravelled || !deliveries.memory.knowsTheSame(as: stored)
    return deliveries
  }

  /// What to store of a memory beside a plan.
  ///
  /// - Parameter isNew: whether the plan is another one than the stored one.
  func remembered(
    _ deliveries: Deliveries, with plan: Plan, isNew: Bool, _ situation: Situation,
    _ evidence: DeliveryEvidence, now: Instant
  ) throws(ServiceError) -> [UInt8] {
    // Only a report's answer brings the device a plan, or the plan that it asks for by itself.
    let isAnswer = situation.isAnswer
    guard let previous = situation.previous else {
      return isAnswer ? [] : DeliveryMemory(made: [], due: [], handedOut: 0).stored
    }
    // Time alone makes nothing worth writing.
    let isHandedOut = isAnswer && deliveries.isForOthers
    guard isNew || deliveries.isNews || isHandedOut else { return previous.summary.deliveries }
    var memory = deliveries.memory
    if isAnswer {
      memory.handedOut = nil
      if situation.report == nil { memory.fetched = plan.version }
    } else if isNew {
      memory.handedOut = memory.handedOut ?? previous.summary.version
    }
    if isNew {
      let old = try previous.plan()
      let zones = (
        before: try planningDevice(situation.before).zone, after: try planningDevice(situation.state).zone
      )
      memory.supersede(old, by: plan, in: zones, now: now) { request in
        situation.isHandedOut(request, of: old, by: deliveries.memory) && evidence.mayHold(request)
      }
      let shown = isAnswer ? ShownRequests(situation.state) : ShownRequests()
      memory.goOn(old, with: plan) { request, first in
        isAnswer && (shown.contains(request) || situation.hasLost(request, since: first, shown))
      }
    }
    let needs = QueueNeeds(situation.queue + situation.asleep)
    memory.prune(now: situation.forgetsAsOf ?? now, seconds: secondsRemembered) { needs.contains($0) }
    return memory.stored
  }

  /// As far back as the longest cap looks.
  private var secondsRemembered: Int64 {
    policy.policy.frequencyCaps.reduce(DeliveryMemory.secondsKept) { longest, cap in
      guard case .rolling(let seconds) = cap.per else { return longest }
      return max(longest, Int64(seconds))
    }
  }
}

/// The stored plan, read when somebody asks for more than its summary, and once.
final class PreviousPlan {
  let summary: PlanSummary
  private var decoded: Plan?

  init(_ summary: PlanSummary) { self.summary = summary }

  func plan() throws(ServiceError) -> Plan {
    if let decoded { return decoded }
    let plan: Plan
    do { plan = try PlanCodec.decode(summary.document) } catch { throw .store(.unreadable(.plan)) }
    decoded = plan
    return plan
  }
}

extension DevicePlanner.Situation {
  var evidence: DeliveryEvidence {
    DeliveryEvidence(
      state: before, report: report, isRepetition: isRepetition, events: newEvents,
      appliedBefore: truth.appliedPlanVersion)
  }

  /// As ``DeliveryMemory/isHandedOut(_:of:applied:)``.
  func isHandedOut(_ request: HeldRequest, of plan: Plan, by memory: DeliveryMemory) -> Bool {
    let applied = max(report?.planVersion ?? 0, truth.appliedPlanVersion ?? 0)
    return memory.isHandedOut(request, of: plan, applied: applied)
  }

  /// Whether the report says that a plan from that version on was applied, and does not list what all of them held.
  fileprivate func hasLost(_ request: HeldRequest, since first: Int, _ shown: ShownRequests) -> Bool {
    guard !isRepetition, let report, report.pending != nil, let applied = report.planVersion else {
      return false
    }
    return applied >= first && !shown.contains(request)
  }

  /// What the report tells for the first time, each once.
  var newEvents: [SyncEvent] {
    var seen = knownEvents
    return report?.events.filter { seen.insert($0.id).inserted } ?? []
  }
}

/// Of which deliveries the queue still asks whether they were made.
private struct QueueNeeds {
  private var once: Set<NotificationID> = []
  private var groups: Set<Substring> = []

  init(_ queue: [StoredEntry]) {
    for entry in queue where !entry.head.trigger.repeats {
      once.insert(entry.head.id)
      if let group = entry.head.group { groups.insert(group[...]) }
    }
  }

  func contains(_ id: NotificationID) -> Bool {
    once.contains(id) || Self.group(ofDigest: id.text).map { groups.contains($0) } ?? false
  }

  /// `g` of `digest.g@20260102T0700`.
  private static func group(ofDigest id: String) -> Substring? {
    let prefix = "digest."
    guard id.hasPrefix(prefix), let end = id.lastIndex(of: "@") else { return nil }
    let rest = id.dropFirst(prefix.count)
    return rest.startIndex <= end ? rest[..<end] : nil
  }
}
