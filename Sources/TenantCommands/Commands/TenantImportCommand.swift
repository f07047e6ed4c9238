import CarillonCrypto
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonPlanner
import CarillonPostgres
import CarillonStore
import CarillonZones

/// `tenantctl tenant import`.
enum TenantImportCommand {
  private static let file = Argument.required("FILE", "The archive, as 'tenant export' wrote it.")
  private static let name = Option<String?>.text(
    "name", value: "NAME", "What the tenant is called here; its name there when absent."
  ).commandLineOnly()

  static let zoneFolder = Option.text(
    "tz-dir", value: "FOLDER", default: ZoneFolder.systemPath, "Where the time zone data is."
  ).commandLineOnly()

  static let `import` = Command<CommandAction>(
    "import", "Makes a tenant out of an archive, under an id of its own.",
    discussion:
      "The archive is checked whole before anything is changed, and once more while it is put in. Until then nobody can "
      + "use the tenant; when something is wrong after all it is taken away again. Devices and notifications keep their "
      + "ids. There are no keys yet: make some with 'tenantctl key create'.",
    options: [name, zoneFolder, CommonOptions.dryRun], arguments: [file],
    examples: [
      "tenantctl tenant import acme.ndjson --name acme-2", "tenantctl tenant import acme.ndjson --dry-run",
    ]
  ) { context in
    let path = context.values[file]
    let given = context.values[name]
    let isDry = context.values[CommonOptions.dryRun]
    let zones = try PlanPreviewCommand.zones(context.values[zoneFolder])
    let now = context.now()
    let console = context.console
    var random = SecureRandom()
    let id = TenantID(UUID128.make(random: (random.next(), random.next())))
    let (tenant, summary) = try await context.withStore { store -> (StoredTenant?, ArchiveReader.Summary) in
      let reader = try ArchiveReader(path: path)
      let summary = try await checked(reader, against: try await store.tenantTables(), zones)
      let text = given ?? summary.header.tenantName
      try TenantNoun.checkName(text)
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

  /// Reads all of it and changes nothing.
  private static func checked(
    _ reader: ArchiveReader, against tables: [TenantTable], _ zones: any ZoneLookup
  ) async throws -> ArchiveReader.Summary {
    var checker: ArchiveRowChecker?
    var fault: ArchiveDamage?
    let summary = try await reader.read(
      began: { header in
        try check(header, against: TenantExport.described(tables))
        checker = ArchiveRowChecker(header, tables, zones: zones)
      },
      { table, row, line in
        // What is wrong with the whole file is told first: a row of it may be wrong because of that.
        guard fault == nil else { return }
        do throws(ArchiveDamage) { try checker?.check(row, of: table, line: line) } catch { fault = error }
      })
    if let fault { throw fault }
    try checker?.finish()
    return summary
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
      guard let first = step.rows.first, let last = step.rows.last else { return }
      let count: Int
      do throws(StoreError) {
        count = try await store.importRows(step.json, into: step.table, tenant: id)
      } catch {
        guard Self.reason(of: error) != nil else { throw error }
        try await findFault(in: step, of: id)
        throw error
      }
      guard count == step.rows.count else {
        throw ArchiveDamage.repeatedRow(table: step.table, lines: first.line...last.line)
      }
      done += count
      progress(done)
      step = Step()
    }
    let again = try await reader.read { table, row, line in
      if step.table != table || step.rows.count == Self.rowsPerStep
        || step.byteCount + row.count > Self.bytesPerStep
      {
        try await flush()
      }
      step.add(Archive.withoutCaches(row, of: table), line, of: table)
    }
    try await flush()
    guard again == summary else { throw ArchiveDamage.changedMeanwhile }
  }

  /// Puts the rows of a step that was refused in one by one, until it is told which one it was.
  private func findFault(in step: Step, of id: TenantID) async throws {
    for row in step.rows {
      do throws(StoreError) {
        _ = try await store.importRows(
          Step(table: step.table, rows: [row]).json, into: step.table, tenant: id)
      } catch {
        guard let reason = Self.reason(of: error) else { throw error }
        throw ArchiveDamage.badValue(line: row.line, table: step.table, column: nil, problem: reason)
      }
    }
  }

  /// Why no tenant can have such a row; nil: the row is not to blame.
  private static func reason(of error: StoreError) -> String? {
    guard case .database(let error) = error, let state = error.sqlState else { return nil }
    let constraint = error.constraint.map { " (\($0))" } ?? ""
    return switch state {
    case "23502": "a column is empty that must not be"
    case "23503": "what it belongs to is not in the archive\(constraint)"
    case "22003": "a number is out of range"
    case "22007", "22008": "a time that there is not"
    // Integrity constraint violation, data exception.
    case _ where state.hasPrefix("23"): "it breaks a rule of the table\(constraint)"
    case _ where state.hasPrefix("22"): "a column has another type than its value"
    default: nil
    }
  }

  private struct Step {
    var table = ""
    var rows: [(bytes: [UInt8], line: Int)] = []
    private(set) var byteCount = 0

    init() {}

    init(table: String, rows: [(bytes: [UInt8], line: Int)]) { (self.table, self.rows) = (table, rows) }

    mutating func add(_ row: [UInt8], _ line: Int, of table: String) {
      self.table = table
      rows.append((row, line))
      byteCount += row.count
    }

    var json: [UInt8] {
      var bytes = [UInt8(ascii: "[")]
      bytes.reserveCapacity(byteCount + rows.count + 1)
      for (index, row) in rows.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += row.bytes
      }
      bytes.append(UInt8(ascii: "]"))
      return bytes
    }
  }
}
