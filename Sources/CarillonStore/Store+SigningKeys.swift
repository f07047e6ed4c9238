import CarillonModel
import CarillonPostgres

extension Store {
  /// Which tenant a token's key belongs to; nil when there is no such key. Retired keys are found.
  ///
  /// As ``key(id:)`` under no tenant: whose the key is is not known before it is looked up.
  public func signingKey(id: String) async throws(StoreError) -> FoundSigningKey? {
    let query = Query<FoundSigningKey?>.signingKey(id: id)
    let work = Work(scope: nil, order: Work.Order(high: 0, low: 0), statements: [query.statement])
    return try query.read(try await run(work)[0])
  }

  /// The key that signs the tenant's tokens; nil before the first, and after a rotation.
  public func currentSigningKey(tenant: TenantID) async throws(StoreError) -> StoredSigningKey? {
    try await run(.currentSigningKey(tenant: tenant), tenant: tenant)
  }

  /// Keeps a new key unless the tenant has one that signs.
  ///
  /// - Returns: the one that signs now, this one or another's. Nil when both were retired at once.
  public func addSigningKey(_ key: StoredSigningKey) async throws(StoreError) -> StoredSigningKey? {
    let insert = Query<Void>.insertSigningKey(key)
    let current = Query<StoredSigningKey?>.currentSigningKey(tenant: key.tenant)
    let rows = try await run(
      [insert.statement, current.statement], tenant: key.tenant, order: key.tenant.uuid)
    return try current.read(rows[1])
  }
}
