import CarillonModel
import CarillonPostgres

extension Store {
  /// Who a credential belongs to; nil when there is no such key. Revoked and expired keys are found.
  public func key(id: String) async throws(StoreError) -> StoredKey? {
    let query = Query<StoredKey?>.key(id: id)
    let work = Work(scope: nil, order: Work.Order(high: 0, low: 0), statements: [query.statement])
    return try query.read(try await run(work)[0])
  }

  /// Nil when there is no such tenant.
  public func limits(tenant: TenantID) async throws(StoreError) -> TenantLimits? {
    try await run(.limits(tenant: tenant), tenant: tenant)
  }

  /// With the clock of what is kept where it stands now, moved when it was time. Nil when there is no such tenant.
  public func terms(tenant: TenantID, now: Instant) async throws(StoreError) -> TenantTerms? {
    guard var terms = try await run(.terms(tenant: tenant), tenant: tenant) else { return nil }
    guard let moved = terms.retention.moved(now: now) else { return terms }
    let move = Query<Bool>.moveRetention(from: terms.retention, to: moved, tenant: tenant)
    // Whoever asks need not wait for it: else somebody else has moved it, to about there, or it is moved next time.
    if (try? await run(move, tenant: tenant)) == true { terms.retention = moved }
    return terms
  }

  /// The current policy; nil before the first.
  public func policy(tenant: TenantID) async throws(StoreError) -> StoredPolicy? {
    try await run(.policy(tenant: tenant), tenant: tenant)
  }

  public func policy(tenant: TenantID, version: Int) async throws(StoreError) -> StoredPolicy? {
    try await run(.policy(tenant: tenant, version: version), tenant: tenant)
  }

  /// Newest first.
  /// - Parameter before: the version the last page ended with; nil for the first page.
  public func policyVersions(tenant: TenantID, before: Int?, limit: Int) async throws(StoreError)
    -> [PolicyVersion]
  {
    try await run(.policyVersions(tenant: tenant, before: before, limit: limit), tenant: tenant)
  }

  /// Makes a document the current policy.
  /// - Parameters:
  ///   - expectedVersion: the version the writer has seen; nil is allowed for the first policy only.
  ///   - keeping: the answer when it is stored.
  ///   - audit: what is written of it in the same transaction, when it is done; its subject is the new version.
  public func putPolicy(
    tenant: TenantID, document: [UInt8], expectedVersion: Int?, keeping: AnswerDraft? = nil, at now: Instant,
    audit: AuditEntry? = nil
  ) async throws(StoreError) -> PolicyChange {
    let put = PolicyPut(
      tenant: tenant, document: document, expectedVersion: expectedVersion, keeping: keeping, at: now,
      audit: audit)
    let rows = try await run(put.statements, tenant: tenant, order: tenant.uuid)
    return put.read(rows[0], rows[1])
  }
}
