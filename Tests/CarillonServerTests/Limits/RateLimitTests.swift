import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

/// What the server does with who asks for more than there is for him.
@Suite struct RateLimitTests {
  private func tenant(
    _ limits: [TenantLimit: Int], _ server: TestServer
  ) async throws -> (tenant: TestTenant, client: HTTPTestClient) {
    let tenant = try await server.makeTenant()
    try await set(limits, tenant, server)
    return (tenant, server.client(tenant))
  }

  private func set(_ limits: [TenantLimit: Int], _ tenant: TestTenant, _ server: TestServer) async throws {
    _ = try await withOperator(server.database.conninfo(.operator)) { store in
      try await store.setLimits(limits, tenant: tenant.id, at: server.clock.now)
    }
  }

  /// Sends until one is refused. How many were granted depends on how long it took, so the bounds do, too.
  private func exhaust(
    burst: Int, _ send: () async throws -> HTTPTestClient.Response
  ) async throws -> HTTPTestClient.Response {
    let clock = ContinuousClock()
    let begin = clock.now
    var granted = 0
    while true {
      let answer = try await send()
      if answer.status == 429 {
        let seconds = Int((clock.now - begin).components.seconds) + 1
        #expect((burst...(burst + seconds)).contains(granted), "\(granted) in \(seconds) s")
        return answer
      }
      try #require(answer.status < 300, "\(answer)")
      granted += 1
      try #require(granted < 10_000)
    }
  }

  @Test func aTenantHasItsBurstOnAllLoopsTogetherAndAnotherItsOwn() async throws {
    try await TestServer.with(loops: 4) { server in
      let (_, client) = try await tenant([.requestsPerSecond: 1, .requestBurst: 8], server)
      let other = server.client(try await server.makeTenant())
      let first = try await client.send("GET", "/v1/policy")
      #expect(first.header("RateLimit-Policy") == "\"tenant\";q=8;w=8")
      #expect(first.header("RateLimit")?.hasPrefix("\"tenant\";r=7;t=") == true, "\(first.headers)")
      let refused = try await exhaust(burst: 7) { try await client.send("GET", "/v1/policy") }
      #expect(refused.json["code"]?.string == "rateLimited")
      #expect(refused.json["retryable"]?.bool == true)
      #expect(refused.header("Retry-After") == "1")
      #expect(refused.header("RateLimit")?.hasPrefix("\"tenant\";r=0;t=") == true)
      #expect(try await other.send("GET", "/v1/policy").status == 200)
      let metrics = try await server.admin.send("GET", "/metrics")
      #expect(metrics.text.contains("carillon_rate_limited_total{bucket=\"tenant\"} 1\n"), "\(metrics)")
    }
  }

  @Test func aDeviceHasItsOwnBucket() async throws {
    try await TestServer.with { server in
      let (_, client) = try await tenant([.deviceRequestsPerSecond: 1, .deviceRequestBurst: 5], server)
      let device = Reports.newDevice()
      func put(_ device: String) async throws -> HTTPTestClient.Response {
        try await client.send(
          "PUT", Reports.path(device, "/notifications/a"), body: Reports.notification("a", inHours: 1))
      }
      let first = try await put(device)
      #expect(first.header("RateLimit-Policy") == "\"tenant\";q=20000;w=2, \"device\";q=5;w=5")
      let refused = try await exhaust(burst: 4) { try await put(device) }
      #expect(refused.json["code"]?.string == "rateLimited" && refused.header("Retry-After") == "1")
      #expect(refused.header("RateLimit")?.contains("\"device\";r=0;t=") == true)
      #expect(try await put(Reports.newDevice()).status == 201)
      #expect(try await client.send("GET", "/v1/policy").status == 200)
    }
  }

  /// What is refused for a device is no load on its tenant's share.
  @Test func aDeviceThatAsksTooMuchLeavesTheOthersTheirs() async throws {
    try await TestServer.with(loops: 1) { server in
      let (_, client) = try await tenant(
        [.requestsPerSecond: 1, .requestBurst: 20, .deviceRequestsPerSecond: 1, .deviceRequestBurst: 5],
        server)
      let path = Reports.path(Reports.newDevice(), "/notifications/a")
      var answers: [Int] = []
      for _ in 0..<30 { answers.append(try await client.send("GET", path).status) }
      #expect(answers.count { $0 == 429 } >= 20, "\(answers)")
      let other = try await client.send("GET", Reports.path(Reports.newDevice(), "/notifications/a"))
      #expect(other.status == 404, "\(other)")
    }
  }

  /// A refused request has changed nothing, and its idempotency key is as it was.
  @Test func whatIsRefusedChangesNothing() async throws {
    // On one loop: another one may know the old limits for a second longer.
    try await TestServer.with(loops: 1) { server in
      let (tenant, client) = try await tenant([.requestsPerSecond: 1, .requestBurst: 1], server)
      _ = try await exhaust(burst: 1) { try await client.send("GET", "/v1/policy") }
      let put = KeyedRequest(method: "PUT", path: "/v1/policy", body: "{\"slots\":7}")
      while case let refused = try await put.send("k", by: client), refused.status == 429 {
        // A slow machine may have let a permit come back: then it is done, and done once.
        #expect(refused.json["code"]?.string == "rateLimited")
        try await set([.requestsPerSecond: 1_000, .requestBurst: 1_000], tenant, server)
      }
      #expect(try await put.send("k", by: client).isReplay)
      let versions = try await server.database.column(
        "SELECT max(policy_version)::text FROM carillon.tenants")
      #expect(versions == ["1"])
    }
  }

  /// Credential and limits are remembered, so a flood of what is refused asks the database nothing, whatever its bodies
  /// hold: it is answered while the database answers nobody.
  @Test func aRefusalAsksNobody() async throws {
    try await TestServer.with(loops: 1, forgets: false) { server in
      let (tenant, client) = try await tenant([.requestsPerSecond: 1, .requestBurst: 3], server)
      let device = Reports.newDevice()
      let token = try await server.client(tenant, device: device)
      while try await client.send("GET", "/v1/policy").status != 429 {}
      #expect(try await token.send("GET", Reports.path(device, "/plan")).status == 429)
      let gate = LockGate()
      let database = server.database.superuserConninfo
      async let holding: Void = gate.hold(
        "LOCK TABLE carillon.api_keys, carillon.signing_keys, carillon.tenants, carillon.devices IN ACCESS EXCLUSIVE MODE",
        in: database)
      defer { gate.open() }
      await gate.held()
      let long = "{\"sequence\":1,\"x\":\"\(String(repeating: "x", count: 100_000))\"}"
      for caller in [client, token] {
        for body in ["{", "", Reports.full(sequence: 1), long] {
          let answer = try await caller.send("POST", Reports.path(device), body: body)
          #expect(answer.status == 429, "\(answer)")
        }
      }
      gate.open()
      try await holding
    }
  }

  @Test func batchesAreCountedByTheirOperations() async throws {
    try await TestServer.with { server in
      let (_, client) = try await tenant([.batchOperationsPerSecond: 1], server)
      let cancels = (0..<600).map {
        "{\"op\":\"cancel\",\"deviceId\":\"\(Reports.device(1))\",\"id\":\"n\($0)\"}"
      }
      let body = "{\"operations\":[\(cancels.joined(separator: ","))]}"
      #expect(try await client.send("POST", "/v1/notifications", body: body).status == 200)
      let refused = try await client.send("POST", "/v1/notifications", body: body)
      #expect(refused.status == 429, "\(refused)")
      let wait = refused.header("Retry-After").flatMap { Int($0) } ?? 0
      #expect((1...200).contains(wait), "200 operations at one a second: \(wait)")
      let small = "{\"operations\":[\(cancels[0])]}"
      #expect(try await client.send("POST", "/v1/notifications", body: small).status == 200)
    }
  }

  /// A limit that was raised is in force within a second.
  @Test func limitsAreReadAnew() async throws {
    try await TestServer.with(loops: 1) { server in
      let (tenant, client) = try await tenant([.requestsPerSecond: 1, .requestBurst: 1], server)
      _ = try await exhaust(burst: 1) { try await client.send("GET", "/v1/policy") }
      try await set([.requestsPerSecond: 1_000, .requestBurst: 1_000], tenant, server)
      while try await client.send("GET", "/v1/policy").header("RateLimit-Policy")
        != "\"tenant\";q=1000;w=1"
      {}
      for _ in 0..<20 { #expect(try await client.send("GET", "/v1/policy").status == 200) }
    }
  }

  @Test func aPolicyHasALength() async throws {
    try await TestServer.with { server in
      let (_, client) = try await tenant([.policyBytes: 12], server)
      let long = try await client.send("PUT", "/v1/policy", body: "{\"slots\": 11}")
      #expect(long.status == 413 && long.json["code"]?.string == "bodyTooLarge", "\(long)")
      #expect(long.json["detail"]?.string?.contains("12 bytes") == true)
      #expect(try await client.send("PUT", "/v1/policy", body: "{\"slots\":11}").status == 200)
    }
  }

  @Test(arguments: ["gzip", "br", "deflate, gzip", "GZIP"])
  func compressedBodiesAreNotRead(_ coding: String) async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let answer = try await client.send(
        "PUT", "/v1/policy", headers: [("Content-Encoding", coding)], body: "{}")
      #expect(answer.status == 415 && answer.json["code"]?.string == "unsupportedMediaType", "\(answer)")
      let plain = try await client.send(
        "PUT", "/v1/policy", headers: [("Content-Encoding", "identity")], body: "{}")
      #expect(plain.status == 200)
    }
  }
}
