import CarillonCrypto
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonPostgres
import CarillonStore

/// `tenantctl tenant import`.
enum TenantImportCommand {
  private static let file = Argument.required("FILE", "The archive, as 'tenant export' wrote it.")
  private static let name = Option<String?>.text(
    "name", value: "NAME", "What the tenant is called here; its name there when absent."
  ).commandLineOnly()

  static let `import` = Command<CommandAction>(
    "import", "Makes a tenant out of an archive, under an id of its own.",
    discussion:
      "The archive is checked whole before anything is changed, and once more while it is put in. Until then nobody can "
      + "use the tenant; when something is wrong after all it is taken away again. Devices and notifications keep their "
      + "ids. There are no keys yet: make some with 'tenantctl key create'.",
    options: [name, CommonOptions.dryRun], arguments: [file],
    examples: [
      "tenantctl tenant import acme.ndjson --name acme-2", "tenantctl tenant import acme.ndjson --dry-run",
    ]
  ) { context in
    let path = context.values[file]
    let given = context.values[name]
    let isDry = context.values[CommonOptions.dryRun]
    let now = context.now()
    let console = context.console
    var random = SecureRandom()
    let id = TenantID(UUID128.make(random: (random.next(), random.next())))
    let (tenant, summary) = try await context.withStore { store -> (StoredTenant?, ArchiveReader.Summary) in
      let reader = try ArchiveReader(path: path)
      let summary = try await reader.read { _, _ in }
      let text = given ?? summary.header.tenantName
      try TenantNoun.checkName(text)
      try check(summary.header, against: try await TenantExport.tables(store))
      if isDry {
        guard try await store.tenant(named: text) == nil else { throw TenantNoun.taken(text) }
        return (nil, summary)
      }
      let task = TenantImport(store: store, reader: reader, summary: summary) {
        console.replaceLine("\($0) of \(summary.rows) rows put in")
      }
      return (try await task.run(id, name: text, at: now), summary)
    }
    console.replaceLine("")
    var members = [
      JSONMember("id", tenant.map { .string($0.id.text) } ?? .null),
      JSONMember("name", .string(tenant?.name ?? given ?? summary.header.tenantName)),
      JSONMember("from", .string(summary.header.tenantName)),
      JSONMember("exportedAt", .string(summary.header.exportedAt.text)),
      JSONMember("rows", .number(String(summary.rows))), JSONMember("sha256", .string(summary.checksum)),
    ]
    if isDry { members.append(JSONMember("dryRun", true)) }
    try context.print(
      .one(
        .object(members), columns: members.map { Column($0.name) },
        notes: isDry ? ["Nothing was made."] : ["It has no keys yet: 'tenantctl key create' makes one."]))
    return .ok
  }

  /// Each table of the archive must be one of ours, column for column.
  private static func check(
    _ header: ArchiveHeader, against tables: [ArchiveHeader.Table]
  ) throws(ArchiveDamage) {
    for table in header.tables where !tables.contains(table) { throw .foreignTable(table.name) }
    guard Set(header.tables.map(\.name)).count == header.tables.count else { throw .damagedLine(1) }
  }
}

/// Puts an archive that was checked into a new tenant.
struct TenantImport {
  /// Rows and bytes that go into one transaction, at most; a longer row goes alone.
  static let rowsPerStep = 500
  static let bytesPerStep = 4 << 20

  let store: OperatorStore
  let reader: ArchiveReader
  let summary: ArchiveReader.Summary
  /// Gets how many rows are put in.
  let progress: (Int) -> Void

  func run(_ id: TenantID, name: String, at now: Instant) async throws -> StoredTenant {
    let details = ["from": summary.header.tenantName, "sha256": summary.checksum, "step": "begun"]
    let begin = store.entry(.tenantImport, at: now, subject: name, details: details)
    guard try await store.beginImport(of: id, name: name, audit: begin) else { throw TenantNoun.taken(name) }
    do {
      try await putIn(id)
      let done = store.entry(.tenantImport, at: now, subject: name, details: ["step": "done"])
      guard try await store.setStatus(.active, from: [.importing], tenant: id, audit: done),
        let tenant = try await store.tenant(named: name)
      else { throw CommandFailure(.conflict, "somebody has taken the tenant '\(name)' away meanwhile") }
      return tenant
    } catch {
      // What there is of it was never anybody's.
      if let tenant = try? await store.tenant(named: name), tenant.id == id {
        try? await TenantDeleteCommand.delete(tenant, from: store, at: now)
      }
      throw error
    }
  }

  private func putIn(_ id: TenantID) async throws {
    var step = Step()
    var done = 0
    func flush() async throws {
      guard step.rows > 0 else { return }
      let count: Int
      do throws(StoreError) {
        count = try await store.importRows(step.bytes + [UInt8(ascii: "]")], into: step.table, tenant: id)
      } catch {
        guard Self.isAboutValues(error) else { throw error }
        throw ArchiveDamage.repeatedRow(table: step.table)
      }
      guard count == step.rows else { throw ArchiveDamage.repeatedRow(table: step.table) }
      done += count
      progress(done)
      step = Step()
    }
    let again = try await reader.read { table, row in
      if step.table != table || step.rows == Self.rowsPerStep
        || step.bytes.count + row.count > Self.bytesPerStep
      {
        try await flush()
      }
      step.add(row, of: table)
    }
    try await flush()
    guard again == summary else { throw ArchiveDamage.changedMeanwhile }
  }

  /// The database is not to blame: no tenant can have such rows.
  private static func isAboutValues(_ error: StoreError) -> Bool {
    guard case .database(let error) = error, let state = error.sqlState else { return false }
    // Data exception, integrity constraint violation.
    return state.hasPrefix("22") || state.hasPrefix("23")
  }

  private struct Step {
    var table = ""
    var rows = 0
    var bytes = [UInt8(ascii: "[")]

    mutating func add(_ row: [UInt8], of table: String) {
      if rows > 0 { bytes.append(UInt8(ascii: ",")) }
      self.table = table
      bytes += row
      rows += 1
    }
  }
}
