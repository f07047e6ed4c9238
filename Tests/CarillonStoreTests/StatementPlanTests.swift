import CarillonPostgres
import CarillonSQL
import CarillonStore
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// `EXPLAIN (ANALYZE, BUFFERS)` of every statement that requests run, over a hundred thousand devices: none reads a
/// table from one end to the other, and none looks at more pages than its bound.
@Suite struct StatementPlanTests {
  static let devices = 100_000
  /// Pages that a statement may look at.
  static let mostBuffers = 60
  /// Of what writes a device's rows into many tables, or reads many rows; by name, or by how it begins inside a function.
  static let mostBuffersOf = [
    "device_syncs_apply": 1_500, "notifications_change": 400, "notifications_change_once": 400,
    "devices_page": 300, "SELECT carillon.record_inbox(": 150, "SELECT carillon.record_history(": 120,
  ]

  /// Those that have no rows of devices: here they have a page each, which is read whole.
  static let smallTables: Set = ["tenants", "policies", "tenant_idempotency_keys"]

  @Test func everyStatementIsCheapInALargeTable() async throws {
    try await withTemporaryFolder { folder in
      var configuration = LocalCluster.Configuration(folder: folder)
      configuration.settings = ["fsync": "off", "shared_buffers": "256MB", "autovacuum": "off"]
        .merging(ExplainLog.settings) { $1 }
      let cluster = try await LocalCluster.start(configuration)
      let database = try await MigratedDatabase.make(in: cluster)
      try await check(database, log: "\(folder)/postgres.log")
      await cluster.stop()
    }
  }

  private func check(_ database: MigratedDatabase, log: String) async throws {
    try await withStore(over: database) { world in
      try await HotStatements.fill(world, devices: Self.devices)
      // The first rounds find pages that nobody has looked at, and make the plans that are kept.
      for round in 1...8 as ClosedRange<Int64> { try await HotStatements.run(round, in: world) }
      let start = try Data(contentsOf: URL(fileURLWithPath: log)).count
      for round in 9...10 as ClosedRange<Int64> { try await HotStatements.run(round, in: world) }
      let text = String(
        decoding: try Data(contentsOf: URL(fileURLWithPath: log)).dropFirst(start), as: UTF8.self)
      let entries = try ExplainLog(text).entries
      let names = Dictionary(
        CarillonSQL.statements.map { (Self.oneLine($1), $0) }, uniquingKeysWith: { first, _ in first })
      #expect(Set(entries.compactMap { names[$0.statement] }).count > 20)
      for entry in entries {
        let what = names[entry.statement] ?? String(entry.statement.prefix(160))
        let most =
          Self.mostBuffersOf[what] ?? Self.mostBuffersOf.first { what.hasPrefix($0.key) }?.value
          ?? Self.mostBuffers
        #expect(entry.scanned.allSatisfy(Self.smallTables.contains), "\(what) scans \(entry.scanned)")
        #expect(entry.buffers <= most, "\(what) looks at \(entry.buffers) pages: \(entry.plan)")
      }
    }
  }

  private static func oneLine(_ sql: String) -> String {
    sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
