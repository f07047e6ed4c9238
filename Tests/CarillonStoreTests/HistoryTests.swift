import CarillonModel
import CarillonPostgres
import CarillonStore
import Testing

/// What a sync adds to a device's history, and what is kept of it.
@Suite struct HistoryTests {
  private static let device = Sample.device(1)

  /// Applies one change after another; the first makes the device.
  private func apply(
    _ histories: [DeviceHistory], _ world: StoreWorld, from sequence: Int64 = 1, now: Instant? = nil
  ) async throws {
    for (index, history) in histories.enumerated() {
      let number = sequence + Int64(index)
      var change = Sample.firstReport(sequence: number)
      if number > 1 { change.expectedRowVersion = number - 1 }
      change.now = now ?? Sample.later(number)
      change.history = history
      let outcome = try await world.store.apply(change, tenant: world.tenant, device: Self.device)
      #expect(outcome == .applied(contents: [:]))
    }
  }

  private func delivery(
    _ id: String, _ outcome: DeliveryOutcome, due: Int64 = 0, held: Bool = true
  ) -> StoredDelivery {
    StoredDelivery(
      notification: Sample.id(id), wishedAt: Sample.start, request: Sample.id(id), type: "habit",
      dueAt: Sample.later(due), outcome: outcome,
      held: held ? .init(revisionHash: 1, planVersion: 1, repeats: false) : nil)
  }

  @Test func whatIsStoredIsReadBack() async throws {
    try await withStore { world in
      let (store, tenant) = (world.store, world.tenant)
      let history = Sample.history(1)
      try await apply([history], world)
      #expect(try await store.truth(tenant: tenant, device: Self.device) == history.truth)
      var expected = history.deliveries[0]
      expected.notedAt = Sample.later(1)
      expected.settledAt = Sample.later(1)
      let read = try await store.deliveries(tenant: tenant, device: Self.device, before: nil, limit: 9)
      #expect(read == [expected])
      let changes = try await store.changes(tenant: tenant, device: Self.device, before: nil, limit: 9)
      let change = try #require(history.change)
      #expect(changes.count == 1 && changes[0].number == 1 && changes[0].at == Sample.later(1))
      #expect(changes[0].members == change.members && changes[0].fatigue == .degraded)
      #expect(changes[0].sequence == 1 && changes[0].sentAt == Sample.later(1))
      #expect(changes[0].authorizationStatus == .unknown("new") && changes[0].appVersion == "3.2.1")
      #expect(
        try await store.changes(tenant: world.otherTenant, device: Self.device, before: nil, limit: 9) == [])
      #expect(try await store.truth(tenant: world.otherTenant, device: Self.device) == nil)
    }
  }

  /// A change that is not applied adds nothing.
  @Test func aConflictLeavesNoTrace() async throws {
    try await withStore { world in
      try await apply([Sample.history(1)], world)
      var late = Sample.firstReport(sequence: 1)
      late.expectedRowVersion = 1
      late.history = Sample.history(2)
      #expect(try await world.store.apply(late, tenant: world.tenant, device: Self.device) == .conflict)
      #expect(try await world.count("SELECT count(*) FROM carillon.device_changes") == 1)
      #expect(try await world.count("SELECT count(*) FROM carillon.deliveries") == 1)
      #expect(try await world.count("SELECT drift_dropped FROM carillon.device_truths") == 1)
    }
  }

  struct Succession: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var first: (DeliveryOutcome, Int64, Bool)
    var second: (DeliveryOutcome, Int64, Bool)
    var stays: DeliveryOutcome
  }

  static let successions = [
    Succession(
      testDescription: "an open one is settled", first: (.open, 0, true), second: (.missed, 0, true),
      stays: .missed),
    Succession(
      testDescription: "what was never held says less than an open one", first: (.open, 0, true),
      second: (.expired, 0, false), stays: .open),
    Succession(
      testDescription: "a later try counts", first: (.suppressed, 0, false), second: (.open, 9, true),
      stays: .open),
    Succession(
      testDescription: "the same try again does not", first: (.missed, 0, true), second: (.open, 0, true),
      stays: .missed),
    Succession(
      testDescription: "a delivery is found out later", first: (.missed, 0, true),
      second: (.inferredDelivered, 0, true), stays: .inferredDelivered),
    Succession(
      testDescription: "an inferred one is told", first: (.inferredDelivered, 0, true),
      second: (.delivered, 0, true), stays: .delivered),
    Succession(
      testDescription: "a delivery stays one", first: (.inferredDelivered, 0, true),
      second: (.missed, 9, true),
      stays: .inferredDelivered),
    Succession(
      testDescription: "what was told stays told", first: (.delivered, 0, true),
      second: (.inferredDelivered, 9, true), stays: .delivered),
  ]

  @Test(arguments: successions) func ofTwoOutcomesTheBetterKnownStays(_ row: Succession) async throws {
    try await withStore { world in
      for (index, step) in [row.first, row.second].enumerated() {
        var history = DeviceHistory()
        history.deliveries = [delivery("a", step.0, due: step.1, held: step.2)]
        try await apply([history], world, from: Int64(index) + 1)
      }
      let read = try await world.store.deliveries(
        tenant: world.tenant, device: Self.device, before: nil, limit: 9)
      #expect(read.map(\.outcome) == [row.stays])
      #expect((read[0].settledAt == nil) == (row.stays == .open))
    }
  }

  @Test func historyIsKeptSoFarAndNoFurther() async throws {
    try await withStore { world in
      var many = DeviceHistory()
      many.deliveries = (0...DeviceHistory.mostDeliveries).map { delivery("n\($0)", .missed, due: Int64($0)) }
      var late = DeviceHistory()
      late.deliveries = [
        delivery("late", .missed, due: DeviceHistory.secondsDeliveriesAreKept + 500)
      ]
      try await apply([many], world)
      #expect(
        try await world.count("SELECT count(*) FROM carillon.deliveries") == DeviceHistory.mostDeliveries)
      #expect(
        try await world.count("SELECT count(*) FROM carillon.deliveries WHERE notification_id = 'n0'") == 0)
      try await apply(
        [late], world, from: 2, now: Sample.later(DeviceHistory.secondsDeliveriesAreKept + 600))
      let kept = try await world.store.deliveries(
        tenant: world.tenant, device: Self.device, before: nil, limit: 2_000)
      #expect(kept.allSatisfy { $0.dueAt >= Sample.later(500) } && kept.count == 502)

    }
  }

  /// Changes of the device, and edits of its queue alone: neither pushes out the other.
  @Test func ofChangesAndOfEditsTheNewestAreKept() async throws {
    try await withStore { world in
      var edits = Sample.history(1)
      edits.change?.members = []
      edits.change?.fatigue = nil
      edits.change?.edits = .init(puts: [Sample.id("a")], cancels: [], user: nil)
      try await apply([Sample.history(1), edits], world)
      // As if there had been so many more of both.
      for (number, count) in [(1, DeviceHistory.mostChanges), (2, DeviceHistory.mostEdits)] {
        _ = try await world.superuser.run(
          sql: """
            INSERT INTO carillon.device_changes
            SELECT tenant_id, device_id, \(number) * 1000 + i, changed_at, sequence, sent_at, app_version,
              authorization_status, fatigue, changes, puts, cancels, more_edits, user_id
            FROM carillon.device_changes, generate_series(1, \(count - 1)) AS i WHERE change_number = \(number)
            """)
      }
      func numbers(_ sql: String) async throws -> [Int] {
        let rows = "SELECT min(change_number), count(*) FROM carillon.device_changes WHERE "
        let found = try await world.superuser.run(sql: rows + sql)
        return [Int(found.int(0, 0)), Int(found.int(0, 1))]
      }
      try await apply([edits], world, from: 3)
      #expect(try await numbers("changes = '{}'") == [2_001, DeviceHistory.mostEdits])
      #expect(try await numbers("changes <> '{}'") == [1, DeviceHistory.mostChanges])
      try await apply([Sample.history(3)], world, from: 4)
      #expect(try await numbers("changes = '{}'") == [2_001, DeviceHistory.mostEdits])
      #expect(try await numbers("changes <> '{}'") == [1_001, DeviceHistory.mostChanges])
    }
  }

  @Test func pagesFollowEachOther() async throws {
    try await withStore { world in
      var history = DeviceHistory()
      // Some at the same moment.
      history.deliveries = (0..<9).map { delivery("n\($0)", .missed, due: Int64($0 / 3)) }
      try await apply([history], world)
      var ids: [String] = []
      var before: DeliveryKey?
      while true {
        let page = try await world.store.deliveries(
          tenant: world.tenant, device: Self.device, before: before, limit: 2)
        ids += page.map(\.notification.text)
        guard let last = page.last else { break }
        before = DeliveryKey(last)
      }
      #expect(ids == (0..<9).reversed().map { "n\($0)" })
    }
  }

  @Test func whatAReportSpeaksOfIsReadWithTheDevice() async throws {
    try await withStore { world in
      var history = DeviceHistory()
      var member = delivery("member", .missed)
      member.request = Sample.id("digest.g@1")
      history.deliveries = [
        delivery("open", .open), delivery("told", .missed), delivery("other", .missed), member,
      ]
      try await apply([history], world)
      _ = try await world.store.apply(
        {
          var change = DeviceChange(expectedRowVersion: 1, now: Sample.start)
          change.events = [DeviceEvent(id: "e1", kind: "tapped", at: Sample.start)]
          return change
        }(), tenant: world.tenant, device: Self.device)
      let mentions = ReportMentions(
        notifications: [Sample.id("told"), Sample.id("digest.g@1")], events: ["e1", "e2"])
      let snapshot = try await world.store.loadDevice(
        tenant: world.tenant, device: Self.device, mentions: mentions)
      #expect(Set(snapshot.deliveries.map(\.notification.text)) == ["open", "told", "member"])
      #expect(snapshot.knownEvents == ["e1"])
      let plain = try await world.store.loadDevice(tenant: world.tenant, device: Self.device)
      #expect(plain.deliveries.isEmpty && plain.knownEvents.isEmpty)
    }
  }
}
