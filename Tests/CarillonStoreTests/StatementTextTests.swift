import CarillonSQL
import CarillonStore
import Foundation
import Testing

/// The text of the SQL files: what Citus or a pooler would punish later is found here.
@Suite struct StatementTextTests {
  static let deviceTables = [
    "deliveries", "devices", "device_changes", "device_events", "device_evictions",
    "device_idempotency_keys", "device_priming", "device_syncs", "device_truths", "notifications", "plans",
    "priming_steps",
  ]

  static func files() throws -> [String] {
    try SQLText.names(in: "queries").map { "queries/\($0)" }
      + SQLText.names(in: "migrations").map { "migrations/\($0)" }
  }

  @Test func everyStatementKeepsTheRules() throws {
    for file in try Self.files() {
      for statement in SQLText.statements(try SQLText.text(file)) {
        let broken = SQLText.broken(by: statement, deviceTables: Self.deviceTables)
        #expect(broken.isEmpty, "\(file) breaks \(broken): \(statement)")
      }
    }
  }

  @Test(arguments: [
    ("SET app.tenant_id = 'x'", SQLText.Rule.sessionSetting),
    ("SET LOCAL app.tenant_id = 'x'", .sessionSetting),
    ("PERFORM set_config('app.tenant_id', v, false)", .sessionSetting),
    ("UPDATE carillon.devices SET updated_at = now()", .ownTimeOrChance),
    ("SELECT CURRENT_TIMESTAMP", .ownTimeOrChance),
    ("INSERT INTO a SELECT gen_random_uuid() ON CONFLICT DO NOTHING", .ownTimeOrChance),
    ("INSERT INTO a (b) SELECT c FROM unnest($1) AS c", .bareInsertSelect),
    ("MERGE INTO a USING b", .merge),
    ("SELECT 1 FROM carillon.plans WHERE tenant_id = $1 FOR UPDATE SKIP LOCKED", .wideRowLock),
    ("SELECT 1 FROM carillon.tenants AS t LEFT JOIN carillon.devices AS d ON true", .outerJoinOntoDevices),
    ("SELECT 1 FROM carillon.plans AS p FULL OUTER JOIN x ON true", .outerJoinOntoDevices),
    ("SELECT 1 FROM generate_series(1, 2) AS g LEFT JOIN carillon.plans ON true", .outerJoinOntoDevices),
    ("SELECT count(*) FROM a GROUP BY ROLLUP (b)", .rollup),
  ])
  func aBrokenRuleIsFound(_ statement: String, _ rule: SQLText.Rule) {
    #expect(SQLText.broken(by: statement, deviceTables: Self.deviceTables) == [rule])
  }

  /// Row security does not route to a shard, constants do (rule 10).
  @Test func everyStatementNamesItsTenantAndDevice() {
    let overDevices: Set = [
      "devices_page", "devices_of_user", "devices_count", "devices_ids", "devices_sample",
      "report_counts_bound", "report_counts_part", "retention_devices", "identity_unlink",
      "device_idempotency_keys_search", "device_idempotency_keys_purge",
    ]
    for (name, sql) in CarillonSQL.statements {
      let text = SQLText.statements(sql).joined()
      let touched = Self.deviceTables.filter { text.contains("carillon.\($0) ") || text.hasSuffix(".\($0)") }
      guard !touched.isEmpty else { continue }
      #expect(text.contains("tenant_id = $1"), "\(name)")
      #expect(overDevices.contains(name) || text.contains("device_id = $2"), "\(name)")
    }
  }

  @Test func aStatementIsOneStatement() {
    for (name, sql) in CarillonSQL.statements {
      #expect(SQLText.statements(sql).count == 1, "\(name)")
      #expect(!sql.contains("--"), "\(name) sends its comments along")
      #expect(name.wholeMatch(of: /[a-z]+(_[a-z]+)+/) != nil, "\(name)")
    }
  }

  /// What is compiled in is what stands in the folders: a new file was added to the list, too.
  @Test func everyFileIsCompiledIn() throws {
    var statements: Set<String> = []
    for file in try SQLText.names(in: "queries") {
      for line in try SQLText.text("queries/\(file)").split(separator: "\n")
      where line.hasPrefix("-- name: ") {
        let name = String(line.dropFirst("-- name: ".count))
        #expect(statements.insert(name).inserted, "\(name) stands twice")
        #expect(
          name.hasPrefix(file.dropLast(".sql".count)) || file == "api_keys.sql" || file == "policies.sql",
          "\(name) stands in \(file)")
      }
    }
    #expect(Set(CarillonSQL.statements.keys) == statements)

    let migrations = CarillonSQL.migrations
    let files = migrations.flatMap { migration -> [String] in
      let number = String(migration.version)
      let padded = String(repeating: "0", count: 4 - number.count) + number
      return ["v\(padded)_\(migration.name).down.sql", "v\(padded)_\(migration.name).up.sql"]
    }
    let names = try SQLText.names(in: "migrations")
    #expect(files == names)
    for (migration, pair) in zip(migrations, stride(from: 0, to: files.count, by: 2)) {
      let down = try SQLText.text("migrations/\(files[pair])")
      let up = try SQLText.text("migrations/\(files[pair + 1])")
      #expect(migration.down == down)
      #expect(migration.up == up)
    }
    let roles = try SQLText.text("roles.sql")
    #expect(CarillonSQL.roles == roles)
  }

  /// Migrations never make rows of devices, and name what they touch in full (rule 18).
  @Test func migrationsNameTheSchema() throws {
    for file in try SQLText.names(in: "migrations") {
      for statement in SQLText.statements(try SQLText.text("migrations/\(file)")) {
        let unqualified =
          /\b(TABLE|FUNCTION|INTO|UPDATE|FROM|JOIN)\s+(?!carillon\.)(devices|device_|notif|plans|pol|ten|api_)/
        #expect(statement.firstMatch(of: unqualified) == nil, "\(file): \(statement)")
      }
    }
  }
}
