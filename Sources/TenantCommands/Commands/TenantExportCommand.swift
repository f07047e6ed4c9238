import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonStore

/// `tenantctl tenant export`.
enum TenantExportCommand {
  static let file = Argument.required("FILE", "The archive, which must not exist; - is standard output.")

  static let export = Command<CommandAction>(
    "export", "Writes everything a tenant has into one archive, as of one moment.",
    discussion:
      "One JSON value a line: a header, the rows of each table, and a closing line with their number and the SHA-256 of "
      + "all before it. Credentials and the audit log stay behind; the header says so. The archive holds what devices "
      + "have told: it is made for its owner's eyes alone.",
    options: [CommonOptions.dryRun], arguments: [CommonOptions.tenant, file],
    examples: [
      "tenantctl tenant export acme acme.ndjson", "tenantctl tenant export acme - | zstd > acme.ndjson.zst",
    ]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let path = context.values[file]
    let isDry = context.values[CommonOptions.dryRun]
    try ArchiveWriter.checkIsFree(path)
    let now = context.now()
    let console = context.console
    let found = try await context.withStore { store -> Found in
      let tenant = try await store.tenant(nameOrID: name)
      try TenantStatusCommands.checkIsOpen(tenant)
      let total = try await store.countRows(tenant: tenant.id).reduce(0) {
        $0 + (Archive.leftOut[$1.table] == nil ? $1.rows : 0)
      }
      if isDry { return Found(tenant: tenant, rows: total) }
      let writer = try ArchiveWriter(path: path)
      let audit = store.entry(.tenantExport, at: now, subject: tenant.name)
      guard try await store.beginExport(of: tenant, audit: audit) else {
        throw TenantStatusCommands.busy(tenant)
      }
      let checksum = try await store.inSnapshot {
        let export = TenantExport(store: store, writer: writer) {
          console.replaceLine("\($0) of \(max($0, total)) rows written")
        }
        try await export.run(tenant, at: now)
        return try writer.finish()
      }
      return Found(tenant: tenant, rows: writer.rowCount, bytes: writer.byteCount, checksum: checksum)
    }
    console.replaceLine("")
    // What stands on standard output is the archive.
    guard isDry || path != InputFile.standardInput else { return .ok }
    var members = [
      JSONMember("tenant", .string(found.tenant.name)), JSONMember("file", .string(path)),
      JSONMember("rows", .number(String(found.rows))),
    ]
    if isDry {
      members.append(JSONMember("dryRun", true))
    } else {
      members += [
        JSONMember("bytes", .number(String(found.bytes))), JSONMember("sha256", .string(found.checksum)),
      ]
    }
    try context.print(.one(.object(members), columns: members.map { Column($0.name) }))
    return .ok
  }

  private struct Found: Sendable {
    var tenant: StoredTenant
    var rows: Int
    var bytes = 0
    var checksum = ""
  }
}

/// Reads a tenant table by table, a bounded part at a time, and writes it into an archive.
struct TenantExport {
  /// Rows that are in memory at a time.
  static let rowsPerPart = 200

  let store: OperatorStore
  let writer: ArchiveWriter
  /// Gets how many rows are written.
  let progress: (Int) -> Void

  func run(_ tenant: StoredTenant, at now: Instant) async throws {
    let tables = try await Self.tables(store)
    try writer.begin(
      ArchiveHeader(
        tenantID: tenant.id.text, tenantName: tenant.name, exportedAt: now, schema: Schema.migrations.count,
        tables: tables))
    for table in tables {
      if table.name == "inbox_items" {
        for owners in InboxOwners.allCases {
          try await write(table.name) { position throws(StoreError) in
            try await store.exportInboxItems(
              of: owners, tenant: tenant.id, after: position, limit: Self.rowsPerPart)
          }
        }
      } else {
        try await write(table.name) { position throws(StoreError) in
          try await store.exportRows(
            of: table.name, tenant: tenant.id, after: position, limit: Self.rowsPerPart)
        }
      }
    }
  }

  /// Those that go along, in an order in which they can be put in again.
  static func tables(_ store: OperatorStore) async throws -> [ArchiveHeader.Table] {
    described(try await store.tenantTables())
  }

  static func described(_ tables: [TenantTable]) -> [ArchiveHeader.Table] {
    tables.filter { Archive.leftOut[$0.name] == nil }.map { table in
      let hidden = table.name == "tenants" ? Archive.tenantsOwn : []
      return ArchiveHeader.Table(name: table.name, columns: table.columns.filter { !hidden.contains($0) })
    }
  }

  private func write(
    _ table: String, _ part: (ExportPosition?) async throws(StoreError) -> ExportedRows
  ) async throws {
    var position: ExportPosition?
    while true {
      let rows = try await part(position)
      for row in rows.rows { try writer.write(row: Archive.withoutCaches(row, of: table), of: table) }
      progress(writer.rowCount)
      guard rows.rows.count == Self.rowsPerPart, let last = rows.last else { return }
      position = last
    }
  }
}
