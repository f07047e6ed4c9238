import CarillonAPI
import CarillonCrypto
import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

/// A write with an `Idempotency-Key` has one effect and one answer, however often it is sent.
@Suite struct IdempotencyTests {
  static let writes = Endpoint.allCases.filter(\.isWrite)

  private func effects(_ sample: WriteSample, _ server: TestServer) async throws -> Int {
    Int(try await server.database.column(sample.effects).first.flatMap(\.self) ?? "0") ?? 0
  }

  private func prepare(_ device: String, _ client: HTTPTestClient) async throws {
    for request in WriteSample.preparations(device) {
      let answer = try await client.send(request.method, request.path, body: request.body)
      try #require(answer.status == 200, "\(answer)")
    }
  }

  @Test(arguments: writes)
  func twentyEqualRequestsAtOnceHaveOneEffectAndOneAnswer(_ endpoint: Endpoint) async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      try await prepare(device, client)
      let sample = try #require(
        WriteSample.of(endpoint, device: device), "\(endpoint) has no sample in WriteBattery: add one")
      let before = try await effects(sample, server)
      let answers = try await withThrowingTaskGroup(of: HTTPTestClient.Response.self) { group in
        for _ in 1...20 { group.addTask { try await sample.request.send("one", by: client) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(answers.map(\.essence)).count == 1, "\(endpoint): \(Set(answers.map(\.essence)))")
      #expect(answers.allSatisfy { (200...204).contains($0.status) }, "\(answers[0])")
      #expect(answers.filter { !$0.isReplay }.count == 1)
      #expect(try await effects(sample, server) == before + 1)
      // Long afterwards, too.
      let late = try await sample.request.send("one", by: client)
      #expect(late.isReplay && late.essence == answers[0].essence)
      #expect(try await effects(sample, server) == before + 1)
    }
  }

  /// Field case 40: keys of two tenants, and of two principals of one tenant, have nothing to do with each other.
  @Test func aKeyBelongsToItsTenantAndPrincipal() async throws {
    try await TestServer.with { server in
      let first = try await server.makeTenant()
      let other = try await server.makeTenant()
      let second = try await first.anotherKey(in: server.database, at: server.clock.now)
      let device = Reports.newDevice()
      let put = KeyedRequest(
        method: "PUT", path: Reports.path(device, "/notifications/a"),
        body: Reports.notification("a", inHours: 1))
      let otherBody = KeyedRequest(
        method: "PUT", path: put.path, body: Reports.notification("a", inHours: 2))
      #expect(try await put.send("same", by: server.client(first)).status == 201)
      let elsewhere = try await otherBody.send("same", by: server.client(other))
      #expect(elsewhere.status == 201 && !elsewhere.isReplay, "\(elsewhere)")
      let colleague = try await otherBody.send(
        "same", by: HTTPTestClient(port: server.port, key: second))
      #expect(colleague.status == 200 && !colleague.isReplay, "\(colleague)")
      #expect(colleague.json["fireAt"]?.string == Reports.time(7_200))
      let again = try await put.send("same", by: server.client(first))
      #expect(again.isReplay && again.json["fireAt"]?.string == Reports.time(3_600))
    }
  }

  @Test func anotherRequestUnderAKeyIsRefusedAndChangesNothing() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let path = Reports.path(device, "/notifications/a")
      let body = Reports.notification("a", inHours: 1)
      _ = try await KeyedRequest(method: "PUT", path: path, body: body).send("k", by: client)
      _ = try await KeyedRequest(method: "PUT", path: "/v1/policy", body: "{\"slots\":9}").send(
        "policy", by: client)
      let batch = Reports.batch(device, [Reports.notification("b", inHours: 2)])
      _ = try await KeyedRequest(method: "POST", path: "/v1/notifications", body: batch).send(
        "batch", by: client)
      let state = """
        SELECT (SELECT string_agg(row_version::text, ',') FROM carillon.device_syncs) || ' '
          || (SELECT max(policy_version) FROM carillon.tenants)
        """
      let before = try await server.database.column(state)
      let otherDevice = Reports.newDevice()
      for (key, other) in [
        ("k", KeyedRequest(method: "PUT", path: path, body: Reports.notification("a", inHours: 2))),
        ("k", KeyedRequest(method: "DELETE", path: path)),
        ("k", KeyedRequest(method: "PUT", path: Reports.path(device, "/notifications/b"), body: body)),
        ("k", KeyedRequest(method: "PUT", path: Reports.path(otherDevice, "/notifications/a"), body: body)),
        ("k", KeyedRequest(method: "PUT", path: "/v1/policy", body: "{}")),
        ("k", KeyedRequest(method: "POST", path: "/v1/notifications", body: batch)),
        ("policy", KeyedRequest(method: "PUT", path: path, body: body)),
        (
          "policy",
          KeyedRequest(
            method: "PUT", path: "/v1/policy", body: "{\"slots\":9}", headers: [("If-Match", "\"1\"")])
        ),
        ("batch", KeyedRequest(method: "PUT", path: path, body: body)),
        (
          "batch",
          KeyedRequest(
            method: "POST", path: "/v1/notifications",
            body: Reports.batch(otherDevice, [Reports.notification("b", inHours: 2)]))
        ),
      ] {
        let answer = try await other.send(key, by: client)
        #expect(answer.status == 422, "\(key) \(other): \(answer)")
        #expect(answer.json["code"]?.string == "idempotencyKeyReused", "\(key) \(other): \(answer)")
      }
      #expect(try await server.database.column(state) == before)
    }
  }

  /// And an hour at most, in which the clock that tells what is old is not looked at.
  @Test func aKeyIsFreeAgainAfterADay() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let path = Reports.path(device, "/notifications/a")
      for (body, seconds) in [("a", 0), ("a", 86_399), ("b", 3_601)] as [(String, Int64)] {
        server.clock.advance(seconds: seconds)
        let answer = try await KeyedRequest(
          method: "PUT", path: path, body: Reports.notification("a", inHours: 48, title: body)
        ).send("k", by: client)
        #expect(answer.isReplay == (seconds == 86_399), "\(answer)")
        #expect(answer.json["content"]?["title"]?.string == body)
      }
    }
  }

  @Test(arguments: [[""], [String(repeating: "k", count: 256)], ["ü"], ["a", "b"], ["a\u{7f}"]])
  func aKeyThatIsNoneIsRefused(_ keys: [String]) async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let path = Reports.path(Reports.newDevice(), "/notifications/a")
      let answer = try await client.send(
        "PUT", path, headers: keys.map { ("Idempotency-Key", $0) },
        body: Reports.notification("a", inHours: 1))
      #expect(answer.status == 400, "\(answer)")
      #expect(["invalidHeader", "malformedRequest"].contains(answer.json["code"]?.string))
      #expect(try await client.send("GET", path).status == 404)
    }
  }

  @Test func theLongestKeyIsTaken() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let request = KeyedRequest(method: "PUT", path: "/v1/policy", body: "{}")
      let key = "~ " + String(repeating: "k", count: 253)
      #expect(try await request.send(key, by: client).status == 200)
      #expect(try await request.send(key, by: client).isReplay)
    }
  }

  @Test func readingTakesNoNoticeOfAKey() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let read = KeyedRequest(method: "GET", path: "/v1/policy")
      #expect(try await read.send("k", by: client).text == "{}")
      _ = try await client.send("PUT", "/v1/policy", body: "{\"slots\":3}")
      #expect(try await read.send("k", by: client).text == "{\"slots\":3}")
      let preview = KeyedRequest(method: "POST", path: "/v1/policy/preview", body: "{\"policy\":{}}")
      #expect(try await preview.send("k", by: client).status == 200)
      let kept = try await server.database.column(
        "SELECT count(*)::text FROM carillon.tenant_idempotency_keys")
      #expect(kept == ["0"])
    }
  }

  /// What the rules refuse is refused the same way again; what could not be read may be mended.
  @Test func refusalsByARuleAreKept() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      try await prepare(device, client)
      let delete = KeyedRequest(method: "DELETE", path: Reports.path(device, "/notifications/later"))
      let absent = try await delete.send("k", by: client)
      #expect(absent.status == 404 && !absent.isReplay)
      _ = try await client.send("PUT", delete.path, body: Reports.notification("later", inHours: 1))
      let again = try await delete.send("k", by: client)
      #expect(again.essence == absent.essence && again.isReplay)
      #expect(try await client.send("GET", delete.path).status == 200)

      _ = try await client.send("PUT", "/v1/policy", body: "{}")
      let blind = KeyedRequest(method: "PUT", path: "/v1/policy", body: "{\"slots\":2}")
      #expect(try await blind.send("p", by: client).status == 428)
      #expect(try await blind.send("p", by: client).isReplay)
      let late = KeyedRequest(
        method: "PUT", path: "/v1/policy", body: "{\"slots\":2}", headers: [("If-Match", "\"7\"")])
      let refused = try await late.send("q", by: client)
      #expect(refused.status == 412 && refused.json["current"]?.int == 1)
      #expect(try await late.send("q", by: client).essence == refused.essence)

      for body in ["{", "[]"] {
        let unread = try await KeyedRequest(method: "PUT", path: delete.path, body: body).send(
          "r", by: client)
        #expect(unread.status == 400 && !unread.isReplay, "\(unread)")
      }
      let mended = try await KeyedRequest(
        method: "PUT", path: delete.path, body: Reports.notification("later", inHours: 9)
      ).send("r", by: client)
      #expect(mended.status == 200 && !mended.isReplay, "\(mended)")
    }
  }

  @Test func whereThereIsNoDeviceNothingIsKept() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let mark = KeyedRequest(
        method: "POST", path: Reports.path(device, "/inbox/read"),
        body: "{\"before\":\"2100-01-01T00:00:00Z\"}")
      let unknown = try await mark.send("k", by: client)
      #expect(unknown.status == 404 && unknown.json["code"]?.string == "deviceNotFound")
      try await prepare(device, client)
      let known = try await mark.send("k", by: client)
      #expect(known.status == 200 && !known.isReplay, "\(known)")
    }
  }

  /// What is answered again is the first answer, not what would be true now.
  @Test func theFirstAnswerStands() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      try await prepare(device, client)
      let sync = KeyedRequest(
        method: "POST", path: Reports.path(device),
        body: Reports.full(sequence: 2, extra: ",\"put\":[\(Reports.notification("x", inHours: 5))]"))
      let first = try await sync.send("k", by: client)
      #expect(first.json.added.contains("x") && first.json["stale"] == nil, "\(first)")
      let put = KeyedRequest(
        method: "PUT", path: Reports.path(device, "/notifications/y"),
        body: Reports.notification("y", inHours: 5))
      let created = try await put.send("p", by: client)
      _ = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 3))
      server.clock.advance(seconds: 60)
      #expect(try await sync.send("k", by: client).essence == first.essence)
      #expect(try await put.send("p", by: client).essence == created.essence)
      // An equal notification put under another key is another request: it finds it there.
      let equal = try await put.send("p2", by: client)
      #expect(equal.status == 200 && equal.json["createdAt"] == created.json["createdAt"], "\(equal)")
    }
  }

  /// A notification that another user has left behind sleeps, and is not shown: a put of its id takes its place.
  @Test func aPutOverAnotherUsersIsAnsweredForWhatItIs() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      func signIn(_ sequence: Int, _ user: String) async throws {
        let answer = try await client.send(
          "POST", Reports.path(device), body: "{\"sequence\":\(sequence),\"device\":{\"userId\":\"\(user)\"}}"
        )
        try #require(answer.status == 200, "\(answer)")
      }
      let put = KeyedRequest(
        method: "PUT", path: Reports.path(device, "/notifications/a"),
        body: Reports.notification("a", inHours: 3))
      try await signIn(1, "u1")
      #expect(try await put.send("k1", by: client).status == 201)
      server.clock.advance(seconds: 5)
      try await signIn(2, "")
      let nobodys = try await put.send("k2", by: client)
      #expect(nobodys.json["createdAt"]?.string == Reports.time(5), "\(nobodys)")
      server.clock.advance(seconds: 5)
      try await signIn(3, "u2")
      let theirs = try await put.send("k3", by: client)
      #expect(theirs.status == 200 && theirs.json["createdAt"]?.string == Reports.time(5), "\(theirs)")
      for key in ["k1", "k2", "k3"] { #expect(try await put.send(key, by: client).isReplay) }
      let shown = try await client.send("GET", put.path)
      #expect(shown.json["createdAt"] == theirs.json["createdAt"])
    }
  }

  /// The same key from a device and from its tenant are two.
  @Test func aDevicesKeyIsItsOwn() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let (device, other) = (Reports.newDevice(), Reports.newDevice())
      let own = try await server.deviceClient(device, through: client)
      let put = KeyedRequest(
        method: "PUT", path: Reports.path(device, "/notifications/a"),
        body: Reports.notification("a", inHours: 1))
      let later = KeyedRequest(
        method: "PUT", path: put.path, body: Reports.notification("a", inHours: 2))
      #expect(try await put.send("k", by: client).status == 201)
      let byDevice = try await later.send("k", by: own)
      #expect(byDevice.status == 200 && !byDevice.isReplay, "\(byDevice)")
      #expect(try await later.send("k", by: own).isReplay)
      #expect(try await put.send("k", by: own).json["code"]?.string == "idempotencyKeyReused")
      // Two devices' keys have nothing to do with each other either.
      let elsewhere = try await KeyedRequest(
        method: "PUT", path: Reports.path(other, "/notifications/a"),
        body: Reports.notification("a", inHours: 1)
      ).send("k", by: try await server.deviceClient(other, through: client))
      #expect(elsewhere.status == 201 && !elsewhere.isReplay, "\(elsewhere)")
    }
  }

  /// A token that was answered is nowhere in the database, and is answered again all the same.
  @Test func tokensAreAnsweredAgainAndNotKept() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      func report(_ sequence: Int, _ key: String) -> String {
        "{\"sequence\":\(sequence),\"device\":{\"deviceKey\":\"\(key)\",\"bundleId\":\"com.example.app\"}}"
      }
      let own = try await server.deviceClient(device, through: client)
      _ = try await own.send("POST", Reports.path(device), body: report(1, "phone-a"))
      let mint = KeyedRequest(
        method: "POST", path: Reports.path(device, "/token"), body: "{\"ttl\":600}")
      let copy = KeyedRequest(method: "POST", path: Reports.path(device), body: report(2, "phone-b"))
      let token = try await mint.send("t", by: client)
      let fork = try await copy.send("f", by: own)
      let tokens = try [
        #require(token.json["token"]?.string), #require(fork.json["deviceToken"]?.string),
      ]
      server.clock.advance(seconds: 60)
      for (request, key, client, first) in [(mint, "t", client, token), (copy, "f", own, fork)] {
        let again = try await request.send(key, by: client)
        #expect(again.isReplay && again.essence == first.essence, "\(again)")
        #expect(again.header("Cache-Control") == "no-store")
      }
      let kept = try await server.database.column(
        "SELECT encode(body, 'escape') FROM carillon.device_idempotency_keys")
      #expect(kept.count == 2)
      for body in kept { for token in tokens { #expect(body?.contains(token) == false) } }
    }
  }

  /// The copy of an installation gets its new id once.
  @Test func aForkIsAnsweredAgainWithItsId() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      func report(_ sequence: Int, _ key: String) -> String {
        "{\"sequence\":\(sequence),\"device\":{\"deviceKey\":\"\(key)\",\"bundleId\":\"com.example.app\"}}"
      }
      _ = try await client.send("POST", Reports.path(device), body: report(1, "phone-a"))
      let copy = KeyedRequest(method: "POST", path: Reports.path(device), body: report(2, "phone-b"))
      let first = try await copy.send("k", by: client)
      let fork = try #require(first.json["deviceId"]?.string)
      #expect(fork != device)
      let again = try await copy.send("k", by: client)
      #expect(again.isReplay && again.essence == first.essence)
      let devices = try await server.database.column("SELECT count(*)::text FROM carillon.devices")
      #expect(devices == ["2"])
    }
  }
}

extension TestServer {
  /// A client with a token of a device.
  fileprivate func deviceClient(
    _ device: String, through client: HTTPTestClient
  ) async throws -> HTTPTestClient {
    let answer = try await client.send("POST", Reports.path(device, "/token"), body: "{}")
    return HTTPTestClient(port: port, key: try #require(answer.json["token"]?.string, "\(answer)"))
  }
}

extension TestTenant {
  /// The whole text of a second key of the same tenant.
  func anotherKey(in database: MigratedDatabase, at now: Instant) async throws -> String {
    try await withOperator(database.conninfo(.operator)) { store in
      var random = SecureRandom()
      let key = TenantKey.make(using: &random)
      let draft = KeyDraft(
        id: key.keyId, secretHash: key.hash.bytes, scopes: Set(KeyScope.allCases), createdAt: now)
      _ = try await store.createKey(draft, tenant: id)
      return key.text
    }
  }
}
