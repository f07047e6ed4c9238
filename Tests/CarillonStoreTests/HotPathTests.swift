import CarillonModel
import CarillonPostgres
import CarillonStore
import Testing

/// What the database did to answer, told by its own counters.
@Suite struct HotPathTests {
  /// 20,000 devices with 3 entries each, written by the superuser and known to the planner.
  private func fill(_ world: StoreWorld) async throws {
    let ids = "'\(world.tenant.uuid)'::uuid, md5(i::text)::uuid"
    for sql in [
      """
      INSERT INTO carillon.devices (tenant_id, device_id, user_id, created_at, updated_at)
      SELECT \(ids), 'user.' || i, '2026-01-01', '2026-01-01' FROM generate_series(1, 20000) AS i
      """,
      """
      INSERT INTO carillon.device_syncs (tenant_id, device_id, row_version, plan_version)
      SELECT \(ids), 0, 0 FROM generate_series(1, 20000) AS i
      """,
      """
      INSERT INTO carillon.notifications
      SELECT \(ids), 'n' || k, '', '', '2026-01-01', 0 FROM generate_series(1, 20000) AS i, generate_series(1, 3) AS k
      """,
      """
      INSERT INTO carillon.plans
      SELECT \(ids), 1, 0, '2025b', 0, '2026-01-01', '{}', '' FROM generate_series(1, 20000) AS i
      """,
      """
      INSERT INTO carillon.device_events
      SELECT \(ids), 'e', 'tapped', NULL, NULL, '2026-01-01', '2026-01-01' FROM generate_series(1, 20000) AS i
      """,
      """
      INSERT INTO carillon.inbox_items
      SELECT \(ids), 'n', '2026-01-01', '2026-01-01', 'habit', '{}', 'open', md5(i::text)::uuid
      FROM generate_series(1, 20000) AS i
      """,
      """
      INSERT INTO carillon.device_priming
      SELECT \(ids) FROM generate_series(1, 20000) AS i
      """,
      """
      INSERT INTO carillon.priming_steps
      SELECT \(ids), 1, '2026-01-01', NULL, NULL, 'none', '' FROM generate_series(1, 20000) AS i
      """,
      """
      INSERT INTO carillon.deliveries
      SELECT \(ids), 'n', '2026-01-01', 'n', 'habit', '2026-01-01', 'open', NULL, '2026-01-01', NULL, NULL, NULL,
        NULL, '{}', 0, 1, false FROM generate_series(1, 20000) AS i
      """,
      """
      INSERT INTO carillon.device_idempotency_keys
      SELECT \(ids), 'device', 'k', sha256('r'), 200, NULL, '', '2026-01-01' FROM generate_series(1, 20000) AS i
      """,
      """
      INSERT INTO carillon.device_evictions
      SELECT \(ids), '2026-01-01', 'habit', 1 FROM generate_series(1, 20000) AS i
      """,
      """
      INSERT INTO carillon.device_changes
      SELECT \(ids), 1, '2026-01-01', 1, NULL, NULL, 'authorized', NULL, '{}' FROM generate_series(1, 20000) AS i
      """,
      """
      INSERT INTO carillon.device_truths
      SELECT \(ids), NULL, 0, '{}', '{}', '[]', 1, '[]', NULL, false, NULL, 0, 0, 0, NULL FROM generate_series(1, 20000) AS i
      """,
      "ANALYZE",
    ] { _ = try await world.superuser.run(sql: sql) }
  }

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
      try await fill(world)
      let before = try await counters(world, "seq_scan")
      let found = try await counters(world, "idx_scan")
      let (store, tenant) = (world.store, world.tenant)
      // Often enough for the plans that are made once and kept.
      for round in 1...12 as ClosedRange<Int64> {
        for device in [Sample.device(1), Sample.device(2)] {
          let mentions = ReportMentions(notifications: [Sample.id("a")], events: ["e1"])
          let row = try await store.loadDevice(
            tenant: tenant, device: device, mentions: mentions, inbox: InboxQuestion(now: Sample.start)
          ).device?.rowVersion
          var change = Sample.firstReport(sequence: round * 10)
          change.expectedRowVersion = row
          change.puts = [Sample.item("a", hour: Int(round)), Sample.item("r.\(round)")]
          change.cancels = [Sample.id("r.\(round - 1)")]
          change.events = [DeviceEvent(id: "e\(round)", kind: "tapped", at: Sample.start)]
          change.forgetEventsBefore = Sample.later(-1)
          change.priming = Sample.priming
          change.inbox = InboxChange(
            due: [Sample.occurrence("a", wish: round)], settled: [Sample.occurrence("a", wish: round - 1)])
          change.history = Sample.history(round)
          change.wantedContents = [Sample.id("a")]
          let outcome = try await store.apply(change, tenant: tenant, device: device)
          #expect(outcome == .applied(contents: [Sample.id("a"): change.puts[0].content]))
          let steady = try await store.confirmUnchanged(
            tenant: tenant, device: device, sequence: round * 10 + 1, digest: 7, now: Sample.later(1))
          #expect(steady != nil)
          for (user, step) in [(BoundUser("u1"), 2), (.nobody, 3), (BoundUser("user.5"), 3)]
            as [(BoundUser, Int64)]
          {
            let bound = try await store.confirmUnchanged(
              tenant: tenant, device: device, user: user, sequence: round * 10 + step, digest: 7,
              now: Sample.later(1))
            #expect((bound != nil) == (user.id == "u1"))
          }
          _ = try await store.changeQueue(
            tenant: tenant, device: device,
            operations: [.put(Sample.item("q.\(round)")), .cancel(Sample.id("q.\(round - 1)"))],
            now: Sample.start)
          _ = try await store.notification(tenant: tenant, device: device, id: Sample.id("a"))
          _ = try await store.notifications(tenant: tenant, device: device, after: Sample.id("a"), limit: 50)
          let present = try #require(await store.device(tenant: tenant, device: device)).rowVersion
          for (version, isThere) in [(present, true), (present - 1, false), (nil, false)] as [(Int64?, Bool)]
          {
            let contents = try await store.contents(
              tenant: tenant, device: device, ids: [Sample.id("a")], of: version)
            #expect((contents != nil) == isThere)
          }
          _ = try await store.plan(tenant: tenant, device: device)
          _ = try await store.deliveries(tenant: tenant, device: device, before: nil, limit: 50)
          _ = try await store.changes(tenant: tenant, device: device, before: nil, limit: 50)
          _ = try await store.truth(tenant: tenant, device: device)
          _ = try await store.devices(tenant: tenant, after: device, limit: 50)
          _ = try await store.inbox(
            tenant: tenant, device: device, state: .unread, after: nil, limit: 50, now: Sample.start)
          _ = try await store.markInbox(
            tenant: tenant, device: device, .read,
            .items([Sample.occurrence("a", wish: round).key]), now: Sample.start)
          _ = try await store.markInbox(
            tenant: tenant, device: device, .archive, .before(Sample.later(-1)), now: Sample.start)
          _ = try await store.knownItems(
            tenant: tenant, device: device, user: "user.5", keys: [Sample.occurrence("a").key])
          _ = try await store.devicesSharingInbox(tenant: tenant, device: device)
          let priming = try await store.loadPriming(tenant: tenant, device: device)
          _ = try await store.keepPrimingAnswer(
            try #require(Sample.priming.answered), expected: try #require(priming.device).rowVersion,
            tenant: tenant, device: device, now: Sample.start)
          _ = try await store.primingSteps(tenant: tenant, device: device)
          for principal in [IdempotencyKey.Principal.device(device), .tenantKey("k")] {
            let draft = Sample.answer("key.\(round).\(device)", principal)
            _ = try await store.use(of: draft.key, tenant: tenant, now: Sample.start)
            try await store.keep(draft, tenant: tenant, device: device)
          }
          _ = try await store.foresee(Sample.item("a"), tenant: tenant, device: device)
          _ = try await store.changeQueue(
            tenant: tenant, device: device, operations: [.put(Sample.item("once.\(round)"))],
            keeping: QueueAnswerDraft(Sample.answer("put.\(round)"), foreseen: .inserted), now: Sample.start)
          _ = try await RetentionStore(store).purgeAnswers(tenant: tenant, limit: 1, now: Sample.start)
          _ = try await store.devicesOfUser(tenant: tenant, userId: "user.5", limit: 50)
        }
      }
      _ = try await store.eraseDevice(tenant: tenant, device: Sample.device(1))
      try await settle(world)
      #expect(try await counters(world, "seq_scan") == before)
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
