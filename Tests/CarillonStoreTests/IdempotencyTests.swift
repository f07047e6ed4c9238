import CarillonModel
import CarillonPostgres
import CarillonStore
import Testing

/// Answers that are kept with their effects.
@Suite struct IdempotencyTests {
  private let device = Sample.device(1)

  private func withDevice(_ body: @Sendable (StoreWorld) async throws -> Void) async throws {
    try await withStore { world in
      _ = try await world.store.apply(Sample.firstReport(), tenant: world.tenant, device: Sample.device(1))
      try await body(world)
    }
  }

  private func isOvertaken(_ body: () async throws(StoreError) -> Void) async throws -> Bool {
    do throws(StoreError) {
      try await body()
      return false
    } catch {
      guard case .overtaken = error else { throw error }
      return true
    }
  }

  @Test func aKeyTellsWhatItIsKnownFor() async throws {
    try await withDevice { world in
      let (store, tenant) = (world.store, world.tenant)
      for principal in [IdempotencyKey.Principal.tenantKey("k"), .device(device)] {
        let draft = Sample.answer("a", principal)
        #expect(try await store.use(of: draft.key, tenant: tenant, now: Sample.start) == .unused)
        try await store.keep(draft, tenant: tenant, device: device)
        #expect(
          try await store.use(of: draft.key, tenant: tenant, now: Sample.start) == .answered(draft.answer))
        let other = Sample.answer("a", principal, fingerprint: 2)
        #expect(try await store.use(of: other.key, tenant: tenant, now: Sample.start) == .otherRequest)
        // A day later nobody knows it.
        #expect(try await store.use(of: draft.key, tenant: tenant, now: Sample.later(86_400)) == .unused)
        #expect(try await store.use(of: draft.key, tenant: world.otherTenant, now: Sample.start) == .unused)
      }
    }
  }

  /// The effect and its answer stand or fall together.
  @Test func aKeyInUseUndoesTheEffect() async throws {
    try await withDevice { world in
      let (store, tenant) = (world.store, world.tenant)
      let used = Sample.answer("used")
      try await store.keep(used, tenant: tenant, device: device)
      try await store.keep(used, tenant: tenant, device: nil)
      let rows =
        "SELECT row_version::text FROM carillon.device_syncs UNION ALL SELECT policy_version::text FROM carillon.tenants"
      let before = try await world.texts(rows)
      #expect(
        try await isOvertaken { () async throws(StoreError) in
          try await store.keep(used, tenant: tenant, device: device)
        })
      #expect(
        try await isOvertaken { () async throws(StoreError) in
          _ = try await store.changeQueue(
            tenant: tenant, device: device, operations: [.put(Sample.item("a"))],
            keeping: QueueAnswerDraft(used, foreseen: .inserted), now: Sample.start)
        })
      #expect(
        try await isOvertaken { () async throws(StoreError) in
          var change = DeviceChange(expectedRowVersion: 1, now: Sample.start)
          change.sequence = 9
          change.puts = [Sample.item("a")]
          change.keeping = (used, device)
          _ = try await store.apply(change, tenant: tenant, device: device)
        })
      #expect(
        try await isOvertaken { () async throws(StoreError) in
          _ = try await store.putPolicy(
            tenant: tenant, document: Sample.bytes("{}"), expectedVersion: nil, keeping: used,
            at: Sample.start)
        })
      #expect(
        try await isOvertaken { () async throws(StoreError) in
          _ = try await store.eraseDevice(tenant: tenant, device: device, keeping: used)
        })
      let priming = try await store.loadPriming(tenant: tenant, device: device)
      let version = try #require(priming.device).rowVersion
      let answered = try #require(Sample.priming.answered)
      #expect(
        try await isOvertaken { () async throws(StoreError) in
          _ = try await store.keepPrimingAnswer(
            answered, expected: version, tenant: tenant, device: device, keeping: used, now: Sample.start)
        })
      #expect(try await world.texts(rows) == before)
      #expect(try await world.count("SELECT count(*) FROM carillon.notifications") == 0)
      #expect(try await world.count("SELECT count(*) FROM carillon.policies") == 0)
      #expect(try await world.count("SELECT count(*) FROM carillon.priming_steps") == 0)
    }
  }

  /// What was answered for an empty queue must not be stored for another one.
  @Test func aChangeThatTurnsOutOtherwiseIsUndone() async throws {
    try await withDevice { world in
      let (store, tenant) = (world.store, world.tenant)
      _ = try await store.putNotifications(
        tenant: tenant, device: device, [Sample.item("a")], now: Sample.start)
      for (item, foreseen) in [
        (Sample.item("a"), QueueOutcome.inserted), (Sample.item("a"), .replaced),
        (Sample.item("a", hour: 9), .inserted), (Sample.item("a", hour: 9), .unchanged),
        (Sample.item("b"), .unchanged),
      ] {
        #expect(
          try await isOvertaken { () async throws(StoreError) in
            _ = try await store.changeQueue(
              tenant: tenant, device: device, operations: [.put(item)],
              keeping: QueueAnswerDraft(Sample.answer(), foreseen: foreseen), now: Sample.start)
          }, "\(item.head.id) \(foreseen)")
      }
      #expect(
        try await store.loadDevice(tenant: tenant, device: device).queue.map(\.head) == [Sample.head("a")])
      // What does nothing is answered, and not kept.
      let nothing = try await store.changeQueue(
        tenant: tenant, device: device, operations: [.cancel(Sample.id("b"))],
        keeping: QueueAnswerDraft(Sample.answer(), foreseen: .cancelled), now: Sample.start)
      #expect(nothing == [.absent])
      #expect(try await store.use(of: Sample.answer().key, tenant: tenant, now: Sample.start) == .unused)
    }
  }

  @Test func anAnswerTakesInWhatOnlyTheEffectKnows() async throws {
    try await withDevice { world in
      let (store, tenant) = (world.store, world.tenant)
      var part = Sample.answer("part", body: "head|")
      part.isPart = true
      _ = try await store.changeQueue(
        tenant: tenant, device: device,
        operations: [.cancel(Sample.id("x")), .put(Sample.item("a")), .put(Sample.item("b"))],
        keeping: QueueAnswerDraft(part, foreseen: nil), now: Sample.start)
      let kept = try await store.keptPart(of: part.key, tenant: tenant, device: device, now: Sample.start)
      #expect(kept.map { String(decoding: $0, as: UTF8.self) } == "head|inserted,inserted,absent")

      var marks = Sample.answer("marks", body: "{\"unread\":")
      marks.tail = Sample.bytes("}")
      _ = try await store.markInbox(
        tenant: tenant, device: device, .read, .before(Sample.start), keeping: marks, now: Sample.start)
      #expect(
        try await store.use(of: marks.key, tenant: tenant, now: Sample.start)
          == .answered(KeptAnswer(status: 200, entityTag: "\"1\"", body: Sample.bytes("{\"unread\":0}"))))
      // Of a device that is not there nothing is kept, and nothing fails.
      let absent = try await store.markInbox(
        tenant: tenant, device: Sample.device(9), .read, .before(Sample.start),
        keeping: Sample.answer("none"),
        now: Sample.start)
      #expect(absent == nil)
      try await store.keep(Sample.answer("none"), tenant: tenant, device: Sample.device(9))
      #expect(
        try await store.use(of: Sample.answer("none").key, tenant: tenant, now: Sample.start) == .unused)
    }
  }

  @Test func theOldestKeysGo() async throws {
    try await withDevice { world in
      let (store, tenant) = (world.store, world.tenant)
      let values =
        "'key:k', 'k.' || i, sha256('r'), 200, NULL, '', '2026-11-01'::timestamptz + i * interval '1 ms'"
      for sql in [
        "INSERT INTO carillon.device_idempotency_keys SELECT '\(tenant.uuid)', '\(device.uuid)', \(values) FROM generate_series(1, \(IdempotencyLimits.keysPerDevice)) AS i",
        "INSERT INTO carillon.tenant_idempotency_keys SELECT '\(tenant.uuid)', \(values) FROM generate_series(1, \(IdempotencyLimits.keysPerTenant)) AS i",
      ] { _ = try await world.superuser.run(sql: sql) }
      try await store.keep(Sample.answer("new"), tenant: tenant, device: device)
      try await store.keep(Sample.answer("new"), tenant: tenant, device: nil)
      for table in ["device", "tenant"] {
        let found = try await world.texts(
          """
          SELECT count(*) || ' ' || bool_or(key = 'k.1') || ' ' || bool_or(key = 'k.2') || ' ' || bool_or(key = 'new')
          FROM carillon.\(table)_idempotency_keys
          """)
        #expect(found == ["1000 false true true"], "\(table)")
      }
    }
  }

  @Test func thePurgeTakesWhatIsADayOldInSteps() async throws {
    try await withDevice { world in
      let (store, tenant) = (world.store, world.tenant)
      for number in 0..<5 {
        let draft = Sample.answer("k\(number)", at: Int64(number))
        try await store.keep(draft, tenant: tenant, device: device)
        try await store.keep(draft, tenant: tenant, device: nil)
      }
      try await store.keep(Sample.answer("other"), tenant: world.otherTenant, device: nil)
      let now = Sample.later(86_400 + 3)
      for left in [3, 1, 0] {
        let gone = try await RetentionStore(store).purgeAnswers(tenant: tenant, limit: 3, now: now)
        #expect(gone == (left, left))
      }
      for table in ["device", "tenant"] {
        let sql = "SELECT key FROM carillon.\(table)_idempotency_keys WHERE tenant_id = '\(tenant.uuid)'"
        #expect(try await world.texts(sql) == ["k4"])
      }
      #expect(try await world.count("SELECT count(*) FROM carillon.tenant_idempotency_keys") == 2)
    }
  }

  /// Deleting twice is answered twice the same, though nothing is left of the device.
  @Test func theAnswerToAnEraseOutlivesTheDevice() async throws {
    try await withDevice { world in
      let (store, tenant) = (world.store, world.tenant)
      try await store.keep(Sample.answer("put"), tenant: tenant, device: device)
      let erase = AnswerDraft(
        key: Sample.answer("erase").key, answer: KeptAnswer(status: 204), now: Sample.start)
      #expect(try await store.eraseDevice(tenant: tenant, device: device, keeping: erase))
      #expect(
        try await store.use(of: erase.key, tenant: tenant, now: Sample.start) == .answered(erase.answer))
      #expect(try await store.use(of: Sample.answer("put").key, tenant: tenant, now: Sample.start) == .unused)
      #expect(
        try await store.eraseDevice(tenant: tenant, device: device, keeping: Sample.answer("b")) == false)
      #expect(try await store.use(of: Sample.answer("b").key, tenant: tenant, now: Sample.start) == .unused)
    }
  }
}
