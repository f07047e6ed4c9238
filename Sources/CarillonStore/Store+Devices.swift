import CarillonModel
import CarillonPostgres

extension Store {
  /// The hot path: takes a report that says nothing new. Nil when it may say something new, when the plan's time
  /// is over, when the policy has changed or when the sequence is stale: take the long way.
  ///
  /// - Parameter user: who must be there; nil: anyone.
  public func confirmUnchanged(
    tenant: TenantID, device: DeviceID, user: BoundUser? = nil, sequence: Int64, digest: UInt64, now: Instant
  ) async throws(StoreError) -> SteadyAnswer? {
    try await run(
      .confirmUnchanged(
        tenant: tenant, device: device, user: user, sequence: sequence, digest: digest, now: now),
      tenant: tenant, device: device)
  }

  /// Whether nothing was written of a device, its inbox and its tenant's policy since these versions.
  ///
  /// - Parameters:
  ///   - user: who must be there; nil: anyone.
  ///   - createdAt: of the device: an erased one counts anew.
  public func isUnchanged(
    tenant: TenantID, device: DeviceID, user: BoundUser? = nil, createdAt: Instant, rowVersion: Int64,
    inboxVersion: Int64, policyVersion: Int64
  ) async throws(StoreError) -> Bool {
    try await run(
      .isUnchanged(
        tenant: tenant, device: device, user: user, createdAt: createdAt, rowVersion: rowVersion,
        inboxVersion: inboxVersion, policyVersion: policyVersion),
      tenant: tenant, device: device)
  }

  /// Everything a plan needs.
  /// - Parameters:
  ///   - knownPolicyVersion: the version whose document the caller has; it is not read again.
  ///   - mentions: of the report that came; nil: none did.
  ///   - inbox: what to tell of the inbox; nil: nothing.
  public func loadDevice(
    tenant: TenantID, device: DeviceID, knownPolicyVersion: Int? = nil, mentions: ReportMentions? = nil,
    inbox: InboxQuestion? = nil
  ) async throws(StoreError) -> DeviceSnapshot {
    let policy = Query<PolicyIfNews>.policy(tenant: tenant, unlessKnown: knownPolicyVersion)
    // Before the queue: a queue that changes in between is then found out by the row version.
    let known = Query<KnownDevice>.known(tenant: tenant, device: device)
    let queue = Query<[StoredEntry]>.heads(tenant: tenant, device: device)
    let unread = inbox.map {
      Query<InboxCount>.unread(tenant: tenant, device: device, user: $0.user, now: $0.now)
    }
    let deliveries = mentions.map {
      Query<[StoredDelivery]>.deliveries(tenant: tenant, device: device, mentioned: $0.notifications)
    }
    let events = mentions.flatMap {
      $0.events.isEmpty
        ? nil : Query<Set<String>>.knownEvents(tenant: tenant, device: device, ids: $0.events)
    }
    var statements = [policy.statement, known.statement, queue.statement]
    if let unread { statements.append(unread.statement) }
    if let deliveries { statements.append(deliveries.statement) }
    if let events { statements.append(events.statement) }
    let rows = try await run(statements, tenant: tenant, order: device.uuid)
    let (news, found) = (try policy.read(rows[0]), try known.read(rows[1]))
    var snapshot = DeviceSnapshot(
      policyVersion: news.version, policyDocument: news.document, device: found.device,
      queue: try queue.read(rows[2]), plan: found.plan, priming: found.priming, truth: found.truth)
    snapshot.retentionAt = news.retentionAt
    var rest = rows[3...]
    if let unread { snapshot.inbox = try unread.read(rest.removeFirst()) }
    if let deliveries { snapshot.deliveries = try deliveries.read(rest.removeFirst()) }
    if let events { snapshot.knownEvents = try events.read(rest.removeFirst()) }
    return snapshot
  }

  /// Stores a change whole, if the device is still as it was loaded.
  public func apply(_ change: DeviceChange, tenant: TenantID, device: DeviceID) async throws(StoreError)
    -> ApplyOutcome
  {
    let apply = Query<ApplyWord>.apply(change, tenant: tenant, device: device)
    let contents = Query<[NotificationID: [UInt8]]>.contents(
      tenant: tenant, device: device, ids: change.wantedContents)
    let identity = IdentityStatements(change, tenant: tenant, device: device)
    var statements = identity.before + [apply.statement] + identity.after
    if !change.wantedContents.isEmpty { statements.append(contents.statement) }
    let rows: [Rows]
    do {
      rows = try await run(statements, tenant: tenant, order: device.uuid)
    } catch {
      guard error.isLostRace else { throw error }
      return .conflict
    }
    switch try apply.read(rows[identity.before.count]) {
    case .applied:
      return .applied(contents: change.wantedContents.isEmpty ? [:] : try contents.read(rows[rows.count - 1]))
    case .conflict: return .conflict
    }
  }

  public func device(tenant: TenantID, device: DeviceID) async throws(StoreError) -> StoredDevice? {
    try await run(.device(tenant: tenant, device: device), tenant: tenant, device: device)
  }

  /// In the order of the ids.
  public func devices(tenant: TenantID, after: DeviceID?, limit: Int) async throws(StoreError)
    -> [StoredDevice]
  {
    guard let first = DeviceID.following(after) else { return [] }
    return try await run(.devices(tenant: tenant, from: first, limit: limit), tenant: tenant)
  }

  /// The devices on which this user is signed in, at most `limit`, in the order of the ids.
  public func devicesOfUser(tenant: TenantID, userId: String, limit: Int) async throws(StoreError)
    -> [DeviceID]
  {
    try await run(.devicesOfUser(tenant: tenant, userId: userId, limit: limit), tenant: tenant)
  }

  /// Erases everything about a device, its user's inbox too when it is the user's last; false when there was none.
  ///
  /// - Parameters:
  ///   - audit: written in the same transaction when there was such a device; must not name it.
  ///   - keeping: the answer when there was one; it outlives the device.
  public func eraseDevice(
    tenant: TenantID, device: DeviceID, audit: AuditEntry? = nil, keeping: AnswerDraft? = nil
  ) async throws(StoreError) -> Bool {
    let lock = Query<Bool>.lockDevice(tenant: tenant, device: device)
    let inbox = Query<Void>.eraseInbox(tenant: tenant, device: device)
    let erase = Query<Bool>.eraseDevice(tenant: tenant, device: device, keeping: keeping)
    // What names the device elsewhere does not hang on its row. Other devices come first: who waits for one of them
    // must not sit on this one.
    let links = Query<Void>.unlink(tenant: tenant, device: device)
    let claims = Query<Void>.eraseClaims(tenant: tenant, device: device)
    var statements = [links.statement, lock.statement, claims.statement, inbox.statement]
    if let audit {
      statements.append(Query<Void>.audit(audit, of: device, tenant: tenant).statement)
    }
    let rows = try await run(statements + [erase.statement], tenant: tenant, order: device.uuid)
    return try erase.read(rows[statements.count])
  }
}
