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
  /// Of what writes a device's rows into many tables, or reads many rows of one.
  static let mostBuffersOf = [
    "device_syncs_apply": 1_500, "notifications_change": 400, "notifications_change_once": 400,
  ]

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
        let name = names[entry.statement]
        let most = name.flatMap { Self.mostBuffersOf[$0] } ?? Self.mostBuffers
        let what = "\(name ?? String(entry.statement.prefix(160)))"
        #expect(entry.scanned.isEmpty, "\(what) scans \(entry.scanned)")
        #expect(entry.buffers <= most, "\(what) looks at \(entry.buffers) pages")
      }
    }
  }

  private static func oneLine(_ sql: String) -> String {
    sql.split(whereSeparator: \.isWhitespace).joined(separator: " ")
  }
}
