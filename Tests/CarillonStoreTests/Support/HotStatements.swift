import CarillonModel
import CarillonPostgres
import CarillonStore
import Testing

/// Everything that requests ask of the database, over a large table.
enum HotStatements {
  /// Devices with 3 entries each, written by the superuser and known to PostgreSQL's planner.
  static func fill(_ world: StoreWorld, devices: Int) async throws {
    let all = "generate_series(1, \(devices)) AS i"
    let ids = "'\(world.tenant.uuid)'::uuid, md5(i::text)::uuid"
    for sql in [
      """
      INSERT INTO carillon.devices (tenant_id, device_id, user_id, created_at, updated_at)
      SELECT \(ids), 'user.' || i, '2026-01-01', '2026-01-01' FROM \(all)
      """,
      """
      INSERT INTO carillon.device_syncs (tenant_id, device_id, created_at, row_version, plan_version)
      SELECT \(ids), '2026-01-01', 0, 0 FROM \(all)
      """,
      """
      INSERT INTO carillon.notifications
      SELECT \(ids), 'n' || k, '', '', '2026-01-01', 0 FROM \(all), generate_series(1, 3) AS k
      """,
      """
      INSERT INTO carillon.plans
      SELECT \(ids), 1, 0, '2025b', 0, '2026-01-01', '{}', '' FROM \(all)
      """,
      """
      INSERT INTO carillon.device_events
      SELECT \(ids), 'e', 'tapped', NULL, NULL, '2026-01-01', '2026-01-01' FROM \(all)
      """,
      """
      INSERT INTO carillon.inbox_items
      SELECT \(ids), 'n', '2026-01-01', '2026-01-01', 'habit', '{}', 'open', md5(i::text)::uuid
      FROM \(all)
      """,
      """
      INSERT INTO carillon.device_priming
      SELECT \(ids) FROM \(all)
      """,
      """
      INSERT INTO carillon.priming_steps
      SELECT \(ids), 1, '2026-01-01', NULL, NULL, 'none', '' FROM \(all)
      """,
      """
      INSERT INTO carillon.deliveries
      SELECT \(ids), 'n', '2026-01-01', 'n', 'habit', '2026-01-01', 'open', NULL, '2026-01-01', NULL, NULL, NULL,
        NULL, '{}', 0, 1, 1, false FROM \(all)
      """,
      """
      INSERT INTO carillon.device_idempotency_keys
      SELECT \(ids), 'device', 'k', sha256('r'), 200, NULL, '', '2026-01-01' FROM \(all)
      """,
      """
      INSERT INTO carillon.device_evictions
      SELECT \(ids), '2026-01-01', 'habit', 1 FROM \(all)
      """,
      """
      INSERT INTO carillon.device_changes
      SELECT \(ids), 1, '2026-01-01', 1, NULL, NULL, 'authorized', NULL, '{}' FROM \(all)
      """,
      """
      INSERT INTO carillon.device_truths
      SELECT \(ids), NULL, 0, '{}', '{}', '[]', 1, '[]', NULL, false, NULL, 0, 0, 0, NULL FROM \(all)
      """,
      "ANALYZE",
    ] { _ = try await world.superuser.run(sql: sql) }
  }

  /// - Parameter round: 1, 2, … : each changes what the one before left.
  static func run(_ round: Int64, in world: StoreWorld) async throws {
    let (store, tenant) = (world.store, world.tenant)
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
      for (version, isThere) in [(present, true), (present - 1, false), (nil, false)] as [(Int64?, Bool)] {
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
}
