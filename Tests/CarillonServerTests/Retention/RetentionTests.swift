import CarillonModel
import CarillonPostgres
import CarillonStore
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// What nobody comes back for is taken away by the server, and nothing else is.
@Suite struct RetentionTests {
  private static let now = Instant("2026-11-30T12:00:00Z")!

  /// Columns of a row of each table that ages, but for the time that it ages by, and how long it is kept.
  struct Table: CustomTestStringConvertible, Sendable {
    var name: String
    var columns: String
    /// `$at` is the time.
    var values: String
    var days: Int
    var testDescription: String { name }
  }

  static let device = Reports.device(1)
  static let tables = [
    Table(
      name: "deliveries",
      columns:
        "device_id, notification_id, wished_at, request_id, type, due_at, outcome, noted_at, unmet_needs, repeats",
      values: "'\(device)', 'n', $at, 'n', 'habit', $at, 'open', $at, '{}', false", days: 90),
    Table(
      name: "device_events", columns: "device_id, event_id, kind, occurred_at, received_at",
      values: "'\(device)', 'e' || $at, 'tapped', $at, $at", days: 90),
    Table(
      name: "device_evictions", columns: "device_id, day, type, evicted",
      values: "'\(device)', ($at AT TIME ZONE 'UTC')::date, 'habit', 3", days: 90),
    Table(
      name: "device_idempotency_keys",
      columns: "device_id, principal, key, fingerprint, status, body, answered_at",
      values: "'\(device)', 'key:k', 'k' || $at, sha256('r'), 200, '', $at", days: 1),
    Table(
      name: "tenant_idempotency_keys", columns: "principal, key, fingerprint, status, body, answered_at",
      values: "'key:k', 'k' || $at, sha256('r'), 200, '', $at", days: 1),
    Table(
      name: "inbox_items",
      columns: "inbox_id, notification_id, wished_at, at, type, content, outcome, origin",
      values: "'\(device)', 'n', $at, $at, 'habit', '{}', 'open', '\(device)'", days: 30),
    Table(
      name: "report_counts", columns: "counted, day, type, cohort, counts",
      values: "'permission', ($at AT TIME ZONE 'UTC')::date, '', '', '{1}'", days: 800),
    Table(name: "report_days", columns: "day", values: "($at AT TIME ZONE 'UTC')::date", days: 800),
  ]

  private func tenant(_ name: String, _ database: MigratedDatabase) async throws -> TestTenant {
    let tenant = try await TestTenant.make(
      name, operatorConninfo: database.conninfo(.operator), at: Self.now.adding(seconds: -86_400 * 1_000))
    try await run(
      database,
      """
      UPDATE carillon.tenants SET inbox_days = 30, retention_at = '\(Self.now)', retention_moved_at = '\(Self.now)'
      WHERE name = '\(name)'
      """,
      """
      INSERT INTO carillon.devices (tenant_id, device_id, created_at, updated_at)
      VALUES ('\(tenant.id.text)', '\(Self.device)', '2026-01-01', '2026-01-01')
      """,
      """
      INSERT INTO carillon.device_syncs (tenant_id, device_id, created_at, row_version, plan_version)
      VALUES ('\(tenant.id.text)', '\(Self.device)', '2026-01-01', 1, 0)
      """)
    return tenant
  }

  private func run(_ database: MigratedDatabase, _ statements: String...) async throws {
    try await withLoop { loop in
      let connection = try await PostgresConnection.connect(database.superuserConninfo, on: loop)
      defer { connection.close() }
      for statement in statements { _ = try await connection.run(sql: statement) }
    }
  }

  private func untilRound(_ server: TestServer) async throws -> String {
    var text = ""
    try await until("a round has gone to its end") {
      text = try await server.admin.send("GET", "/metrics").text
      return text.contains("carillon_retention_rounds_total 1\n")
    }
    return text
  }

  /// Of two tenants neither of which is ever heard from.
  @Test(arguments: tables) func whatIsOldGoes(_ table: Table) async throws {
    let database = try await MigratedDatabase.make()
    let tenants = [try await tenant("a", database), try await tenant("b", database)]
    let last = Self.now.adding(seconds: -Int64(table.days) * 86_400)
    // The oldest that stays: of a day's table one that is not before the last day.
    for tenant in tenants {
      for at in [
        last.adding(seconds: -86_400), last.adding(seconds: -86_400 * 100), last.adding(seconds: 60),
      ] {
        let values = table.values.replacing("$at", with: "timestamptz '\(at)'")
        try await run(
          database,
          "INSERT INTO carillon.\(table.name) (tenant_id, \(table.columns)) VALUES ('\(tenant.id.text)', \(values))"
        )
      }
    }
    try await TestServer.with(now: Self.now, database: database, tidiesUp: true) { server in
      let metrics = try await untilRound(server)
      let left = try await database.column(
        "SELECT count(*)::text FROM carillon.\(table.name) GROUP BY tenant_id")
      #expect(left == ["1", "1"])
      #expect(metrics.contains("carillon_retention_rows_total{table=\"\(table.name)\"} 4\n"), "\(metrics)")
      #expect(metrics.contains("carillon_retention_failures_total 0\n"))
    }
  }

  @Test func onlyTheNewestVersionsOfAPolicyStay() async throws {
    let database = try await MigratedDatabase.make()
    let tenant = try await tenant("a", database)
    try await run(
      database,
      """
      INSERT INTO carillon.policies (tenant_id, version, document, created_at)
      SELECT '\(tenant.id.text)', v, '{}', '2020-01-01' FROM generate_series(1, 1003) AS v
      """, "UPDATE carillon.tenants SET policy_version = 1003")
    try await TestServer.with(now: Self.now, database: database, tidiesUp: true) { server in
      _ = try await untilRound(server)
      let left = try await database.column(
        "SELECT min(version) || ' ' || max(version) || ' ' || count(*) FROM carillon.policies")
      #expect(left == ["4 1003 1000"])
    }
  }

  /// More than a part of each kind; and somebody who is in the way loses nothing and holds nobody up.
  @Test func manyPartsAndADeviceThatIsBusy() async throws {
    let database = try await MigratedDatabase.make()
    let tenant = try await tenant("a", database)
    let id = "('00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0'))::uuid"
    let of = "SELECT '\(tenant.id.text)', \(id)"
    try await run(
      database,
      "INSERT INTO carillon.devices (tenant_id, device_id, created_at, updated_at) \(of), '2026-01-01', '2026-01-01' FROM generate_series(1, 1200) AS n",
      "INSERT INTO carillon.device_syncs (tenant_id, device_id, created_at, row_version, plan_version) \(of), '2026-01-01', 1, 0 FROM generate_series(1, 1200) AS n",
      """
      INSERT INTO carillon.device_events (tenant_id, device_id, event_id, kind, occurred_at, received_at)
      \(of), 'e', 'tapped', '2026-01-01', '2026-01-01' FROM generate_series(1, 1200) AS n
      """,
      """
      INSERT INTO carillon.inbox_items (
        tenant_id, inbox_id, notification_id, wished_at, at, type, content, outcome, origin
      )
      \(of), 'n' || k, '2026-01-01', CASE WHEN k = 1 THEN timestamptz '2026-11-29' ELSE '2026-01-01' END, 'habit', '{}',
        'open', \(id)
      FROM generate_series(1, 1200) AS n, generate_series(1, 10) AS k
      """)
    try await withLoop { loop in
      let writer = try await PostgresConnection.connect(database.superuserConninfo, on: loop)
      defer { writer.close() }
      _ = try await writer.run(sql: "BEGIN")
      _ = try await writer.run(
        sql:
          "SELECT FROM carillon.device_syncs WHERE device_id = '00000000-0000-4000-9000-000000000007' FOR UPDATE"
      )
      try await TestServer.with(now: Self.now, database: database, tidiesUp: true) { server in
        let metrics = try await untilRound(server)
        #expect(metrics.contains("carillon_retention_rows_total{table=\"device_events\"} 1199\n"))
        #expect(metrics.contains("carillon_retention_rows_total{table=\"inbox_items\"} 10800\n"))
        #expect(metrics.contains("carillon_retention_failures_total 1\n"), "\(metrics)")
      }
      _ = try await writer.run(sql: "ROLLBACK")
    }
    #expect(
      try await database.column("SELECT device_id::text FROM carillon.device_events")
        == ["00000000-0000-4000-9000-000000000007"])
    #expect(try await database.column("SELECT count(*)::text FROM carillon.inbox_items") == ["1200"])
  }

  @Test func withoutAWorkersDatabaseTheServerSaysSo() async throws {
    try await TestServer.with(now: Self.now) { server in
      #expect(server.log.all.contains { $0.contains("CARILLON_WORKER_DATABASE_URL") })
    }
  }

  /// The page names every table; a new one must find its place there.
  @Test func thePageNamesEveryTable() async throws {
    let database = try await MigratedDatabase.make()
    let tables = try await database.column(
      "SELECT relname::text FROM pg_class WHERE relnamespace = 'carillon'::regnamespace AND relkind IN ('r', 'p')"
    )
    let page = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../docs/retention.md")
    let text = try String(contentsOf: page.standardized, encoding: .utf8)
    for table in tables.compactMap(\.self) {
      #expect(text.contains("| `\(table)` |"), "docs/retention.md does not say what limits \(table)")
    }
  }
}
