import CarillonModel
import CarillonPostgres

extension Store {
  /// Who a credential belongs to; nil when there is no such key. Revoked and expired keys are found.
  public func key(id: String) async throws(StoreError) -> StoredKey? { fatalError() }

  /// The current policy; nil before the first.
  public func policy(tenant: TenantID) async throws(StoreError) -> StoredPolicy? { fatalError() }

  public func policy(tenant: TenantID, version: Int) async throws(StoreError) -> StoredPolicy? {
    fatalError()
  }

  /// Newest first.
  /// - Parameter before: the version the last page ended with; nil for the first page.
  public func policyVersions(tenant: TenantID, before: Int?, limit: Int) async throws(StoreError)
    -> [PolicyVersion]
  { fatalError() }

  /// Makes a document the current policy.
  /// - Parameter expectedVersion: the version the writer has seen; nil is allowed for the first policy only.
  public func putPolicy(tenant: TenantID, document: [UInt8], expectedVersion: Int?, at now: Instant)
    async throws(StoreError) -> PolicyChange
  { fatalError() }
}
