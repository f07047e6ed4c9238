import CarillonAPI
import CarillonJSON
import CarillonStore
import IntegrationSupport
import Testing

/// What answers tell of the rate, held against the served document both ways.
@Suite struct RateHeaderTests {
  private static let names = ["RateLimit", "RateLimit-Policy"]

  private struct Attempt {
    var operation: Endpoint
    var path: String
    var body: String?
    var headers: [(String, String)] = []
  }

  /// Of each operation one that is done and one that is refused by a rule.
  private func attempts(_ device: String) -> [Attempt] {
    let other = Reports.newDevice()
    let put = Reports.notification("a", inHours: 1)
    func on(_ device: String, _ rest: String) -> String { Reports.path(device, rest) }
    return [
      Attempt(operation: .syncDevice, path: on(device, "/sync"), body: Reports.full(sequence: 2)),
      Attempt(operation: .syncDevice, path: on(device, "/sync"), body: "{"),
      Attempt(operation: .getPlan, path: on(device, "/plan")),
      Attempt(operation: .getPlan, path: on(other, "/plan")),
      Attempt(operation: .explainPlan, path: on(device, "/plan/explain?notification=a")),
      Attempt(operation: .decidePriming, path: on(device, "/priming"), body: "{}"),
      Attempt(operation: .decidePriming, path: on(other, "/priming"), body: "{}"),
      Attempt(operation: .getInbox, path: on(device, "/inbox")),
      Attempt(operation: .markInbox, path: on(device, "/inbox/read"), body: "{\"ids\":[]}"),
      Attempt(operation: .markInbox, path: on(device, "/inbox/read"), body: "{\"ids\":7}"),
      Attempt(operation: .mintDeviceToken, path: on(device, "/token"), body: "{}"),
      Attempt(operation: .mintDeviceToken, path: on(device, "/token"), body: "{\"ttl\":1}"),
      Attempt(operation: .listDevices, path: "/v1/devices"),
      Attempt(operation: .getDevice, path: on(device, "")),
      Attempt(operation: .getDevice, path: on(other, "")),
      Attempt(operation: .listDeviceChanges, path: on(device, "/history")),
      Attempt(operation: .listDeliveries, path: on(device, "/deliveries")),
      Attempt(operation: .listNotifications, path: on(device, "/notifications")),
      Attempt(operation: .putNotification, path: on(device, "/notifications/a"), body: put),
      Attempt(operation: .putNotification, path: on(device, "/notifications/a"), body: put),
      Attempt(
        operation: .putNotification, path: on(device, "/notifications/a"), body: put,
        headers: [("Content-Type", "text/plain")]),
      Attempt(operation: .getNotification, path: on(device, "/notifications/a")),
      Attempt(operation: .deleteNotification, path: on(device, "/notifications/a")),
      Attempt(operation: .deleteNotification, path: on(device, "/notifications/a")),
      Attempt(operation: .batchNotifications, path: "/v1/notifications", body: Reports.batch(device, [put])),
      Attempt(operation: .putPolicy, path: "/v1/policy", body: "{\"slots\":7}"),
      Attempt(operation: .putPolicy, path: "/v1/policy", body: "{\"slots\":8}"),
      Attempt(
        operation: .putPolicy, path: "/v1/policy", body: "{\"slots\":8}", headers: [("If-Match", "\"9\"")]),
      Attempt(operation: .getPolicy, path: "/v1/policy"),
      Attempt(operation: .getPolicy, path: "/v1/policy", headers: [("If-None-Match", "\"1\"")]),
      Attempt(operation: .listPolicyVersions, path: "/v1/policy/versions"),
      Attempt(operation: .previewPolicy, path: "/v1/policy/preview", body: "{\"policy\":{\"slots\":7}}"),
      Attempt(operation: .getReport, path: "/v1/reports/delivery"),
      Attempt(operation: .eraseDevice, path: on(device, "")),
      Attempt(operation: .eraseDevice, path: on(device, "")),
    ]
  }

  @Test func everyAnswerOfEveryOperationTellsWhatTheDocumentSays() async throws {
    try await TestServer.withTenant { server, tenant in
      let document = try await server.client.send("GET", "/openapi.json").json
      let device = Reports.newDevice()
      let client = server.client(tenant)
      _ = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 1))
      var met: [Endpoint: Set<Int>] = [:]
      for attempt in attempts(device) {
        let answer = try await client.send(
          attempt.operation.method.rawValue, attempt.path, headers: attempt.headers, body: attempt.body)
        check(answer, attempt.operation, in: document)
        for name in Self.names { #expect(answer.header(name) != nil, "\(attempt.path): \(answer)") }
        met[attempt.operation, default: []].insert(answer.status)
        // Nobody is known, so nobody's rate.
        let nobody = try await server.client.send(
          attempt.operation.method.rawValue, attempt.path, body: attempt.body)
        #expect(nobody.status == 401)
        check(nobody, attempt.operation, in: document)
      }
      for endpoint in Endpoint.allCases where endpoint.template.hasPrefix("/v1") {
        #expect(
          met[endpoint]?.contains { $0 < 300 } == true, "\(endpoint) was not done: \(met[endpoint] ?? [])")
      }
      #expect(met.values.reduce(into: Set<Int>()) { $0.formUnion($1) }.count >= 10)
    }
  }

  /// With a body that is read and with one that is not waited for.
  @Test(arguments: [10, 100_000]) func aRefusalTellsIt(_ padding: Int) async throws {
    try await TestServer.withTenant { server, tenant in
      let document = try await server.client.send("GET", "/openapi.json").json
      _ = try await withOperator(server.database.conninfo(.operator)) { store in
        try await store.setLimits(
          [.requestsPerSecond: 1, .requestBurst: 1], tenant: tenant.id, at: server.clock.now)
      }
      let body = "{\"sequence\":1,\"x\":\"\(String(repeating: "x", count: padding))\"}"
      let client = server.client(tenant)
      var answer = try await client.send("POST", Reports.path(Reports.newDevice()), body: body)
      while answer.status != 429 {
        answer = try await client.send("POST", Reports.path(Reports.newDevice()), body: body)
      }
      for name in Self.names + ["Retry-After"] { #expect(answer.header(name) != nil, "\(answer.headers)") }
      check(answer, .syncDevice, in: document)
    }
  }

  @Test func aBatchTellsOfTheBucketOfItsOperations() async throws {
    try await TestServer.withTenant { server, tenant in
      _ = try await withOperator(server.database.conninfo(.operator)) { store in
        try await store.setLimits([.batchOperationsPerSecond: 1], tenant: tenant.id, at: server.clock.now)
      }
      let client = server.client(tenant)
      let body = Reports.batch(Reports.newDevice(), [Reports.notification("a", inHours: 1)])
      let first = try await client.send("POST", "/v1/notifications", body: body)
      #expect(first.status == 200)
      // At least a whole batch of the greatest size fits in.
      #expect(
        first.header("RateLimit-Policy")?.hasSuffix(", \"batch\";q=1000;w=1000") == true, "\(first.headers)")
      #expect(first.header("RateLimit")?.hasSuffix(", \"batch\";r=999;t=1") == true, "\(first.headers)")
      #expect(first.headers.filter { $0.name.lowercased() == "ratelimit" }.count == 1)
      let whole = Reports.batch(
        Reports.newDevice(), (0..<1_000).map { Reports.notification("n\($0)", inHours: 1) })
      let refused = try await client.send("POST", "/v1/notifications", body: whole)
      #expect(refused.status == 429 && refused.header("Retry-After") != nil, "\(refused)")
      #expect(refused.header("RateLimit")?.contains("\"batch\";r=999;t=1") == true, "\(refused.headers)")
      #expect(refused.header("RateLimit")?.hasPrefix("\"tenant\";r=") == true, "\(refused.headers)")
      // What is no batch tells nothing of it.
      let other = try await client.send("GET", "/v1/policy")
      #expect(other.header("RateLimit")?.contains("batch") == false)
    }
  }

  /// What an answer tells is declared, and what is declared may be told.
  private func check(_ answer: HTTPTestClient.Response, _ endpoint: Endpoint, in document: JSONValue) {
    let operation = document["paths"]?[endpoint.template]?[endpoint.method.rawValue.lowercased()]
    var response = operation?["responses"]?["\(answer.status)"]
    if let target = response?["$ref"]?.string {
      response = document
      for part in target.dropFirst(2).split(separator: "/") { response = response?[String(part)] }
    }
    #expect(response != nil, "\(endpoint) does not tell of \(answer.status)")
    for name in Self.names {
      #expect(
        (answer.header(name) != nil) == (response?["headers"]?[name] != nil),
        "\(endpoint) \(answer.status): \(name)")
    }
  }
}
