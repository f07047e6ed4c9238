import CarillonJSON
import CarillonModel

/// The form of a tenant's archive: one JSON value a line. A header, the rows of each table, and a closing line with how
/// many rows there are and the SHA-256 of every byte before it.
enum Archive {
  /// Of the form. A reader refuses every other one.
  static let version = 1
  static let kind = "carillon"
  /// No line may be longer.
  static let longestLine = 64 << 20

  /// Tables whose rows do not go along, and why. Every other table does: a new one that holds a secret, or what means
  /// nothing elsewhere, has to be named here.
  static let leftOut: [String: String] = [
    "api_keys": "credentials are made anew",
    "device_idempotency_keys": "answers to requests that were made there, kept for a day",
    "tenant_idempotency_keys": "answers to requests that were made there, kept for a day",
    "signing_keys": "sealed under the master key there; made anew with the first device token",
    "audit_log": "what was done to it there belongs to where it was done",
  ]

  /// Columns of the tenant's own row that are not its own elsewhere.
  static let tenantsOwn: Set = ["name", "status"]

  /// Columns by table that are neither exported nor imported, but null in an archive: what a server keeps of its last
  /// answer and sends again without reading it. The next report is read whole, and it is there again.
  static let caches: [String: Set<String>] = [
    "device_syncs": ["report_digest", "steady_answer", "valid_until"]
  ]

  /// A row without what is only a cache, whoever wrote the archive.
  static func withoutCaches(_ row: [UInt8], of table: String) -> [UInt8] {
    guard let caches = caches[table],
      var members = try? JSONValue(parsing: row, limits: ArchiveRowChecker.limits).object
    else { return row }
    for index in members.indices where caches.contains(members[index].name) { members[index].value = .null }
    return JSONValue.object(members).bytes
  }
}

/// The first line.
struct ArchiveHeader: Hashable {
  var tenantID: String
  var tenantName: String
  var exportedAt: Instant
  /// Migrations of the database it comes from.
  var schema: Int
  /// The tables whose rows follow, in their order, with their columns but for the tenant's id.
  var tables: [Table]

  struct Table: Hashable {
    var name: String
    var columns: [String]
  }

  var json: JSONValue {
    [
      "archive": .string(Archive.kind), "version": .number(String(Archive.version)),
      "schema": .number(String(schema)), "exportedAt": .string(exportedAt.text),
      "tenant": ["id": .string(tenantID), "name": .string(tenantName)],
      "tables": .object(
        tables.map { JSONMember($0.name, .array($0.columns.map(JSONValue.string))) }),
      "leftOut": .object(
        Archive.leftOut.sorted { $0.key < $1.key }.map { JSONMember($0.key, .string($0.value)) }),
    ]
  }

  init(tenantID: String, tenantName: String, exportedAt: Instant, schema: Int, tables: [Table]) {
    self.tenantID = tenantID
    self.tenantName = tenantName
    self.exportedAt = exportedAt
    self.schema = schema
    self.tables = tables
  }

  init(line: [UInt8]) throws(ArchiveDamage) {
    guard let json = try? JSONValue(parsing: line), json["archive"]?.string == Archive.kind,
      let version = json["version"]?.int
    else { throw .noArchive }
    guard version == Archive.version else { throw .foreignVersion(version) }
    guard let id = json["tenant"]?["id"]?.string, let name = json["tenant"]?["name"]?.string,
      let time = json["exportedAt"]?.string.flatMap({ Instant($0) }), let schema = json["schema"]?.int,
      let members = json["tables"]?.object
    else { throw .damagedLine(1) }
    self.init(tenantID: id, tenantName: name, exportedAt: time, schema: schema, tables: [])
    for member in members {
      guard let columns = member.value.array else { throw .damagedLine(1) }
      tables.append(Table(name: member.name, columns: columns.compactMap(\.string)))
    }
  }
}

/// Why an archive is not taken. Nothing was changed because of it, or what was is taken back.
enum ArchiveDamage: Error, Hashable {
  case noArchive
  case foreignVersion(Int)
  /// A table that this release does not have, or has otherwise.
  case foreignTable(String)
  /// By number, from 1.
  case damagedLine(Int)
  case lineTooLong(Int)
  /// It ends before its closing line.
  case truncated
  /// More follows behind the closing line, as when a file is written twice.
  case goesOn
  case wrongChecksum
  /// There are more or fewer rows of a table than the closing line says.
  case wrongCount(table: String)
  /// Two rows that cannot both be; one of them stands in these lines.
  case repeatedRow(table: String, lines: ClosedRange<Int>)
  /// No tenant can have such a row. Without a column: all of it.
  case badValue(line: Int, table: String, column: String?, problem: String)
  /// It was whole when it was checked and is another one now.
  case changedMeanwhile

  var problem: String {
    switch self {
    case .noArchive: "this is no archive of a tenant"
    case .foreignVersion(let version):
      "the archive has version \(version), and this tenantctl reads version \(Archive.version)"
    case .foreignTable(let table): "the archive's table '\(table)' is not as in this release"
    case .damagedLine(let line): "line \(line) of the archive is damaged"
    case .lineTooLong(let line): "line \(line) of the archive is longer than \(Archive.longestLine) bytes"
    case .truncated: "the archive ends before its closing line"
    case .goesOn: "the archive goes on behind its closing line"
    case .wrongChecksum: "the archive is not what was exported: its checksum differs"
    case .wrongCount(let table): "the archive has another number of rows of '\(table)' than it says"
    case .repeatedRow(let table, let lines):
      "the archive has two rows of '\(table)' that cannot both be, one of them in "
        + (lines.count == 1 ? "line \(lines.lowerBound)" : "lines \(lines.lowerBound) to \(lines.upperBound)")
    case .badValue(let line, let table, let column, let problem):
      "line \(line) of the archive: a row of '\(table)' that no tenant can have: "
        + (column.map { "'\($0)': " } ?? "") + problem
    case .changedMeanwhile: "the archive was changed while it was read"
    }
  }

  var failure: CommandFailure {
    switch self {
    case .foreignVersion, .foreignTable:
      CommandFailure(.error, problem, "Import it with the release it was exported by, and migrate then")
    default: CommandFailure(.error, problem, "Export the tenant again, or take another copy of the file")
    }
  }
}
