import CarillonModel
import CarillonPostgres

/// Reading a tenant whole, and putting it back elsewhere.
extension OperatorStore {
  /// Writes down that a tenant is about to be read whole: before a row of it is given away, since whoever reads may be
  /// broken off. False: its status is another one by now, and nothing is written.
  public func beginExport(of tenant: StoredTenant, audit: AuditEntry) async throws(StoreError) -> Bool {
    try await recording(audit, tenant: tenant.id, when: \.self) { () async throws(StoreError) in
      // Leaves the status as it is, and nobody else changes it before the entry is there.
      try await run(.setTenantStatus(tenant.status, from: [tenant.status], tenant: tenant.id))
    }
  }

  /// Runs `body` in one snapshot: whatever is written meanwhile, it sees the tenant as of one moment.
  public func inSnapshot<Result>(_ body: () async throws -> Result) async throws -> Result {
    try await connection.transaction {
      _ = try await run(Statement(StatementName.tenantLifeSnapshot.source, Parameters()))
      return try await body()
    }
  }

  /// The tables that hold tenants' rows, in an order in which rows may be put in, and their columns but for the tenant's
  /// id.
  public func tenantTables() async throws(StoreError) -> [TenantTable] { try await run(.tenantTables()) }

  /// Rows of a table in the order of its key.
  ///
  /// - Parameter position: where the part before ended; nil: from the first.
  public func exportRows(
    of table: String, tenant: TenantID, after position: ExportPosition?, limit: Int
  ) async throws(StoreError) -> ExportedRows {
    try await run(.exportRows(of: table, tenant: tenant, after: position, limit: limit))
  }

  /// Items of inboxes under whose they are.
  public func exportInboxItems(
    of owners: InboxOwners, tenant: TenantID, after position: ExportPosition?, limit: Int
  ) async throws(StoreError) -> ExportedRows {
    try await run(.exportInboxItems(of: owners, tenant: tenant, after: position, limit: limit))
  }

  /// Makes a tenant whose status is `importing`; false: the name is taken.
  public func beginImport(of id: TenantID, name: String, audit: AuditEntry) async throws(StoreError) -> Bool {
    try await recording(audit, tenant: id, when: \.self) { () async throws(StoreError) in
      try await run(.beginImport(of: id, name: name, at: audit.at))
    }
  }

  /// Puts rows into a table of a tenant whose status is `importing`; answers how many of them were not there yet.
  ///
  /// - Parameter rows: a JSON array of what ``exportRows(of:tenant:after:limit:)`` gave.
  public func importRows(
    _ rows: [UInt8], into table: String, tenant: TenantID
  ) async throws(StoreError) -> Int {
    try await run(.importRows(rows, into: table, tenant: tenant))
  }
}

/// A table that holds tenants' rows.
public struct TenantTable: Hashable, Sendable {
  public var name: String
  /// But for the tenant's id, by name.
  public var columns: [String]
  /// PostgreSQL's names of the columns' types, in the same order.
  public var types: [String]
}

/// Some rows of a table.
public struct ExportedRows: Sendable {
  /// Each a JSON object without the tenant's id.
  public var rows: [[UInt8]]
  /// Of the last one; nil: there is none.
  public var last: ExportPosition?
}

/// Whose inboxes are read; all of them are everybody's who can be told.
public enum InboxOwners: String, Hashable, Sendable, CaseIterable {
  case devices
  /// Whom devices have.
  case users
  /// Whom devices had, by their history, and none has.
  case formerUsers
}

/// The key of a row, as JSON.
public struct ExportPosition: Hashable, Sendable {
  fileprivate var key: [UInt8]
}

extension Query where Answer == [TenantTable] {
  static func tenantTables() -> Query {
    .list(
      .tenantLifeTables,
      row: {
        TenantTable(name: $0.text($1, 0), columns: $0.textArray($1, 1), types: $0.textArray($1, 2))
      })
  }
}

extension Query where Answer == ExportedRows {
  static func exportRows(
    of table: String, tenant: TenantID, after position: ExportPosition?, limit: Int
  ) -> Query {
    Query(
      .tenantLifeExport,
      { parameters in
        parameters.tenant(tenant)
        parameters.text(table)
        parameters.jsonb(position?.key)
        parameters.count(limit)
      }, read: Self.read)
  }

  static func exportInboxItems(
    of owners: InboxOwners, tenant: TenantID, after position: ExportPosition?, limit: Int
  ) -> Query {
    Query(
      .tenantLifeExportInbox,
      { parameters in
        parameters.tenant(tenant)
        parameters.text(owners.rawValue)
        parameters.jsonb(position?.key)
        parameters.count(limit)
      }, read: Self.read)
  }

  private static func read(_ rows: Rows) -> ExportedRows {
    ExportedRows(
      rows: (0..<rows.count).map { rows.bytes($0, 0) },
      last: rows.count == 0 ? nil : ExportPosition(key: rows.bytes(rows.count - 1, 1)))
  }
}
