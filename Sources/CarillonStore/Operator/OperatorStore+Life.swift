import CarillonModel
import CarillonPostgres

/// The life of a tenant after its making.
extension OperatorStore {
  /// Rows that one step of a deletion takes away, at most.
  public static let rowsPerStep = 1_000

  /// Whether the status was one of `old` and is now another one.
  public func setStatus(
    _ status: TenantStatus, from old: Set<TenantStatus>, tenant: TenantID, audit: AuditEntry
  ) async throws(StoreError) -> Bool {
    try await recording(audit, tenant: tenant, when: \.self) { () async throws(StoreError) in
      guard try await run(.setTenantStatus(status, from: old, tenant: tenant)) else { return false }
      try await run(.announceCredentials())
      return true
    }
  }

  /// How many rows a tenant has, table by table.
  public func countRows(tenant: TenantID) async throws(StoreError) -> [TableRows] {
    try await run(.tenantRows(tenant: tenant))
  }

  /// Takes away some rows of a tenant whose status is `deleting`; nil: but for its log and itself nothing is left.
  public func deleteSomeRows(tenant: TenantID) async throws(StoreError) -> TableRows? {
    try await run(.deleteTenantRows(tenant: tenant, limit: Self.rowsPerStep))
  }

  /// The end of a tenant that has no other rows any more. Its log goes with it; what is left is a line of the
  /// installation that says so.
  ///
  /// - Parameter audit: of the installation.
  public func endTenant(_ tenant: TenantID, audit: AuditEntry) async throws(StoreError) {
    while try await run(.eraseAudit(tenant: tenant, limit: Self.rowsPerStep)) == Self.rowsPerStep {}
    _ = try await recording(audit, tenant: nil, when: \.self) { () async throws(StoreError) in
      _ = try await run(.eraseAudit(tenant: tenant, limit: Int(Int32.max)))
      return try await run(.endTenant(tenant))
    }
  }
}

/// Rows of one table.
public struct TableRows: Hashable, Sendable {
  public var table: String
  public var rows: Int

  public init(table: String, rows: Int) {
    self.table = table
    self.rows = rows
  }
}

/// Whether there was a row like that.
extension Query where Answer == Bool {
  static func setTenantStatus(_ status: TenantStatus, from old: Set<TenantStatus>, tenant: TenantID) -> Query
  {
    Query(.tenantLifeStatus) { parameters in
      parameters.tenant(tenant)
      parameters.text(status.rawValue)
      parameters.textArray(old.map(\.rawValue).sorted())
    } read: {
      $0.count == 1
    }
  }

  static func endTenant(_ tenant: TenantID) -> Query {
    Query(.tenantLifeEnd, { $0.tenant(tenant) }, read: { $0.count == 1 })
  }

  static func beginImport(of id: TenantID, name: String, at now: Instant) -> Query {
    Query(.tenantLifeImport) { parameters in
      parameters.tenant(id)
      parameters.text(name)
      parameters.instant(now)
    } read: {
      $0.count == 1
    }
  }
}

extension Query where Answer == [TableRows] {
  static func tenantRows(tenant: TenantID) -> Query {
    .list(
      .tenantLifeRows, { $0.tenant(tenant) },
      row: { TableRows(table: $0.text($1, 0), rows: Int($0.int($1, 1))) })
  }
}

extension Query where Answer == TableRows? {
  static func deleteTenantRows(tenant: TenantID, limit: Int) -> Query {
    .first(
      .tenantLifeStep,
      { parameters in
        parameters.tenant(tenant)
        parameters.count(limit)
      }, row: { TableRows(table: $0.text($1, 0), rows: Int($0.int($1, 1))) })
  }
}

/// How many rows.
extension Query where Answer == Int {
  static func eraseAudit(tenant: TenantID, limit: Int) -> Query {
    Query(.tenantLifeAudit) { parameters in
      parameters.tenant(tenant)
      parameters.count(limit)
    } read: {
      Int($0.int(0, 0))
    }
  }

  static func importRows(_ rows: [UInt8], into table: String, tenant: TenantID) -> Query {
    Query(.tenantLifeInsert) { parameters in
      parameters.tenant(tenant)
      parameters.text(table)
      parameters.jsonb(rows)
    } read: {
      Int($0.int(0, 0))
    }
  }
}
