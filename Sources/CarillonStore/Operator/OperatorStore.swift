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
  { try await run(.insertTenant(id: id, name: name, at: now)) ? .created : .taken }

  /// In the order of the names.
  public func tenants() async throws(StoreError) -> [StoredTenant] { try await run(.tenants()) }

  public func tenant(named name: String) async throws(StoreError) -> StoredTenant? {
    try await run(.tenant(named: name))
  }

  /// Nil when there is no such tenant.
  public func inboxLimits(tenant: TenantID) async throws(StoreError) -> InboxLimits? {
    try await run(.inboxLimits(tenant: tenant))
  }

  /// - Parameters:
  ///   - days: in ``InboxLimits/daysRange``; nil stays as it was.
  ///   - items: in ``InboxLimits/itemsRange``; nil stays as it was.
  public func setInboxLimits(tenant: TenantID, days: Int?, items: Int?) async throws(StoreError)
    -> InboxLimits?
  {
    try await run(.setInboxLimits(tenant: tenant, days: days, items: items))
  }

  public func createKey(_ key: KeyDraft, tenant: TenantID) async throws(StoreError) -> KeyCreation {
    do {
      return try await run(.insertKey(key, tenant: tenant)) ? .created : .taken
    } catch .database(let error) where error.constraint == "api_keys_tenant_fkey" {
      return .noTenant
    }
  }

  /// Oldest first.
  public func keys(tenant: TenantID) async throws(StoreError) -> [StoredKey] {
    try await run(.keys(tenant: tenant))
  }

  /// False when the tenant has no such key. A second revocation keeps the first one's time.
  public func revokeKey(id: String, tenant: TenantID, at now: Instant) async throws(StoreError) -> Bool {
    try await inTransaction { () async throws(StoreError) in
      guard try await self.run(.revokeKey(id: id, tenant: tenant, at: now)) else { return false }
      try await self.run(.announceCredentials())
      return true
    }
  }
}

/// What the server does too, here without a tenant's scope.
extension OperatorStore {
  public func policy(tenant: TenantID) async throws(StoreError) -> StoredPolicy? {
    try await run(.policy(tenant: tenant))
  }

  public func policy(tenant: TenantID, version: Int) async throws(StoreError) -> StoredPolicy? {
    try await run(.policy(tenant: tenant, version: version))
  }

  /// As ``Store/policyVersions(tenant:before:limit:)``.
  public func policyVersions(tenant: TenantID, before: Int?, limit: Int) async throws(StoreError)
    -> [PolicyVersion]
  { try await run(.policyVersions(tenant: tenant, before: before, limit: limit)) }

  /// As ``Store/putPolicy(tenant:document:expectedVersion:at:)``.
  public func putPolicy(tenant: TenantID, document: [UInt8], expectedVersion: Int?, at now: Instant)
    async throws(StoreError) -> PolicyChange
  {
    let put = PolicyPut(tenant: tenant, document: document, expectedVersion: expectedVersion, at: now)
    // The first statement alone changes something, whole or not at all: no transaction around the two.
    return put.read(try await run(put.statements[0]), try await run(put.statements[1]))
  }

  /// As ``Store/devices(tenant:after:limit:)``.
  public func devices(tenant: TenantID, after: DeviceID?, limit: Int) async throws(StoreError)
    -> [StoredDevice]
  {
    guard let first = DeviceID.following(after) else { return [] }
    return try await run(.devices(tenant: tenant, from: first, limit: limit))
  }

  public func device(tenant: TenantID, device: DeviceID) async throws(StoreError) -> StoredDevice? {
    try await run(.device(tenant: tenant, device: device))
  }

  /// As ``Store/notifications(tenant:device:after:limit:)``.
  public func notifications(tenant: TenantID, device: DeviceID, after: NotificationID?, limit: Int)
    async throws(StoreError) -> [StoredNotification]
  { try await run(.notifications(tenant: tenant, device: device, after: after, limit: limit)) }

  public func plan(tenant: TenantID, device: DeviceID) async throws(StoreError) -> StoredPlan? {
    try await run(.plan(tenant: tenant, device: device))
  }
}
