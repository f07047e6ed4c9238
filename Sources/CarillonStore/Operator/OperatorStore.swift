import CarillonModel
import CarillonPostgres

/// What the operator's commands do, over one connection as `carillon_operator`, a role that sees all tenants.
/// Confined to the connection's loop.
///
/// Whatever changes something writes who did it into the audit log, in the same transaction.
public final class OperatorStore {
  let connection: PostgresConnection
  private let operatorName: String
  private let random: () -> UInt64

  /// - Parameters:
  ///   - operatorName: who acts, for the audit log.
  ///   - random: for the ids of its entries.
  public init(
    connection: PostgresConnection, operatorName: String = "unnamed",
    random: @escaping () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.connection = connection
    self.operatorName = String(decoding: operatorName.utf8.prefix(AuditEntry.mostNameBytes), as: UTF8.self)
    self.random = random
  }

  /// - Parameter name: `[a-z0-9][a-z0-9-]{0,62}`; the schema refuses others.
  public func createTenant(id: TenantID, name: String, at now: Instant) async throws(StoreError)
    -> TenantCreation
  {
    let isNew = try await recording(
      entry(.tenantCreate, at: now, subject: name), tenant: id, when: \.self
    ) {
      () async throws(StoreError) in try await run(.insertTenant(id: id, name: name, at: now))
    }
    return isNew ? .created : .taken
  }

  /// In the order of the names.
  public func tenants() async throws(StoreError) -> [StoredTenant] { try await run(.tenants()) }

  public func tenant(named name: String) async throws(StoreError) -> StoredTenant? {
    try await run(.tenant(named: name))
  }

  /// Nil when there is no such tenant.
  public func limits(tenant: TenantID) async throws(StoreError) -> TenantLimits? {
    try await run(.limits(tenant: tenant))
  }

  /// Nil when there is no such tenant, or when it is being imported or deleted.
  /// - Parameter changes: each in its ``TenantLimit/range``; those that are not named stay as they were.
  public func setLimits(
    _ changes: [TenantLimit: Int], tenant: TenantID, at now: Instant
  ) async throws(StoreError) -> TenantLimits? {
    var details: [String: String] = [:]
    for (limit, value) in changes { details[limit.rawValue] = String(value) }
    return try await recording(
      entry(.tenantLimits, at: now, details: details), tenant: tenant, when: { $0 != nil }
    ) { () async throws(StoreError) in
      try await holdsOpen(tenant) ? try await run(.setLimits(changes, tenant: tenant)) : nil
    }
  }

  public func createKey(_ key: KeyDraft, tenant: TenantID) async throws(StoreError) -> KeyCreation {
    let scopes = key.scopes.map(\.rawValue).sorted().joined(separator: " ")
    do {
      return try await recording(
        entry(.keyCreate, at: key.createdAt, subject: key.id, details: ["scopes": scopes]), tenant: tenant,
        when: { $0 == .created }
      ) { () async throws(StoreError) in
        guard try await holdsOpen(tenant) else {
          return try await limits(tenant: tenant) == nil ? .noTenant : .busy
        }
        return try await run(.insertKey(key, tenant: tenant)) ? .created : .taken
      }
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
    try await recording(entry(.keyRevoke, at: now, subject: id), tenant: tenant, when: \.self) {
      () async throws(StoreError) in
      guard try await run(.revokeKey(id: id, tenant: tenant, at: now)) else { return false }
      try await run(.announceCredentials())
      return true
    }
  }
}

/// Who did what.
extension OperatorStore {
  /// An entry of what this operator does.
  public func entry(
    _ action: AuditAction, at now: Instant, subject: String? = nil, details: [String: String] = [:]
  ) -> AuditEntry {
    AuditEntry(
      id: UUID128(high: random(), low: random()), at: now, actor: .operator(operatorName), action: action,
      subject: subject, details: details)
  }

  /// Runs a change and, when it has changed something, writes the entry: both or neither.
  ///
  /// - Parameters:
  ///   - tenant: nil: the installation.
  ///   - isChange: of what the change answers.
  public func recording<Answer>(
    _ entry: AuditEntry, tenant: TenantID?, when isChange: (Answer) -> Bool,
    _ change: () async throws(StoreError) -> Answer
  ) async throws(StoreError) -> Answer {
    try await transaction { () async throws(StoreError) in
      let answer = try await change()
      if isChange(answer) { try await run(.audit(entry, tenant: tenant)) }
      return answer
    }
  }

  /// Newest first.
  ///
  /// - Parameters:
  ///   - tenant: nil: of all, and of the installation.
  ///   - action: a noun, or noun and verb.
  ///   - to: not any more.
  public func auditEntries(
    tenant: TenantID?, action: String?, from: Instant?, to: Instant?, after: AuditPosition?, limit: Int
  ) async throws(StoreError) -> [StoredAuditEntry] {
    try await run(
      .auditPage(tenant: tenant, action: action, from: from, to: to, after: after, limit: limit))
  }

  /// Whether a tenant is neither being imported nor deleted; until the end of the transaction it stays so.
  private func holdsOpen(_ tenant: TenantID) async throws(StoreError) -> Bool {
    for status in [TenantStatus.active, .suspended]
    where try await run(.setTenantStatus(status, from: [status], tenant: tenant)) {
      return true
    }
    return false
  }

  /// Runs statements that commit together.
  func transaction<Answer>(
    _ body: () async throws(StoreError) -> Answer
  ) async throws(StoreError) -> Answer {
    do {
      return try await connection.transaction(body)
    } catch let error as StoreError {
      throw error
    } catch let error as PostgresError {
      throw .database(error)
    } catch {
      fatalError("a transaction threw what it does not throw: \(error)")
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

  /// As ``Store/putPolicy(tenant:document:expectedVersion:at:audit:)``.
  public func putPolicy(tenant: TenantID, document: [UInt8], expectedVersion: Int?, at now: Instant)
    async throws(StoreError) -> PolicyChange
  {
    let put = PolicyPut(
      tenant: tenant, document: document, expectedVersion: expectedVersion, at: now,
      audit: entry(.policyPut, at: now))
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
