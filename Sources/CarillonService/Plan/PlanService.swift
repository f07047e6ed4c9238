import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonStore

/// The whole plan of a device, planned again whenever it is asked for: a queue, a policy or the time may have
/// moved since the last sync.
public final class PlanService {
  private let store: Store
  private let policies: PolicyCache
  private let zones: any ZoneLookup
  private let note: (DeviceFindings) -> Void

  /// - Parameter note: told what each stored plan showed.
  public init(
    store: Store, policies: PolicyCache, zones: any ZoneLookup,
    note: @escaping (DeviceFindings) -> Void = { _ in }
  ) {
    self.store = store
    self.policies = policies
    self.zones = zones
    self.note = note
  }

  public struct Answer: Sendable {
    public var plan: Plan
    public var diff: PlanDiff
    /// Canonical JSON of the contents of what is held, by the queue's id; empty when `isUnchanged`.
    public var contents: [NotificationID: [UInt8]] = [:]
    public var tag: PlanTag
    /// Items of the inbox.
    public var unread: Int
    /// The caller's tag still names this plan.
    public var isUnchanged = false
    /// What a caller may show the next time instead of having the plan made again.
    public var promise: PlanPromise
  }

  /// - Parameters:
  ///   - user: whose the device must be; nil: anyone's.
  ///   - isItsOwn: whether the device itself asks: then it may hold what it is told. A plan for anybody else does not
  ///     reach it.
  ///   - known: the tag of the plan the caller has.
  public func plan(
    tenant: TenantID, device: DeviceID, user: BoundUser? = nil, isItsOwn: Bool = false,
    known: (PlanTag) -> Bool, now: Instant
  ) async throws(ServiceError) -> Answer {
    for _ in 0..<Attempts.maximum {
      let answer = try await attempt(
        tenant: tenant, device: device, user: user, isItsOwn: isItsOwn, known: known, now: now)
      if let answer {
        return answer
      }
    }
    throw .contention
  }

  /// Whether the plan is the one that came with a promise. False: it may be; ask for it.
  ///
  /// - Parameters: as of ``plan(tenant:device:user:isItsOwn:known:now:)``.
  public func confirm(
    _ promise: PlanPromise, tenant: TenantID, device: DeviceID, user: BoundUser? = nil,
    isItsOwn: Bool = false,
    now: Instant
  ) async throws(ServiceError) -> Bool {
    guard promise.holds(zoneData: zones.version, isItsOwn: isItsOwn, now: now) else { return false }
    return try await storing { () async throws(StoreError) in
      try await store.isUnchanged(
        tenant: tenant, device: device, user: user,
        createdAt: Instant(milliseconds: promise.createdAt), rowVersion: promise.rowVersion,
        inboxVersion: promise.inboxVersion, policyVersion: promise.policyVersion)
    }
  }

  /// Why a notification is held, waits, is withheld, has expired or is unknown, by all that is true now. Writes nothing.
  ///
  /// - Parameter user: whose the device must be; nil: anyone's.
  public func explain(
    _ notification: NotificationID, tenant: TenantID, device: DeviceID, user: BoundUser? = nil, now: Instant
  ) async throws(ServiceError) -> Explanation {
    for _ in 0..<Attempts.maximum {
      let snapshot = try await load(
        tenant: tenant, device: device, user: user,
        mentions: ReportMentions(notifications: [notification], events: []), now: now)
      let stored = try snapshot.device(of: user)
      guard let policy = try policies.policy(of: tenant, in: snapshot) else { continue }
      let planner = DevicePlanner(zones: zones, policy: policy.policy, policyVersion: policy.version)
      let situation = DevicePlanner.Situation(stored, snapshot)
      return try planner.explain(notification, situation, now: now)
    }
    throw .contention
  }

  private func load(
    tenant: TenantID, device: DeviceID, user: BoundUser?, mentions: ReportMentions? = nil, now: Instant
  ) async throws(ServiceError) -> DeviceSnapshot {
    try await storing { () async throws(StoreError) in
      try await store.loadDevice(
        tenant: tenant, device: device, knownPolicyVersion: policies.knownVersion(of: tenant),
        mentions: mentions, inbox: InboxQuestion(user: user?.id, now: now))
    }
  }

  private func attempt(
    tenant: TenantID, device: DeviceID, user: BoundUser?, isItsOwn: Bool, known: (PlanTag) -> Bool,
    now: Instant
  ) async throws(ServiceError) -> Answer? {
    // With what is open: it may have come again since.
    let snapshot = try await load(
      tenant: tenant, device: device, user: user, mentions: ReportMentions(notifications: [], events: []),
      now: now)
    let stored = try snapshot.device(of: user)
    guard let policy = try policies.policy(of: tenant, in: snapshot) else { return nil }
    let planner = DevicePlanner(zones: zones, policy: policy.policy, policyVersion: policy.version)
    let reception = InboxReception(store: store, tenant: tenant, device: device)
    let visit = InboxVisit(stored.state.info.userId)
    var situation = DevicePlanner.Situation(stored, snapshot)
    situation.forgetsAsOf = snapshot.forgetsAsOf(now)
    situation.isAnswer = isItsOwn
    let (outcome, intake) = try await reception.plan(
      situation, by: planner, count: snapshot.inbox, visit: visit, now: now)
    let plan = outcome.result.plan
    var answer = Answer(
      plan: plan, diff: outcome.result.diff, tag: PlanTag(outcome.result, of: stored, unread: intake.unread),
      unread: intake.unread,
      promise: PlanPromise(
        createdAt: stored.createdAt.milliseconds, rowVersion: stored.rowVersion,
        inboxVersion: stored.inboxVersion,
        policyVersion: Int64(policy.version), zoneData: PlanPromise.hash(of: zones.version),
        since: now.milliseconds,
        until: (intake.changesAt.map { min($0, outcome.validUntil) } ?? outcome.validUntil).milliseconds,
        isItsOwn: isItsOwn))
    let isNews =
      outcome.draft != nil || !outcome.prunes.isEmpty || !outcome.cameDue.isEmpty || !intake.change.isEmpty
    answer.isUnchanged = !isNews && known(answer.tag)
    if answer.isUnchanged { return answer }

    let wanted = Set(plan.held.map(\.source)).sorted()
    guard isNews else {
      let contents = try await storing { () async throws(StoreError) in
        try await store.contents(tenant: tenant, device: device, ids: wanted, of: stored.rowVersion)
      }
      guard let contents else { return nil }
      answer.contents = contents
      return answer
    }
    var change = DeviceChange(expectedRowVersion: stored.rowVersion, now: now)
    change.forgetsAsOf = snapshot.forgetsAsOf(now)
    change.plan = outcome.draft
    change.prunes = outcome.prunes
    change.inbox = intake.change.isEmpty ? nil : intake.change
    change.history = outcome.look.history(nil)
    change.lookAt = outcome.validUntil
    change.wantedContents = wanted
    guard case .applied(let contents) = try await reception.apply(change, intake, visit) else { return nil }
    note(DeviceFindings(outcome))
    answer.promise.rowVersion += 1
    answer.contents = contents
    return answer
  }
}

extension DeviceSnapshot {
  /// - Parameter user: whose it must be; nil: anyone's.
  fileprivate func device(of user: BoundUser?) throws(ServiceError) -> StoredDevice {
    guard let device else { throw .noSuchDevice }
    if let user, !user.isThere(device.state.info.userId) { throw .otherUser }
    return device
  }
}

extension DevicePlanner.Situation {
  /// As it is stored, without a report.
  init(_ device: StoredDevice, _ snapshot: DeviceSnapshot) {
    self.init(
      device, state: device.state, queue: snapshot.queue, previous: snapshot.plan.map(PreviousPlan.init),
      truth: snapshot.truth)
    occurrences = snapshot.deliveries
  }
}

/// What names the answer to a question for a plan: the device, the plan's version, what it depends on besides, and the
/// diff.
public struct PlanTag: Hashable, Sendable {
  public let device: DeviceID
  /// Of the device: an erased one that comes again counts its plans anew.
  public let createdAt: Instant
  public let version: Int
  public let policyVersion: Int
  public let zoneData: String
  /// Over the ids that leave, and the ids and revisions that come.
  public let diffHash: UInt64
  public let unread: Int

  init(_ result: PlanResult, of device: StoredDevice, unread: Int) {
    self.device = device.id
    createdAt = device.createdAt
    self.unread = unread
    version = result.plan.version
    policyVersion = result.plan.policyVersion
    zoneData = result.plan.zoneData
    var hash = StableHash()
    for id in result.diff.remove { hash.combine(id.text + "\n") }
    for request in result.addedRequests { hash.combine("\(request.id.text)\n\(request.revision)\n") }
    diffHash = hash.state
  }
}
