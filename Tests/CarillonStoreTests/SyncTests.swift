import CarillonModel
import CarillonStore
import TestSupport
import Testing

@Suite struct SyncTests {
  @Test func whatIsAppliedIsLoaded() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      let nothing = try await store.loadDevice(tenant: tenant, device: device)
      #expect(nothing.device == nil)
      #expect(nothing.queue.isEmpty)
      #expect(nothing.plan == nil)

      var change = Sample.firstReport(sequence: 42)
      change.puts = [Sample.item("b"), Sample.item("a")]
      change.wantedContents = [Sample.id("a"), Sample.id("gone")]
      let outcome = try await store.apply(change, tenant: tenant, device: device)
      #expect(outcome == .applied(contents: [Sample.id("a"): Sample.bytes(#"{"title":"a"}"#)]))

      let snapshot = try await store.loadDevice(tenant: tenant, device: device)
      let stored = try #require(snapshot.device)
      #expect(stored.id == device)
      #expect(stored.state == Sample.state)
      #expect(stored.sequence == 42)
      #expect(stored.seenAt == Sample.start)
      #expect(stored.rowVersion == 1)
      #expect(stored.planVersion == 1)
      #expect(
        snapshot.queue == [
          StoredEntry(head: Sample.head("a"), acceptedAt: Sample.start, putVersion: 1, user: "u1"),
          StoredEntry(head: Sample.head("b"), acceptedAt: Sample.start, putVersion: 1, user: "u1"),
        ])
      #expect(
        snapshot.plan
          == PlanSummary(
            version: 1, policyVersion: 0, zoneData: "2025b", digest: UInt64.max - 1,
            computedAt: Sample.start, sent: [Sample.id("a"), Sample.id("b")], validUntil: Sample.later(3_600),
            deliveries: Sample.bytes("made"), nextFireAt: Sample.later(60),
            document: Sample.bytes(#"{"version":1}"#)))
      let plan = try #require(try await store.plan(tenant: tenant, device: device))
      #expect(plan.document == Sample.bytes(#"{"version":1}"#))
      #expect(plan.computedAt == Sample.start)
    }
  }

  @Test func whatAChangeLeavesOutStays() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      var first = Sample.firstReport(sequence: 1)
      first.puts = ["a", "b", "c", "d"].map { Sample.item($0) }
      _ = try await store.apply(first, tenant: tenant, device: device)

      var second = DeviceChange(expectedRowVersion: 1, now: Sample.later(10))
      second.cancels = [Sample.id("a"), Sample.id("never")]
      second.prunes = [Sample.id("b")]
      second.puts = [Sample.item("c"), Sample.item("d", hour: 12), Sample.item("e")]
      let outcome = try await store.apply(second, tenant: tenant, device: device)
      #expect(outcome == .applied(contents: [:]))

      let snapshot = try await store.loadDevice(tenant: tenant, device: device)
      #expect(snapshot.device?.state == Sample.state)
      #expect(snapshot.device?.updatedAt == Sample.start)
      #expect(snapshot.device?.sequence == 1)
      #expect(snapshot.device?.seenAt == Sample.start)
      #expect(snapshot.device?.rowVersion == 2)
      #expect(snapshot.plan?.version == 1)
      #expect(snapshot.queue.map(\.head.id.text) == ["c", "d", "e"])
      #expect(snapshot.queue.map(\.acceptedAt) == [Sample.start, Sample.later(10), Sample.later(10)])
    }
  }

  @Test func ofTwoChangesFromOneVersionOneWins() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(), tenant: tenant, device: device)
      let outcomes = try await concurrently(2, on: world.loop) { index in
        var change = DeviceChange(expectedRowVersion: 1, now: Sample.later(Int64(index)))
        change.sequence = Int64(10 + index)
        change.puts = [Sample.item("from.\(index)")]
        change.plan = Sample.plan(version: 2 + index)
        change.events = [DeviceEvent(id: "e\(index)", kind: "tapped", at: Sample.start)]
        return try await store.apply(change, tenant: tenant, device: device)
      }
      #expect(outcomes.filter { $0 == .conflict }.count == 1)
      let winner = try #require(outcomes.firstIndex(of: .applied(contents: [:])))
      let snapshot = try await store.loadDevice(tenant: tenant, device: device)
      #expect(snapshot.device?.rowVersion == 2)
      #expect(snapshot.device?.sequence == Int64(10 + winner))
      #expect(snapshot.queue.map(\.head.id.text) == ["from.\(winner)"])
      #expect(snapshot.plan?.version == 2 + winner)
      #expect(try await world.texts("SELECT event_id FROM carillon.device_events") == ["e\(winner)"])
    }
  }

  /// Field case 20: 42 arrives before 41.
  @Test func anOlderReportChangesNothing() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(sequence: 42), tenant: tenant, device: device)
      for sequence in [41, 42] as [Int64] {
        var late = DeviceChange(expectedRowVersion: 1, now: Sample.later(1))
        late.sequence = sequence
        late.state = DeviceState()
        late.puts = [Sample.item("a")]
        #expect(try await store.apply(late, tenant: tenant, device: device) == .conflict)
        #expect(
          try await store.confirmUnchanged(
            tenant: tenant, device: device, sequence: sequence, digest: 7, now: Sample.later(1)) == nil)
      }
      let snapshot = try await store.loadDevice(tenant: tenant, device: device)
      #expect(snapshot.device?.state == Sample.state)
      #expect(snapshot.device?.sequence == 42)
      #expect(snapshot.device?.rowVersion == 1)
      #expect(snapshot.queue.isEmpty)
    }
  }

  /// A newer report that was confirmed in between leaves the row version, but its sequence stands.
  @Test func aConfirmedReportIsNotOverwrittenByAnOlderOne() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(sequence: 1), tenant: tenant, device: device)
      _ = try await store.confirmUnchanged(
        tenant: tenant, device: device, sequence: 9, digest: 7, now: Sample.later(1))
      var older = DeviceChange(expectedRowVersion: 1, now: Sample.later(2))
      older.sequence = 8
      #expect(try await store.apply(older, tenant: tenant, device: device) == .conflict)
      #expect(try await store.device(tenant: tenant, device: device)?.sequence == 9)
    }
  }

  @Test func manyFirstReportsMakeOneDevice() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      let outcomes = try await concurrently(20, on: world.loop) { index in
        var change = Sample.firstReport(sequence: Int64(index + 1))
        change.puts = [Sample.item("from.\(index)")]
        return try await store.apply(change, tenant: tenant, device: device)
      }
      #expect(outcomes.filter { $0 == .conflict }.count == 19)
      let winner = try #require(outcomes.firstIndex(of: .applied(contents: [:])))
      #expect(try await world.count("SELECT count(*) FROM carillon.devices") == 1)
      let snapshot = try await store.loadDevice(tenant: tenant, device: device)
      #expect(snapshot.device?.sequence == Int64(winner + 1))
      #expect(snapshot.queue.map(\.head.id.text) == ["from.\(winner)"])
    }
  }

  @Test func aFirstReportMeetsAShell() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.putNotifications(
        tenant: tenant, device: device, [Sample.item("a")], now: Sample.start)
      #expect(try await store.apply(Sample.firstReport(), tenant: tenant, device: device) == .conflict)
      var report = Sample.firstReport(sequence: 0)
      report.expectedRowVersion = 1
      #expect(
        try await store.apply(report, tenant: tenant, device: device) == .applied(contents: [:]))
      let snapshot = try await store.loadDevice(tenant: tenant, device: device)
      #expect(snapshot.device?.sequence == 0)
      #expect(snapshot.queue.count == 1)
    }
  }

  @Test func anEventIsKeptOnce() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      func send(_ events: [DeviceEvent], row: Int64?, forget: Instant? = nil) async throws {
        var change = DeviceChange(expectedRowVersion: row, now: Sample.later(row ?? 0))
        change.events = events
        change.forgetEventsBefore = forget
        #expect(try await store.apply(change, tenant: tenant, device: device) == .applied(contents: [:]))
      }
      let tap = DeviceEvent(id: "e1", kind: "tapped", notification: Sample.id("a"), at: Sample.later(-5))
      let value = DeviceEvent(id: "e2", kind: "valueAction", name: "saved", at: Sample.start)
      try await send([tap, tap], row: nil)
      try await send([tap, value], row: 1)
      let rows = """
        SELECT concat_ws(' ', event_id, kind, notification_id, name, extract(epoch FROM occurred_at)::bigint)
        FROM carillon.device_events ORDER BY event_id
        """
      #expect(
        try await world.texts(rows) == [
          "e1 tapped a \(Sample.later(-5).seconds)", "e2 valueAction saved \(Sample.start.seconds)",
        ])
      try await send([], row: 2, forget: Sample.later(1))
      #expect(try await world.texts("SELECT event_id FROM carillon.device_events") == ["e2"])
    }
  }
}
