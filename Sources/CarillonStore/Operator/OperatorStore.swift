import CarillonModel
import CarillonPostgres

/// What the operator's commands do, over one connection as `carillon_operator`, a role that sees all tenants.
/// Confined to the connection's loop.
public final class OperatorStore {
  let connection: PostgresConnection

  public init(connection: PostgresConnection) {
    self.connection = connection
  }

  /// - Parameter name: `[a-z0-9][a-z0-9-]{0,62}`; the schema refuses others.
  public func createTenant(id: TenantID, name: String, at now: Instant) async throws(StoreError)
    -> TenantCreation
  { fatalError() }

  /// In the order of the names.
  public func tenants() async throws(StoreError) -> [StoredTenant] { fatalError() }

  public func tenant(named name: String) async throws(StoreError) -> StoredTenant? { fatalError() }

  public func createKey(_ key: KeyDraft, tenant: TenantID) async throws(StoreError) -> KeyCreation {
    fatalError()
  }

  /// Oldest first.
  public func keys(tenant: TenantID) async throws(StoreError) -> [StoredKey] { fatalError() }

  /// False when the tenant has no such key. A second revocation keeps the first one's time.
  public func revokeKey(id: String, tenant: TenantID, at now: Instant) async throws(StoreError) -> Bool {
    fatalError()
  }

  public func policy(tenant: TenantID) async throws(StoreError) -> StoredPolicy? { fatalError() }

  public func policy(tenant: TenantID, version: Int) async throws(StoreError) -> StoredPolicy? {
    fatalError()
  }

  public func policyVersions(tenant: TenantID, before: Int?, limit: Int) async throws(StoreError)
    -> [PolicyVersion]
  { fatalError() }

  public func putPolicy(tenant: TenantID, document: [UInt8], expectedVersion: Int?, at now: Instant)
    async throws(StoreError) -> PolicyChange
  { fatalError() }

  public func devices(tenant: TenantID, after: DeviceID?, limit: Int) async throws(StoreError)
    -> [StoredDevice]
  { fatalError() }

  public func device(tenant: TenantID, device: DeviceID) async throws(StoreError) -> StoredDevice? {
    fatalError()
  }

  public func notifications(tenant: TenantID, device: DeviceID, after: NotificationID?, limit: Int)
    async throws(StoreError) -> [StoredNotification]
  { fatalError() }

  public func plan(tenant: TenantID, device: DeviceID) async throws(StoreError) -> StoredPlan? {
    fatalError()
  }
}
