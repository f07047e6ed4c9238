import CarillonCrypto
import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

/// Device tokens: what they reach, and when they end.
@Suite struct DeviceTokenTests {
  @Test func aTokenServesADeviceForAnHourUnlessItIsToldOtherwise() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let device = Reports.newDevice()
      let answer = try await server.client(tenant).send(
        "POST", "/v1/devices/\(device)/token", body: "{}")
      #expect(answer.status == 200 && answer.header("Cache-Control") == "no-store", "\(answer.status)")
      #expect(answer.json["expiresAt"]?.string == Reports.time(3_600))
      let client = HTTPTestClient(port: server.port, key: try #require(answer.json["token"]?.string))
      let long = try await server.client(tenant, device: device, ttl: 7_200)

      #expect(
        try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 1)).status == 200)
      #expect(
        try await client.send(
          "PUT", Reports.path(device, "/notifications/a"), body: Reports.notification("a", inHours: 9)
        ).status == 201)
      for (method, rest, body, status) in [
        ("GET", "/plan", nil, 200), ("GET", "/plan/explain?notification=a", nil, 200),
        ("POST", "/priming", "{\"action\":\"x\"}", 200), ("GET", "/inbox", nil, 200),
        ("POST", "/inbox/seen", "{\"ids\":[]}", 200), ("GET", "/notifications", nil, 200),
        ("GET", "/notifications/a", nil, 200), ("DELETE", "/notifications/a", nil, 204),
      ] as [(String, String, String?, Int)] {
        let answer = try await client.send(method, Reports.path(device, rest), body: body)
        #expect(answer.status == status, "\(method) \(rest): \(answer)")
      }

      server.clock.advance(seconds: 3_599)
      #expect(try await client.send("GET", Reports.path(device, "/plan")).status == 200)
      server.clock.advance(seconds: 1)
      let late = try await client.send("GET", Reports.path(device, "/plan"))
      #expect(late.status == 401 && late.json["code"]?.string == "expiredCredential", "\(late)")
      #expect(late.header("WWW-Authenticate") == "Bearer error=\"invalid_token\"")
      #expect(try await long.send("GET", Reports.path(device, "/plan")).status == 200)
    }
  }

  @Test(arguments: [
    ("{\"ttl\":60}", 200), ("{\"ttl\":86400}", 200), ("{\"ttl\":null}", 200), ("{\"ttl\":59}", 422),
    ("{\"ttl\":86401}", 422), ("{\"ttl\":\"60\"}", 400), ("{\"tll\":60}", 422), ("", 400), ("[]", 400),
  ])
  func theLifeOfATokenIsChecked(_ body: String, _ status: Int) async throws {
    try await TestServer.with { server in
      let answer = try await server.client(try await server.makeTenant()).send(
        "POST", "/v1/devices/\(Reports.newDevice())/token", body: body)
      #expect(answer.status == status, "\(answer.status) \(answer.json["detail"]?.string ?? "")")
    }
  }

  @Test func mintingTakesAKeyWithTheScopeOfDevices() async throws {
    try await TestServer.with { server in
      let device = Reports.newDevice()
      let path = "/v1/devices/\(device)/token"
      let reader = try await server.makeTenant(scopes: [.policy, .notifications, .reports])
      #expect(try await server.client(reader).send("POST", path, body: "{}").status == 403)
      let tenant = try await server.makeTenant(scopes: [.devices])
      let client = try await server.client(tenant, device: device)
      let again = try await client.send("POST", path, body: "{}")
      #expect(again.status == 403 && again.json["code"]?.string == "insufficientScope", "\(again)")
    }
  }

  /// The one answer does not tell whether what it is about exists.
  @Test func anotherDeviceIsRefusedWhetherItExistsOrNot() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let (own, other) = (Reports.newDevice(), Reports.newDevice())
      let client = try await server.client(tenant, device: own)
      _ = try await server.client(tenant).send("POST", Reports.path(other), body: Reports.full(sequence: 1))
      for rest in ["/plan", "/notifications", ""] {
        var answers: [String] = []
        for device in [other, Reports.newDevice()] {
          let answer = try await client.send(
            "GET", Reports.path(device, rest), headers: [("X-Request-Id", "r")])
          #expect(answer.status == 403)
          answers.append(answer.text.split(separator: device).joined())
        }
        #expect(answers[0] == answers[1])
      }
    }
  }

  @Test func aForkThatATokenMadeComesWithATokenOfItsOwn() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let device = Reports.newDevice()
      let client = try await server.client(tenant, device: device)
      func report(_ key: String) -> String {
        "{\"sequence\":1,\"device\":{\"deviceKey\":\"\(key)\",\"timeZone\":\"Europe/Istanbul\"}}"
      }
      let first = try await client.send("POST", Reports.path(device), body: report("phone 1"))
      #expect(first.status == 200 && first.json["deviceToken"] == nil, "\(first)")
      let forked = try await client.send("POST", Reports.path(device), body: report("phone 2"))
      let id = try #require(forked.json["deviceId"]?.string)
      let token = try #require(forked.json["deviceToken"]?.string)
      #expect(id != device && forked.header("Cache-Control") == "no-store")
      let copy = HTTPTestClient(port: server.port, key: token)
      #expect(try await copy.send("GET", Reports.path(id, "/plan")).status == 200)
      #expect(try await copy.send("GET", Reports.path(device, "/plan")).status == 403)
      #expect(try await client.send("GET", Reports.path(id, "/plan")).status == 403)
      // The answer was lost: the same id, and a token for it.
      let again = try await client.send("POST", Reports.path(device), body: report("phone 2"))
      #expect(again.json["deviceId"]?.string == id && again.json["deviceToken"]?.string != nil, "\(again)")
      // A backend that reports for a device needs none.
      let byKey = try await server.client(tenant).send("POST", Reports.path(device), body: report("phone 3"))
      #expect(byKey.json["deviceId"]?.string != nil && byKey.json["deviceToken"] == nil, "\(byKey.status)")
    }
  }

  /// A device cannot lengthen what it was given: the chain of forks ends where it began to.
  @Test func aForksTokenEndsWithTheOneThatMadeIt() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let device = Reports.newDevice()
      let minted = try await server.client(tenant).send(
        "POST", Reports.path(device, "/token"), body: "{\"ttl\":60}")
      var (id, token) = (device, try #require(minted.json["token"]?.string))
      for fork in 0..<4 {
        let client = HTTPTestClient(port: server.port, key: token)
        let report =
          "{\"sequence\":1,\"device\":{\"deviceKey\":\"phone \(fork)\",\"timeZone\":\"Europe/Istanbul\"}}"
        let answer = try await client.send("POST", Reports.path(id), body: report)
        #expect(answer.status == 200, "\(answer)")
        server.clock.advance(seconds: 14)
        guard fork > 0 else { continue }
        id = try #require(answer.json["deviceId"]?.string)
        token = try #require(answer.json["deviceToken"]?.string)
      }
      let client = HTTPTestClient(port: server.port, key: token)
      #expect(try await client.send("GET", Reports.path(id, "/plan")).status == 200)
      server.clock.advance(seconds: 5)
      #expect(try await client.send("GET", Reports.path(id, "/plan")).status == 401)
    }
  }

  /// Nor by the key that signs anew: what an operator has let end ends for a fork, too.
  @Test func aForksTokenEndsWithTheKeyThatSignedTheOneThatMadeIt() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let device = Reports.newDevice()
      let client = try await server.client(tenant, device: device)
      func report(_ key: String) -> String {
        "{\"sequence\":1,\"device\":{\"deviceKey\":\"\(key)\",\"timeZone\":\"Europe/Istanbul\"}}"
      }
      let known = try await server.database.column(
        "UPDATE carillon.signing_keys SET retires_at = '\(server.clock.now.adding(seconds: 60).text)' RETURNING ''"
      )
      try #require(known.count == 1)
      let first = try await client.send("POST", Reports.path(device), body: report("phone 1"))
      try #require(first.status == 200, "\(first)")
      let forked = try await client.send("POST", Reports.path(device), body: report("phone 2"))
      let id = try #require(forked.json["deviceId"]?.string)
      let copy = HTTPTestClient(port: server.port, key: try #require(forked.json["deviceToken"]?.string))
      #expect(try await copy.send("GET", Reports.path(id, "/plan")).status == 200)
      server.clock.advance(seconds: 61)
      #expect(try await client.send("GET", Reports.path(device, "/plan")).status == 401)
      #expect(try await copy.send("GET", Reports.path(id, "/plan")).status == 401)
    }
  }

  @Test func tokensOfATenantThatIsSuspendedOrDeletedAreRefusedWithinASecond() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let device = Reports.newDevice()
      let client = try await server.client(tenant, device: device)
      _ = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 1))
      let isTenant = "tenant_id = '\(tenant.id.text)'"
      func wait(for status: Int, after sql: String) async throws -> HTTPTestClient.Response {
        _ = try await server.database.column(sql)
        return try await Self.wait(for: status) {
          try await client.send("GET", Reports.path(device, "/plan"))
        }
      }
      let suspended = try await wait(
        for: 403, after: "UPDATE carillon.tenants SET status = 'suspended' WHERE \(isTenant)")
      #expect(suspended.json["code"]?.string == "tenantSuspended")
      let mint = try await Self.wait(for: 403) {
        try await server.client(tenant).send("POST", "/v1/devices/\(device)/token", body: "{}")
      }
      #expect(mint.json["code"]?.string == "tenantSuspended")
      _ = try await wait(for: 200, after: "UPDATE carillon.tenants SET status = 'active' WHERE \(isTenant)")
      let deleted = try await wait(for: 401, after: "DELETE FROM carillon.tenants WHERE \(isTenant)")
      #expect(deleted.json["code"]?.string == "invalidCredential")
    }
  }

  @Test func aRotationLetsOldTokensServeUntilItsOverlapHasPassed() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let device = Reports.newDevice()
      let old = try await server.client(tenant, device: device, ttl: 86_400)
      _ = try await old.send("POST", Reports.path(device), body: Reports.full(sequence: 1))
      let rotation = server.clock.now
      let kept = try await withOperator(server.database.conninfo(.operator)) { store in
        try await store.retireSigningKeys(
          tenant: tenant.id, at: rotation.adding(seconds: 600), now: rotation)
      }
      #expect(kept.map(\.retiresAt) == [rotation.adding(seconds: 600)])
      let new = try await server.client(tenant, device: device)
      #expect(header(try #require(new.key)) != header(try #require(old.key)))
      for client in [old, new] {
        #expect(try await client.send("GET", Reports.path(device, "/plan")).status == 200)
      }
      server.clock.advance(seconds: 599)
      #expect(try await old.send("GET", Reports.path(device, "/plan")).status == 200)
      server.clock.advance(seconds: 1)
      // What is remembered of the key may be a second old, and the server's clock alone has moved.
      let late = try await Self.wait(for: 401) { try await old.send("GET", Reports.path(device, "/plan")) }
      #expect(late.json["code"]?.string == "expiredCredential", "\(late)")
      #expect(try await new.send("GET", Reports.path(device, "/plan")).status == 200)
    }
  }

  /// On a server for which no time passes, so that what it remembers of keys never ages: an operator's command is heard.
  @Test func anOperatorsCommandIsHeardAtOnce() async throws {
    try await TestServer.with(forgets: false) { server in
      let tenant = try await server.makeTenant()
      let device = Reports.newDevice()
      let (key, token) = (server.client(tenant), try await server.client(tenant, device: device))
      func ask(_ client: HTTPTestClient) async throws -> HTTPTestClient.Response {
        try await client.send("GET", Reports.path(device, "/plan"))
      }
      // Several connections, so that every loop remembers.
      for _ in 1...20 {
        #expect(try await ask(key).status == 404)
        #expect(try await ask(token).status == 404)
      }
      _ = try await server.database.column(
        "UPDATE carillon.tenants SET status = 'suspended' WHERE tenant_id = '\(tenant.id.text)' RETURNING 1::text"
      )
      for _ in 1...20 { #expect(try await ask(token).status == 404, "nobody has told, and nothing ages") }
      _ = try await server.database.column(
        "UPDATE carillon.tenants SET status = 'active' WHERE tenant_id = '\(tenant.id.text)' RETURNING 1::text"
      )

      _ = try await withOperator(server.database.conninfo(.operator)) { store in
        try await store.retireSigningKeys(tenant: tenant.id, at: server.clock.now, now: server.clock.now)
      }
      try await until(20, answer: 401) { try await ask(token) }
      #expect(try await ask(key).status == 404)
      try await tenant.revokeKey(in: server.database, at: server.clock.now)
      try await until(20, answer: 401) { try await ask(key) }
    }
  }

  /// Asks until so many answers in a row are of that status, over whatever loops they come.
  private func until(
    _ count: Int, answer status: Int, _ ask: () async throws -> HTTPTestClient.Response
  ) async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    var inARow = 0
    while inARow < count {
      inARow = try await ask().status == status ? inARow + 1 : 0
      try #require(clock.now - begin < .seconds(30), "it is not heard")
    }
  }

  /// Asks until the answer is of that status, which it must be within a second.
  static func wait(
    for status: Int, _ ask: () async throws -> HTTPTestClient.Response
  ) async throws -> HTTPTestClient.Response {
    let clock = ContinuousClock()
    let changed = clock.now
    var last = changed
    while true {
      let answer = try await ask()
      if answer.status == status {
        #expect(last - changed < .seconds(1))
        return answer
      }
      last = clock.now
      try #require(last - changed < .seconds(10), "\(answer)")
    }
  }

  /// The header, which names the key.
  private func header(_ token: String) -> Substring { token.prefix { $0 != "." } }

  @Test func manyFirstTokensAtOnceMakeOneKey() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let headers = try await withThrowingTaskGroup(of: String.self) { group in
        for index in 0..<20 {
          group.addTask { try await server.token(tenant, device: Reports.device(index)) }
        }
        return try await group.reduce(into: Set<Substring>()) { $0.insert(header($1)) }
      }
      #expect(headers.count == 1)
      #expect(try await server.database.column("SELECT count(*)::text FROM carillon.signing_keys") == ["1"])
    }
  }

  @Test func aServerWithoutAMasterKeySaysWhatToSet() async throws {
    let database = try await MigratedDatabase.make()
    let device = Reports.newDevice()
    let (tenant, token) = try await TestServer.with(database: database) { server in
      let tenant = try await server.makeTenant()
      return (tenant, try await server.token(tenant, device: device))
    }
    var random = SecureRandom()
    let other = MasterKeys(current: .make(using: &random))
    for keys in [nil, other] {
      try await TestServer.with(database: database, masterKeys: keys) { server in
        let key = server.client(tenant)
        let mint = try await key.send("POST", "/v1/devices/\(device)/token", body: "{}")
        let use = try await HTTPTestClient(port: server.port, key: token).send(
          "GET", Reports.path(device, "/plan"))
        for answer in [mint, use] {
          #expect(answer.status == 503, "\(answer)")
          #expect(answer.json["code"]?.string == "deviceTokensUnavailable")
          #expect(answer.json["detail"]?.string?.contains("CARILLON_MASTER_KEY_FILE") == true)
        }
        #expect(
          try await key.send("POST", Reports.path(device), body: Reports.full(sequence: 1)).status == 200)
        let hasSaid = server.log.all.contains { $0.contains("no device tokens") }
        #expect(hasSaid == (keys == nil))
      }
    }
    // While the master key is being changed a server has both.
    let both = MasterKeys(current: other.current, previous: TestServer.masterKeys.current)
    try await TestServer.with(database: database, masterKeys: both) { server in
      let client = HTTPTestClient(port: server.port, key: token)
      #expect(
        try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 2)).status == 200)
      _ = try await server.token(tenant, device: device)
    }
  }
}
