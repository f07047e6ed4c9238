import CarillonModel
import CarillonPostgres
import CarillonStore
import IntegrationSupport
import TestSupport
import Testing

@Suite struct DeviceTests {
  @Test func statesAreKeptAsReported() async throws {
    try await withStore { world in
      let (store, tenant) = (world.store, world.tenant)
      let statuses: [AuthorizationStatus] = [
        .notDetermined, .denied, .authorized, .provisional, .ephemeral, .unknown("later"),
      ]
      for (index, status) in statuses.enumerated() {
        var change = Sample.firstReport()
        change.state = DeviceState(authorizationStatus: status)
        _ = try await store.apply(change, tenant: tenant, device: Sample.device(UInt64(index)))
      }
      let stored = try await store.devices(tenant: tenant, after: nil, limit: 10)
      #expect(stored.map(\.state.authorizationStatus) == statuses)
      #expect(stored.allSatisfy { $0.state.info == DeviceInfo() })
      #expect(stored.allSatisfy { $0.state.settings == NotificationSettings() })
    }
  }

  @Test func aNewStateReplacesTheOldWhole() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(), tenant: tenant, device: device)
      var change = DeviceChange(expectedRowVersion: 1, now: Sample.later(5))
      change.state = DeviceState(authorizationStatus: .denied)
      _ = try await store.apply(change, tenant: tenant, device: device)
      let stored = try #require(try await store.device(tenant: tenant, device: device))
      #expect(stored.state == DeviceState(authorizationStatus: .denied))
      #expect(stored.createdAt == Sample.start)
      #expect(stored.updatedAt == Sample.later(5))
    }
  }

  @Test func pagesFollowTheIds() async throws {
    try await withStore { world in
      let (store, tenant) = (world.store, world.tenant)
      let ends = [
        DeviceID(UUID128(high: 0, low: 0)), DeviceID(UUID128(high: 0, low: .max)),
        DeviceID(UUID128(high: 1, low: 0)), DeviceID(UUID128(high: .max, low: .max)),
      ]
      for device in ends.reversed() {
        _ = try await store.apply(Sample.firstReport(), tenant: tenant, device: device)
      }
      _ = try await store.apply(Sample.firstReport(), tenant: world.otherTenant, device: Sample.device(1))

      #expect(try await store.devices(tenant: tenant, after: nil, limit: 2).map(\.id) == Array(ends[..<2]))
      #expect(
        try await store.devices(tenant: tenant, after: ends[1], limit: 9).map(\.id) == Array(ends[2...]))
      #expect(try await store.devices(tenant: tenant, after: ends[3], limit: 9).isEmpty)
      #expect(
        try await world.operators.devices(tenant: tenant, after: ends[0], limit: 1).map(\.id) == [ends[1]])
      #expect(try await world.operators.device(tenant: tenant, device: ends[0])?.state == Sample.state)
    }
  }

  @Test func aUsersDevicesAreFound() async throws {
    try await withStore { world in
      let (store, tenant) = (world.store, world.tenant)
      for (number, user) in [(3, "u1"), (1, "u1"), (2, "u2"), (4, nil)] as [(UInt64, String?)] {
        var change = Sample.firstReport()
        change.state?.info.userId = user
        _ = try await store.apply(change, tenant: tenant, device: Sample.device(number))
      }
      _ = try await store.apply(Sample.firstReport(), tenant: world.otherTenant, device: Sample.device(9))
      let found = try await store.devicesOfUser(tenant: tenant, userId: "u1", limit: 10)
      #expect(found == [Sample.device(1), Sample.device(3)])
      #expect(try await store.devicesOfUser(tenant: tenant, userId: "u1", limit: 1) == [Sample.device(1)])
      #expect(try await store.devicesOfUser(tenant: tenant, userId: "u3", limit: 1).isEmpty)
    }
  }

  @Test func erasingLeavesNothing() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      for number in [1, 2] as [UInt64] {
        var change = Sample.firstReport()
        change.puts = [Sample.item("a")]
        change.events = [DeviceEvent(id: "e", kind: "tapped", at: Sample.start)]
        change.priming = Sample.priming
        change.history = Sample.history(1)
        change.identity = IdentityChange()
        // A copy of either device is another one, which is known by the id of the first.
        change.identity?.claimed = [
          .deviceKey("k\(number)", bundleId: nil), .fork(of: Sample.device(3 - number), deviceKey: "copy"),
        ]
        _ = try await store.apply(change, tenant: tenant, device: Sample.device(number))
        try await store.keep(Sample.answer(), tenant: tenant, device: Sample.device(number))
      }
      #expect(try await world.count("SELECT count(*) FROM carillon.identity_claims") == 4)
      #expect(try await store.eraseDevice(tenant: world.otherTenant, device: device) == false)
      #expect(try await store.eraseDevice(tenant: tenant, device: device))
      #expect(try await store.eraseDevice(tenant: tenant, device: device) == false)
      #expect(try await world.texts("SELECT claim FROM carillon.identity_claims") == ["key\n\nk2"])
      let deviceTables = try await world.texts(
        """
        SELECT table_name::text FROM information_schema.columns
        WHERE table_schema = 'carillon' AND column_name = 'device_id'
        """)
      #expect(deviceTables.count >= 5)
      for table in deviceTables {
        let left = try await world.count("SELECT count(*) FROM carillon.\(table)")
        #expect(left == 1, "\(table) keeps the other device's row and no other")
      }
    }
  }

  /// A writer holds its device's narrow row and then needs the wide one: who erases must wait for the first and
  /// not sit on the second, or the two would deadlock.
  @Test func erasingWaitsWithoutStandingInTheWay() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(), tenant: tenant, device: device)
      let writer = try await PostgresConnection.connect(world.database.superuserConninfo, on: world.loop)
      defer { writer.close() }
      _ = try await writer.run(sql: "BEGIN")
      _ = try await writer.run(sql: "SELECT FROM carillon.device_syncs FOR UPDATE")

      _ = try await concurrently(2, on: world.loop) { index in
        guard index == 1 else {
          #expect(try await store.eraseDevice(tenant: tenant, device: device))
          return
        }
        let waiting = """
          SELECT count(*) FROM pg_stat_activity
          WHERE datname = current_database() AND usename = 'carillon_app' AND wait_event_type = 'Lock'
          """
        while try await world.count(waiting) == 0 {}
        _ = try await writer.run(sql: "SELECT FROM carillon.devices FOR KEY SHARE NOWAIT")
        _ = try await writer.run(sql: "COMMIT")
      }
      #expect(try await world.count("SELECT count(*) FROM carillon.devices") == 0)
    }
  }
}
