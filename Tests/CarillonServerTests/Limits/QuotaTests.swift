import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

@testable import CarillonServer

/// How much a tenant may have.
@Suite struct QuotaTests {
  private func tenant(_ limits: [TenantLimit: Int], _ server: TestServer) async throws -> HTTPTestClient {
    let tenant = try await server.makeTenant()
    _ = try await withOperator(server.database.conninfo(.operator)) { store in
      try await store.setLimits(limits, tenant: tenant.id, at: server.clock.now)
    }
    return server.client(tenant)
  }

  @Test func aQueueHoldsWhatTheTenantMayHave() async throws {
    try await TestServer.with { server in
      let client = try await tenant([.notificationsPerDevice: 3], server)
      let device = Reports.newDevice()
      func put(_ id: String) async throws -> HTTPTestClient.Response {
        try await client.send(
          "PUT", Reports.path(device, "/notifications/\(id)"), body: Reports.notification(id, inHours: 1))
      }
      for id in ["a", "b"] { #expect(try await put(id).status == 201) }
      let extra = ["b", "c", "d"].map { Reports.notification($0, inHours: 2) }.joined(separator: ",")
      let sync = try await client.send(
        "POST", Reports.path(device), body: Reports.full(sequence: 1, extra: ",\"put\":[\(extra)]"))
      #expect(sync.status == 200, "\(sync)")
      #expect(sync.json["rejected"]?.array?.compactMap { $0["id"]?.string } == ["d"])
      #expect(sync.json["rejected"]?[0]?["detail"]?.string?.contains("3 notifications") == true)
      let full = try await put("e")
      #expect(full.status == 422 && full.json["code"]?.string == "queueFull", "\(full)")
      #expect(full.json["detail"]?.string?.contains("3 notifications") == true)
      #expect(try await put("a").status == 200)
      let batch = try await client.send(
        "POST", "/v1/notifications", body: Reports.batch(device, [Reports.notification("f", inHours: 1)]))
      #expect(batch.json["results"]?[0]?["problem"]?["code"]?.string == "queueFull", "\(batch)")
    }
  }

  /// What is there stays, and may be put anew; nothing is added.
  @Test func aLowerQuotaTakesNothingAway() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let client = server.client(tenant)
      let device = Reports.newDevice()
      _ = try await client.send(
        "POST", Reports.path(device), body: Reports.full(sequence: 1, extra: ",\"put\":[\(Reports.queue(5))]")
      )
      _ = try await withOperator(server.database.conninfo(.operator)) { store in
        try await store.setLimits([.notificationsPerDevice: 2], tenant: tenant.id, at: server.clock.now)
      }
      let changed = Reports.notification(Reports.name(1), inHours: 9)
      let new = Reports.notification("new", inHours: 9)
      var sequence = 1
      // The new limit is in force within a second.
      while true {
        sequence += 1
        let answer = try await client.send(
          "POST", Reports.path(device),
          body: Reports.full(
            sequence: sequence, extra: ",\"put\":[\(changed),\(new)],\"cancel\":[\"new\"]"))
        try #require(answer.status == 200, "\(answer)")
        if answer.json["rejected"]?.array?.compactMap({ $0["id"]?.string }) == ["new"] { break }
      }
      let queue = try await client.send("GET", Reports.path(device, "/notifications"))
      #expect(queue.json["items"]?.array?.count == 5)
    }
  }

  /// The quota holds to within what is made in the time of a count.
  @Test func newDevicesAreRefusedBeyondTheQuota() async throws {
    try await TestServer.with { server in
      let client = try await tenant([.devices: 4], server)
      let first = Reports.newDevice()
      func put(_ device: String) async throws -> HTTPTestClient.Response {
        try await client.send(
          "PUT", Reports.path(device, "/notifications/a"), body: Reports.notification("a", inHours: 1))
      }
      #expect(try await put(first).status == 201)
      var refused: HTTPTestClient.Response?
      var made = 1
      while refused == nil {
        let answer = try await put(Reports.newDevice())
        if answer.status == 201 { made += 1 } else { refused = answer }
        try #require(made < 100)
      }
      #expect(refused?.status == 422 && refused?.json["code"]?.string == "deviceLimitReached", "\(made)")
      let sync = try await client.send("POST", Reports.path(Reports.newDevice()), body: "{\"sequence\":1}")
      #expect(sync.json["code"]?.string == "deviceLimitReached", "\(sync)")
      let batch = try await client.send(
        "POST", "/v1/notifications",
        body: Reports.batch(Reports.newDevice(), [Reports.notification("f", inHours: 1)]))
      #expect(batch.json["results"]?[0]?["problem"]?["code"]?.string == "deviceLimitReached", "\(batch)")
      // Those that are there are served.
      #expect(try await put(first).status == 200)
      #expect(
        try await client.send("POST", Reports.path(first), body: Reports.full(sequence: 1)).status == 200)
      let there = try await server.database.column("SELECT count(*)::text FROM carillon.devices")
      #expect(there == ["\(made)"])
    }
  }

  private let tenantID = TenantID(UUID128(high: 1, low: 1))

  @Test func aCountIsAddedToWhileItRunsAndAfterwards() {
    let counts = DeviceCounts()
    let first = counts.admit(tenantID, most: 10, now: 0)
    #expect(first.isAdmitted && first.mustCount)
    // Nobody counts twice at once.
    let second = counts.admit(tenantID, most: 10, now: 0)
    #expect(second.isAdmitted && !second.mustCount)
    counts.note(7, of: tenantID, now: 1)
    // 7, and two that may not have been among them.
    #expect(counts.admit(tenantID, most: 10, now: 1) == (true, false))
    #expect(counts.admit(tenantID, most: 10, now: 1) == (false, false))
    // Near the quota it is counted again soon: some may have been erased.
    let rest = DeviceCounts.restNearBy
    #expect(counts.admit(tenantID, most: 10, now: 1 + rest) == (false, true))
    counts.note(nil, of: tenantID, now: 1 + rest)
    #expect(counts.admit(tenantID, most: 10, now: 1 + rest) == (false, true))
    counts.note(3, of: tenantID, now: 2 + rest)
    #expect(counts.admit(tenantID, most: 10, now: 2 + rest) == (true, false))
  }

  @Test func farFromTheQuotaCountsAreRare() {
    let counts = DeviceCounts()
    _ = counts.admit(tenantID, most: 1_000, now: 0)
    counts.note(5, of: tenantID, now: 0)
    #expect(counts.admit(tenantID, most: 1_000, now: DeviceCounts.restFarOff - 1) == (true, false))
    #expect(counts.admit(tenantID, most: 1_000, now: DeviceCounts.restFarOff) == (true, true))
    #expect(counts.admit(TenantID(UUID128(high: 2, low: 2)), most: 0, now: 0) == (false, true))
  }
}
