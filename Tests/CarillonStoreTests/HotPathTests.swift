import CarillonModel
import CarillonPostgres
import CarillonStore
import Testing

/// What the database did to answer, told by its own counters.
@Suite struct HotPathTests {
  private func counters(_ world: StoreWorld, _ column: String) async throws -> [String] {
    try await world.texts(
      """
      SELECT relname || ' ' || \(column) FROM pg_stat_user_tables
      WHERE schemaname = 'carillon' AND relname IN (
        SELECT table_name FROM information_schema.columns
        WHERE table_schema = 'carillon' AND column_name IN ('device_id', 'inbox_id'))
      ORDER BY relname
      """)
  }

  /// Closes the server's connections, which makes them report their counters.
  private func settle(_ world: StoreWorld) async throws {
    await world.pool.close()
    while try await world.count(
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE usename = 'carillon_app' AND datname = current_database()
      """) > 0
    {}
  }

  @Test func noStatementReadsAWholeTable() async throws {
    try await withStore { world in
      try await HotStatements.fill(world, devices: 20_000)
      let before = try await counters(world, "seq_scan")
      let found = try await counters(world, "idx_scan")
      // Often enough for the plans that are made once and kept.
      for round in 1...12 as ClosedRange<Int64> { try await HotStatements.run(round, in: world) }
      _ = try await world.store.eraseDevice(tenant: world.tenant, device: Sample.device(1))
      try await settle(world)
      let after = try await counters(world, "seq_scan")
      #expect(after == before)
      #expect(zip(try await counters(world, "idx_scan"), found).allSatisfy { $0 != $1 })
    }
  }

  /// An update that stays on its page leaves the indexes alone.
  @Test func steadySyncsStayOnTheirPage() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(sequence: 0), tenant: tenant, device: device)
      for sequence in 1...50 as ClosedRange<Int64> {
        let answer = try await store.confirmUnchanged(
          tenant: tenant, device: device, sequence: sequence, digest: 7, now: Sample.later(1))
        #expect(answer != nil)
      }
      try await settle(world)
      let updates = try await counters(world, "n_tup_upd || ' ' || n_tup_hot_upd")
      // One more by the first report itself.
      #expect(updates.contains("device_syncs 51 51"), "\(updates)")
    }
  }
}
