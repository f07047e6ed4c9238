import CarillonModel
import CarillonPostgres
import CarillonStore
import Testing

/// How a day comes to be counted: by one at a time, whole or not at all.
@Suite struct ReportTests {
  private static let day = Sample.start.utcDay
  private static let first = UUID128(high: 1, low: 1)
  private static let second = UUID128(high: 2, low: 2)
  private static let zero = DeviceID(UUID128(high: 0, low: 0))

  private static func rows(_ count: Int) -> [ReportSubject: [ReportRow]] {
    [
      .notifications: [
        ReportRow(day: day, type: "habit", cohort: "", counts: ReportCounts([0, count, 0, 0])),
        ReportRow(day: day, type: "habit", cohort: "w1", counts: ReportCounts([count])),
      ]
    ]
  }

  private func read(_ store: ReportStore, _ world: StoreWorld, cohort: String? = nil) async throws
    -> [ReportRow]
  {
    try await store.rows(
      .notifications, tenant: world.tenant, period: Self.day...Self.day, type: nil, cohort: cohort, limit: 10)
  }

  /// Whoever counts may be killed at any moment: what they had not published is as if it had never been counted.
  @Test func aKilledCounterLeavesNothingBehind() async throws {
    try await withStore { world in
      let store = ReportStore(world.store)
      let tenant = world.tenant
      _ = try await world.store.apply(Sample.firstReport(), tenant: tenant, device: Sample.device(1))
      try await store.addDay(Self.day, tenant: tenant)
      let until = Sample.later(60)
      let hold = try #require(
        try await store.claimDay(
          Self.day, tenant: tenant, holder: Self.first, until: until, now: Sample.start))
      let part = try await store.part(hold, from: Self.zero, limit: 10, until: until)
      #expect(part?.next == nil && part?.counts.isEmpty == false)
      #expect(try await read(store, world) == [])
      #expect(try await store.newestDay(tenant: tenant, before: Self.day.adding(days: 1)) == nil)
      #expect(try await store.heldDays(tenant: tenant, now: Sample.later(59)) == 1)

      // As long as it may be alive nobody else gets the day.
      let early = try await store.claimDay(
        Self.day, tenant: tenant, holder: Self.second, until: Sample.later(100), now: Sample.later(59))
      #expect(early == nil)
      let taken = try #require(
        try await store.claimDay(
          Self.day, tenant: tenant, holder: Self.second, until: Sample.later(160), now: Sample.later(60)))
      #expect(try await store.publish(Self.rows(2), of: taken, now: Sample.later(86_400)))

      // If it was only slow, it comes too late.
      #expect(try await store.part(hold, from: Self.zero, limit: 10, until: Sample.later(500)) == nil)
      #expect(try await store.publish(Self.rows(9), of: hold, now: Sample.later(86_400)) == false)
      #expect(try await read(store, world).map(\.counts.values) == [[0, 2], [2]])
      #expect(try await store.newestDay(tenant: tenant, before: Self.day.adding(days: 1)) == Self.day)
      #expect(try await store.newestDay(tenant: tenant, before: Self.day) == nil)
    }
  }

  @Test func aNewCountTakesThePlaceOfTheOld() async throws {
    try await withStore { world in
      for store in [ReportStore(world.store), ReportStore(world.operators)] {
        for count in [3, 4] {
          try await store.addDay(Self.day, tenant: world.tenant)
          let hold = try #require(
            try await store.claimDay(
              Self.day, tenant: world.tenant, holder: Self.first, until: Sample.later(60), now: Sample.start))
          #expect(try await store.publish(Self.rows(count), of: hold, now: Sample.later(90_000)))
          #expect(try await read(store, world).map(\.counts.values) == [[0, count], [count]])
          #expect(try await read(store, world, cohort: "w1").map(\.counts.values) == [[count]])
          #expect(try await read(store, world, cohort: "").map(\.counts.values) == [[0, count]])
        }
        #expect(
          try await store.rows(
            .notifications, tenant: world.otherTenant, period: Self.day...Self.day, type: nil, cohort: nil,
            limit: 10) == [])
      }
    }
  }

  /// A day is counted when it is over, and again when it is 2, 4 and 8 days old.
  @Test func aDayIsCountedFourTimes() async throws {
    try await withStore { world in
      let store = ReportStore(world.store)
      try await store.addDay(Self.day, tenant: world.tenant)
      var counted: [Int] = []
      for age in 1...40 {
        let now = Self.day.adding(days: age).startInUTC
        let hold = try await store.claimDay(
          tenant: world.tenant, holder: Self.first, until: now.adding(seconds: 60), now: now)
        guard let hold else { continue }
        counted.append(age)
        #expect(try await store.publish([:], of: hold, now: now))
      }
      #expect(counted == [1, 2, 4, 8])
    }
  }

  @Test func twoAtOnceTakeDifferentDays() async throws {
    try await withStore { world in
      let store = ReportStore(world.store)
      for offset in 0..<6 { try await store.addDay(Self.day.adding(days: offset), tenant: world.tenant) }
      let now = Self.day.adding(days: 20).startInUTC
      let tenant = world.tenant
      var days: [CivilDate] = []
      for holder in [Self.first, Self.second, Self.first, Self.second] {
        let hold = try await store.claimDay(
          tenant: tenant, holder: holder, until: now.adding(seconds: 60), now: now)
        days.append(try #require(hold).day)
      }
      #expect(days == (0..<4).map { Self.day.adding(days: $0) })
    }
  }

  @Test func oldDaysAreForgotten() async throws {
    try await withStore { world in
      let store = ReportStore(world.store)
      try await store.addDay(Self.day, tenant: world.tenant)
      let hold = try #require(
        try await store.claimDay(
          Self.day, tenant: world.tenant, holder: Self.first, until: Sample.later(60), now: Sample.start))
      #expect(try await store.publish(Self.rows(1), of: hold, now: Sample.later(90_000)))
      try await store.forget(before: Self.day, tenant: world.tenant)
      #expect(try await read(store, world).count == 2)
      try await store.forget(before: Self.day.adding(days: 1), tenant: world.tenant)
      #expect(try await read(store, world) == [])
      #expect(try await store.newestDay(tenant: world.tenant, before: Self.day.adding(days: 1)) == nil)
    }
  }

  /// What is counted says nothing of who: no column holds an id of a device or a user, and erasing changes no count.
  @Test func erasingADeviceLeavesTheSums() async throws {
    try await withStore { world in
      let store = ReportStore(world.store)
      let columns = try await world.texts(
        """
        SELECT column_name || ' ' || data_type FROM information_schema.columns
        WHERE table_schema = 'carillon' AND table_name = 'report_counts' ORDER BY ordinal_position
        """)
      #expect(
        columns == ["tenant_id uuid", "counted text", "day date", "type text", "cohort text", "counts ARRAY"])
      _ = try await world.store.apply(Sample.firstReport(), tenant: world.tenant, device: Sample.device(1))
      try await store.addDay(Self.day, tenant: world.tenant)
      let hold = try #require(
        try await store.claimDay(
          Self.day, tenant: world.tenant, holder: Self.first, until: Sample.later(60), now: Sample.start))
      #expect(try await store.publish(Self.rows(1), of: hold, now: Sample.later(90_000)))
      _ = try await world.store.eraseDevice(tenant: world.tenant, device: Sample.device(1))
      #expect(try await read(store, world).count == 2)
    }
  }

  /// A plan's evictions are kept by day and type, the most of the day's plans.
  @Test func evictionsAreKeptWithThePlan() async throws {
    try await withStore { world in
      _ = try await world.store.apply(Sample.firstReport(), tenant: world.tenant, device: Sample.device(1))
      var row: Int64 = 1
      for (count, day) in [(7, 0), (3, 0), (2, 1)] as [(Int, Int64)] {
        var change = DeviceChange(expectedRowVersion: row, now: Sample.later(day * 86_400))
        change.plan = Sample.plan(version: Int(row) + 1)
        change.plan?.evictions = ["habit": count, "entry": 0]
        let outcome = try await world.store.apply(change, tenant: world.tenant, device: Sample.device(1))
        #expect(outcome == .applied(contents: [:]))
        row += 1
      }
      let kept = try await world.texts(
        "SELECT type || ' ' || evicted FROM carillon.device_evictions ORDER BY day, type")
      #expect(kept == ["habit 7", "habit 2"])
    }
  }
}
