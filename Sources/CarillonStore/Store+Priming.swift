import CarillonModel
import CarillonPostgres

extension Store {
  /// The most answers to questions for the next step that are kept of one device: the newest.
  public static let mostPrimingSteps = 100

  /// What the next step on the way to permission is decided from.
  /// - Parameter knownPolicyVersion: the version whose document the caller has; it is not read again.
  public func loadPriming(
    tenant: TenantID, device: DeviceID, knownPolicyVersion: Int? = nil
  ) async throws(StoreError) -> PrimingSnapshot {
    let policy = Query<PolicyIfNews>.policy(tenant: tenant, unlessKnown: knownPolicyVersion)
    // Before the facts: what changes in between is then found out by the row version.
    let row = Query<StoredDevice?>.device(tenant: tenant, device: device)
    let facts = Query<PrimingFacts>.primingFacts(tenant: tenant, device: device)
    let rows = try await run(
      [policy.statement, row.statement, facts.statement], tenant: tenant, order: device.uuid)
    let news = try policy.read(rows[0])
    return PrimingSnapshot(
      policyVersion: news.version, policyDocument: news.document, device: try row.read(rows[1]),
      facts: try facts.read(rows[2]))
  }

  /// Keeps an answer. False when the device is no longer as it was loaded: nothing was kept, load again.
  /// - Parameter expected: the ``StoredDevice/rowVersion`` the answer was found from.
  public func keepPrimingAnswer(
    _ answered: AnsweredPriming, expected: Int64, tenant: TenantID, device: DeviceID,
    keeping: AnswerDraft? = nil, now: Instant
  ) async throws(StoreError) -> Bool {
    try await run(
      .answerPriming(
        answered, expected: expected, tenant: tenant, device: device, keeping: keeping, now: now),
      tenant: tenant, device: device)
  }

  /// Newest first.
  public func primingSteps(
    tenant: TenantID, device: DeviceID, limit: Int = Store.mostPrimingSteps
  ) async throws(StoreError) -> [StoredPrimingStep] {
    try await run(.primingSteps(tenant: tenant, device: device, limit: limit), tenant: tenant, device: device)
  }
}
