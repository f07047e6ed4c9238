import CarillonAPI
import CarillonModel
import CarillonPlanner
import CarillonStore

/// A device reports what it is and what it holds, and learns what to change: the hot path.
///
/// A report without news is answered by one statement. Any other is loaded, planned in memory and applied in a
/// second round trip, guarded by the device's row version; when somebody was faster the sync starts over.
public final class SyncService {
  let store: Store
  private let policies: PolicyCache
  private let zones: any ZoneLookup
  let makeDeviceID: () -> DeviceID
  let note: (DeviceFindings) -> Void

  /// - Parameters:
  ///   - makeDeviceID: gives a new random id, for the copy of an installation.
  ///   - note: told what each stored sync showed.
  public init(
    store: Store, policies: PolicyCache, zones: any ZoneLookup, makeDeviceID: @escaping () -> DeviceID,
    note: @escaping (DeviceFindings) -> Void = { _ in }
  ) {
    self.store = store
    self.policies = policies
    self.zones = zones
    self.makeDeviceID = makeDeviceID
    self.note = note
  }

  /// Takes a report that says nothing new, of which no more was read than its digest. Nil: read it whole and
  /// ``sync(_:tenant:device:now:)``.
  ///
  /// - Parameter user: whom the report must come from; nil: anyone on the device.
  public func confirm(
    _ scan: ReportScan, tenant: TenantID, device: DeviceID, user: BoundUser? = nil, now: Instant
  ) async throws(ServiceError) -> SyncAnswer? {
    guard !scan.hasEffects else { return nil }
    let steady = try await storing { () async throws(StoreError) in
      try await store.confirmUnchanged(
        tenant: tenant, device: device, user: user, sequence: scan.sequence,
        digest: steadyDigest(scan.digest), now: now)
    }
    return steady.map { .steady(SteadyForm(planVersion: $0.planVersion, tail: $0.answer)) }
  }

  /// One sync, one transaction: when this returns, what was reported is durable.
  ///
  /// - Parameters:
  ///   - user: whose the device must be, once the report has said who is there; nil: anyone's.
  ///   - keeping: for a request that may come again; nil: its answer is not kept.
  /// - Throws: `otherUser` when it is not; then nothing of the report is taken.
  public func sync(
    _ report: ReceivedReport, tenant: TenantID, device: DeviceID, user: BoundUser? = nil,
    quotas: Quotas = Quotas(),
    keeping: Keeping<SyncAnswer>? = nil, now: Instant
  ) async throws(ServiceError) -> SyncAnswer {
    let incoming = IncomingReport(
      report: report, tenant: tenant, device: device, user: user, keeping: keeping, quotas: quotas, now: now)
    if let named = report.request.device?.userId { try incoming.checkUser(named) }
    for _ in 0..<Attempts.maximum {
      if let answer = try await attempt(incoming, as: device) { return answer }
    }
    throw .contention
  }

  /// Nil when the device changed meanwhile.
  /// - Parameters:
  ///   - device: whose report it is.
  ///   - original: the installation of which this new one is a copy.
  func attempt(
    _ incoming: IncomingReport, as device: DeviceID, copyOf original: DeviceID? = nil
  ) async throws(ServiceError) -> SyncAnswer? {
    let (report, tenant, now) = (incoming.report, incoming.tenant, incoming.now)
    var snapshot = try await storing { () async throws(StoreError) in
      try await store.loadDevice(
        tenant: tenant, device: device, knownPolicyVersion: policies.knownVersion(of: tenant),
        mentions: report.request.mentions,
        inbox: InboxQuestion(user: incoming.inboxUser, now: now))
    }
    guard let policy = try policies.policy(of: tenant, in: snapshot) else { return nil }
    let planner = DevicePlanner(zones: zones, policy: policy.policy, policyVersion: policy.version)
    let loaded = snapshot.device
    switch Installation.judge(report.request, reportedAs: loaded, now: snapshot.forgetsAsOf(now)) {
    case .own: break
    case .copy(let key):
      return try await syncCopy(incoming, of: device, deviceKey: key)
    case .successor: snapshot.beginAnew()
    }
    if let known = snapshot.device?.sequence, known >= report.request.sequence {
      return try await staleAnswer(to: incoming, snapshot: snapshot, planner: planner)
    }

    let before = snapshot.device?.state
    let state = (before ?? DeviceState()).merging(report.request)
    try incoming.checkUser(state.info.userId)
    if loaded == nil, !incoming.quotas.admitsDevice() { throw .deviceLimit }
    let wishes = try PutCheck(report, device: try planner.planningDevice(state), zones: zones, now: now)
    let renewal = Renewal(
      zones: zones,
      devices: try [before ?? state, state].map { state throws(ServiceError) in
        try planner.planningDevice(state)
      }, now: now)
    let previous = snapshot.plan.map(PreviousPlan.init)
    let edit = try QueueEdit(
      wishes, cancels: report.request.cancel, queue: snapshot.queue,
      user: state.info.userId, most: incoming.quotas.notificationsPerDevice,
      version: (snapshot.device?.rowVersion ?? 0) + 1,
      isOver: { entry throws(ServiceError) in
        // What is pending yet rings yet, whatever our clock says.
        guard renewal.isOver(entry), !report.request.lists(entry.head.id) else { return false }
        return try !(previous?.plan().stillBrings(entry.head, now: now) ?? false)
      }, now: now)
    var situation = DevicePlanner.Situation(
      snapshot.device, state: state, queue: edit.queue, previous: previous, truth: snapshot.truth)
    situation.forgetsAsOf = snapshot.forgetsAsOf(now)
    situation.queueBefore = snapshot.queue.awake(for: before?.info.userId)
    // Who signs in or out puts one's own entries in the place of another's.
    situation.edits =
      !edit.puts.isEmpty || !edit.cancels.isEmpty || before?.info.userId != state.info.userId
    situation.occurrences = snapshot.deliveries
    situation.knownEvents = snapshot.knownEvents
    situation.before = before ?? DeviceState()
    situation.report = report.request
    situation.everybodys = snapshot.queue
    situation.isAnswer = true
    let reception = InboxReception(store: store, tenant: tenant, device: device)
    let visit = InboxVisit(before: before?.info.userId, after: state.info.userId)
    let (outcome, intake) = try await reception.plan(
      situation, by: planner, count: snapshot.inbox, visit: visit, now: now)

    let priming = PrimingReport(
      report.request, facts: snapshot.priming, known: snapshot.knownEvents,
      status: state.authorizationStatus, now: now
    ) { outcome.look.tapsOfDelivered.contains($0.id) }
    let step = policy.policy.policy.priming.decide(
      priming.question, facts: priming.facts, state: state, now: now)

    var response = SyncResponse(outcome.result.plan, now: now)
    response.deviceId = device == incoming.device ? nil : device
    response.priming = step
    response.unread = intake.unread
    response.rejected = edit.rejected
    response.policy = policy.answer(to: report.request)
    if state.info.timeZone == nil, let told = edit.queue.missingZone { response.rejected.append(told) }
    var change = DeviceChange(expectedRowVersion: snapshot.device?.rowVersion, now: now)
    change.forgetsAsOf = snapshot.forgetsAsOf(now)
    change.inboxVersion = snapshot.device?.inboxVersion
    change.state = state == before ? nil : state
    change.changesOnlyRequests = before.map(state.differsOnlyInRequests) ?? false
    change.sequence = report.request.sequence
    change.puts = edit.puts
    change.cancels = edit.cancels
    change.prunes = outcome.prunes
    change.plan = outcome.draft
    change.history = outcome.look.history(
      DeviceStateChange(
        report.request, from: snapshot.device?.sequence == nil ? nil : before, to: state,
        fatigue: outcome.look.fatigue,
        edits: edit.told(by: report.request, user: state.info.userId)))
    change.events = report.request.events.map(\.stored)
    change.lookAt = outcome.validUntil
    change.forgetEventsBefore = snapshot.forgetsAsOf(now).adding(seconds: -DeviceEvent.secondsIdsAreKept)
    change.priming = priming.change(from: snapshot.priming, step)
    change.inbox = intake.change.isEmpty ? nil : intake.change
    change.identity = try await identityChange(
      from: loaded, to: snapshot.device, as: device, info: state.info, copyOf: original, tenant: tenant)
    if outcome.result.diff.isEmpty, report.isPlain, !visit.isNew {
      change.steady = SteadyState(
        digest: steadyDigest(report.digest),
        validUntil: intake.changesAt.map { min($0, outcome.validUntil) } ?? outcome.validUntil,
        policyVersion: policy.version, answer: SteadyForm(response).tail)
    }

    return try await end(
      SyncEnding(
        response: response, outcome: outcome, intake: intake, visit: visit, rowVersion: loaded?.rowVersion,
        change: change),
      of: incoming, by: reception)
  }

  /// A report that is not newer changes no state: it is answered with the present plan, held against what the
  /// report says the device holds, so that a repetition after a lost answer still brings what it brought. A plan that
  /// is another one by now is kept: what it tells the device to add will ring. Nil when the device changed meanwhile.
  private func staleAnswer(
    to incoming: IncomingReport, snapshot: DeviceSnapshot, planner: DevicePlanner
  ) async throws(ServiceError) -> SyncAnswer? {
    let (report, now) = (incoming.report, incoming.now)
    guard let device = snapshot.device else { throw .noSuchDevice }
    try incoming.checkUser(device.state.info.userId)
    var state = device.state
    state.pending = report.request.pending ?? state.pending
    state.foreign = report.request.foreign ?? state.foreign
    var situation = DevicePlanner.Situation(
      device, state: state, queue: snapshot.queue, previous: snapshot.plan.map(PreviousPlan.init),
      truth: snapshot.truth)
    situation.before = device.state
    situation.occurrences = snapshot.deliveries
    situation.isAnswer = true
    if device.sequence == report.request.sequence {
      situation.report = report.request
      situation.isRepetition = true
    }
    let reception = InboxReception(store: store, tenant: incoming.tenant, device: device.id)
    let visit = InboxVisit(device.state.info.userId)
    // What the report says of the user changes nothing either.
    let count = try await reception.count(
      snapshot.inbox, asked: incoming.inboxUser, visit, now: now)
    let (outcome, intake) = try await reception.plan(
      situation, by: planner, count: count, visit: visit, now: now)
    var response = SyncResponse(outcome.result.plan, now: now)
    response.priming = step(after: report, snapshot, device.state, planner.policy.policy.priming, now: now)
    response.deviceId = device.id == incoming.device ? nil : device.id
    response.unread = outcome.draft == nil ? count.unread : intake.unread
    response.isStale = true
    response.rejected = report.rejected
    var ending = SyncEnding(
      response: response, outcome: outcome, intake: intake, visit: visit, rowVersion: device.rowVersion)
    if let draft = outcome.draft {
      var change = DeviceChange(expectedRowVersion: device.rowVersion, now: now)
      change.forgetsAsOf = snapshot.forgetsAsOf(now)
      change.plan = draft
      change.history = outcome.look.history(nil)
      change.lookAt = outcome.validUntil
      change.inbox = intake.change.isEmpty ? nil : intake.change
      ending.change = change
    }
    return try await end(ending, of: incoming, by: reception)
  }

  /// A repetition's question is answered again: its answer may have been lost. Its events are known by now.
  private func step(
    after report: ReceivedReport, _ snapshot: DeviceSnapshot, _ state: DeviceState, _ rule: PrimingRule,
    now: Instant
  ) -> PrimingDecision {
    guard snapshot.device?.sequence == report.request.sequence else {
      return rule.decide(PrimingQuestion(), facts: snapshot.priming, state: state, now: now)
    }
    let priming = PrimingReport(
      report.request, facts: snapshot.priming, known: snapshot.knownEvents,
      status: state.authorizationStatus, now: now
    ) { _ in false }
    return rule.decide(priming.question, facts: priming.facts, state: state, now: now)
  }

  /// The report's digest, tied to the zone data: new data makes every plan anew.
  private func steadyDigest(_ report: UInt64) -> UInt64 {
    SteadyForm.digest(report: report, zoneData: zones.version)
  }
}
