import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// Which installation a report comes from, and what only one of them can have. Field cases 16, 21 and 22.
@Suite struct IdentityTests {
  /// A phone that reports to a server.
  struct Phone {
    let client: HTTPTestClient
    var device = Reports.newDevice()
    var key: String
    var token: String?
    var user: String? = "u"
    var bundle = "com.example.app"
    var status = "authorized"
    var sequence = 0

    var report: String {
      var info = "\"deviceKey\":\"\(key)\",\"bundleId\":\"\(bundle)\",\"timeZone\":\"Europe/Istanbul\""
      if let user { info += ",\"userId\":\"\(user)\"" }
      if let token { info += ",\"push\":{\"token\":\"\(token)\",\"environment\":\"production\"}" }
      return """
        {"sequence":\(sequence),"device":{\(info)},"authorizationStatus":"\(status)","settings":{"alert":"enabled"},
         "pending":[],"foreign":{"count":0,"regions":0}
        """
    }

    /// - Parameter extra: members, each with a comma before it.
    @discardableResult
    mutating func sync(_ extra: String = "") async throws -> JSONValue {
      sequence += 1
      let answer = try await client.send("POST", Reports.path(device), body: "\(report)\(extra)}")
      try #require(answer.status == 200, "\(answer)")
      return answer.json
    }

    func shown() async throws -> JSONValue {
      try await client.send("GET", Reports.path(device, "")).json
    }

    func put(_ id: String) async throws {
      let body = Reports.notification(id, inHours: 5)
      let answer = try await client.send("PUT", Reports.path(device, "/notifications/\(id)"), body: body)
      try #require(answer.status == 201, "\(answer)")
    }

    func held() async throws -> [String] {
      let plan = try await client.send("GET", Reports.path(device, "/plan"))
      return plan.json["held"]?.array?.compactMap { $0["id"]?.string } ?? []
    }
  }

  static func with(_ body: (TestServer, (String, String?) -> Phone) async throws -> Void) async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      try await body(server) { Phone(client: client, key: $0, token: $1) }
    }
  }

  private func owners(of token: String, _ server: TestServer) async throws -> [String] {
    try await server.owners(of: token)
  }

  // MARK: Copies

  @Test("22 a restored copy gets an id of its own; the first keeps token, sequence and plan")
  func fork() async throws {
    try await Self.with { server, phone in
      var first = phone("k1", "01")
      first.sequence = 49
      try await first.put("first")
      #expect(try await first.sync()["deviceId"] == nil)
      var copy = phone("k2", "02")
      copy.device = first.device
      copy.sequence = 2
      let answer = try await copy.sync(",\"put\":[\(Reports.notification("own", inHours: 3))]")
      let id = try #require(answer["deviceId"]?.string)
      #expect(id != first.device && answer["stale"] == nil && answer.added == ["own"])

      let shown = try await first.shown()
      #expect(shown["sequence"]?.int == 50 && shown["device"]?["deviceKey"]?.string == "k1")
      #expect(try await owners(of: "01", server) == [first.device])
      #expect(try await owners(of: "02", server) == [id])
      // Plans do not mix, and each goes on by itself.
      copy.device = id
      #expect(try await first.held() == ["first"])
      #expect(try await copy.held() == ["own"])
      #expect(try await copy.shown()["forkedFrom"]?.string == first.device)
      for _ in 0..<2 {
        #expect(try await first.sync()["deviceId"] == nil)
        #expect(try await copy.sync()["deviceId"] == nil)
      }
      #expect(try await first.shown()["sequence"]?.int == 52)
      #expect(try await copy.shown()["sequence"]?.int == 5)
    }
  }

  @Test("22 a copy whose answer was lost gets the same id again, and its second report is no conflict")
  func retriedFork() async throws {
    try await Self.with { server, phone in
      var first = phone("k1", nil)
      try await first.sync()
      var copy = phone("k2", nil)
      copy.device = first.device
      let id = try #require(try await copy.sync()["deviceId"]?.string)
      // The same report once more, then the next ones, still under the old id.
      copy.sequence -= 1
      let repeated = try await copy.sync()
      #expect(repeated["deviceId"]?.string == id && repeated["stale"]?.bool == true)
      for _ in 0..<2 {
        let next = try await copy.sync()
        #expect(next["deviceId"]?.string == id && next["stale"] == nil)
      }
      // Another copy is another phone.
      var third = phone("k3", nil)
      third.device = first.device
      let other = try #require(try await third.sync()["deviceId"]?.string)
      #expect(other != id)
      // A copy of the copy.
      var fourth = phone("k4", nil)
      fourth.device = id
      #expect(![id, other].contains(try #require(try await fourth.sync()["deviceId"]?.string)))
      #expect(try await server.database.column("SELECT count(*)::text FROM carillon.devices") == ["4"])
    }
  }

  @Test("22 twenty reports of a copy at once bring one new device into the world", arguments: [1, 2])
  func forkRace(_ loops: Int) async throws {
    try await TestServer.with(loops: loops) { server in
      let client = server.client(try await server.makeTenant())
      var first = Phone(client: client, key: "k1", token: "01")
      try await first.sync()
      var copy = Phone(client: client, device: first.device, key: "k2", token: "02")
      let answers = try await withThrowingTaskGroup(of: String?.self) { group in
        for _ in 0..<20 {
          copy.sequence += 1
          let (body, path) = (copy.report + "}", Reports.path(copy.device))
          group.addTask {
            let answer = try await client.send("POST", path, body: body)
            try #require(answer.status == 200, "\(answer)")
            return answer.json["deviceId"]?.string
          }
        }
        return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
      }
      #expect(answers.count == 1 && !answers.contains(nil))
      #expect(try await server.database.column("SELECT count(*)::text FROM carillon.devices") == ["2"])
      #expect(try await owners(of: "02", server) == [answers.first??.description])
      #expect(
        try await server.database.column("SELECT max(sequence)::text FROM carillon.device_syncs") == ["20"])
    }
  }

  @Test("22 after 90 days without a word of the first, the other phone has the id", arguments: [0, 1])
  func successor(_ secondsLate: Int64) async throws {
    try await Self.with { server, phone in
      var first = phone("k1", "01")
      first.sequence = 49
      try await first.put("first")
      let shown = ",\"events\":[{\"id\":\"e\",\"kind\":\"dialogShown\",\"at\":\"\(Reports.time(0))\"}]"
      try await first.sync(shown)
      server.clock.advance(seconds: 90 * 86_400 + secondsLate)
      try await server.ageWhatIsKept()
      var other = phone("k2", "02")
      (other.device, other.sequence, other.status) = (first.device, 2, "notDetermined")
      let answer = try await other.sync()
      guard secondsLate > 0 else {
        #expect(answer["deviceId"] != nil)
        return
      }
      // Its sequence begins anew, and it was never asked.
      #expect(answer["deviceId"] == nil && answer["stale"] == nil)
      #expect(try await other.shown()["sequence"]?.int == 3)
      #expect(try await other.shown()["device"]?["deviceKey"]?.string == "k2")
      #expect(try await owners(of: "01", server) == [])
      #expect(
        try await server.database.column(
          "SELECT count(*)::text FROM carillon.device_priming WHERE dialog_shown_at IS NOT NULL") == ["0"])
      #expect(try await other.sync()["stale"] == nil)
    }
  }

  @Test("16 what the first was asked does not travel with a backup")
  func flags() async throws {
    try await Self.with { server, phone in
      var first = phone("k1", "01")
      let shown = ",\"events\":[{\"id\":\"e\",\"kind\":\"dialogShown\",\"at\":\"\(Reports.time(0))\"}]"
      try await first.sync(shown)
      var restored = phone("k2", nil)
      (restored.device, restored.status) = (first.device, "notDetermined")
      restored.device = try #require(try await restored.sync()["deviceId"]?.string)
      let step = try await restored.client.send(
        "POST", Reports.path(restored.device, "/priming"), body: "{\"action\":\"reminder.created\"}")
      #expect(step.json["step"]?.string == "showPrimer")
      #expect(try await owners(of: "01", server) == [first.device])
      #expect(try await first.shown()["authorizationStatus"]?.string == "authorized")
      // Authorized after all, with a token of its own.
      (restored.status, restored.token) = ("authorized", "02")
      try await restored.sync()
      #expect(try await owners(of: "02", server) == [restored.device])
      #expect(try await owners(of: "01", server) == [first.device])
    }
  }

  // MARK: Tokens and phones

  @Test("21A a token registered by a new installation leaves the old one") func tokenMoves() async throws {
    try await Self.with { server, phone in
      var (old, new) = (phone("k1", "01"), phone("k2", "01"))
      try await old.sync()
      try await old.sync()
      try await new.sync()
      #expect(try await owners(of: "01", server) == [new.device])
      #expect(try await old.shown()["pushEnvironment"] == nil)
      // Whoever registered it last has it: the old one's next report is no repetition of what it said before.
      try await old.sync()
      #expect(try await owners(of: "01", server) == [old.device])
      // A new token frees the old one.
      old.token = "02"
      try await old.sync()
      #expect(try await owners(of: "01", server) == [])
      try await new.sync()
      #expect(try await owners(of: "01", server) == [new.device])
      #expect(try await owners(of: "02", server) == [old.device])
    }
  }

  @Test("21A a token is another one in another app or environment") func tokenPlaces() async throws {
    try await Self.with { server, phone in
      var (one, other) = (phone("k1", "01"), phone("k2", "01"))
      other.bundle = "com.example.other"
      try await one.sync()
      try await other.sync()
      #expect(try await owners(of: "01", server).count == 2)
      let tenant = try await server.makeTenant()
      var stranger = Phone(client: server.client(tenant), key: "k1", token: "01")
      try await stranger.sync()
      #expect(try await owners(of: "01", server).count == 3)
    }
  }

  @Test("21B a new installation on a phone supersedes the old one, which lives again when it reports again")
  func reinstalled() async throws {
    try await Self.with { server, phone in
      var (old, new) = (phone("k1", "01"), phone("k1", "02"))
      try await old.sync()
      try await new.sync()
      #expect(try await old.shown()["supersededBy"]?.string == new.device)
      #expect(try await owners(of: "01", server) == [])
      #expect(try await owners(of: "02", server) == [new.device])
      // Only the living one is addressed by its user.
      let sent = try await new.client.send(
        "POST", "/v1/notifications",
        body:
          "{\"operations\":[{\"op\":\"put\",\"userId\":\"u\",\"notification\":\(Reports.notification("n", inHours: 1))}]}"
      )
      #expect(sent.json["results"]?[0]?["status"]?.string == "stored")
      #expect(try await new.held() == ["n"])
      #expect(try await old.held() == [])

      #expect(try await old.sync()["stale"] == nil)
      #expect(try await old.shown()["supersededBy"] == nil)
      #expect(try await owners(of: "01", server) == [old.device])
      #expect(try await new.shown()["supersededBy"]?.string == old.device)
      #expect(try await owners(of: "02", server) == [])
    }
  }

  @Test("21B two apps on one phone do not supersede each other") func twoApps() async throws {
    try await Self.with { server, phone in
      var (one, other) = (phone("k1", "01"), phone("k1", "02"))
      other.bundle = "com.example.other"
      try await one.sync()
      try await other.sync()
      #expect(try await one.shown()["supersededBy"] == nil)
      #expect(try await owners(of: "01", server) == [one.device])
    }
  }

  @Test("21C when another user signs in on a phone, its token is that user's alone") func userSwitch()
    async throws
  {
    try await Self.with { server, phone in
      var one = phone("k1", "01")
      one.user = "a"
      try await one.sync()
      one.user = "b"
      try await one.sync()
      let users = "SELECT user_id FROM carillon.devices WHERE push_token = '01'"
      #expect(try await server.database.column(users) == ["b"])
      // And by a new installation, too.
      var other = phone("k2", "01")
      other.user = "c"
      try await other.sync()
      #expect(try await server.database.column(users) == ["c"])
      let body = "{\"operations\":[{\"op\":\"cancel\",\"userId\":\"a\",\"id\":\"n\"}]}"
      let answer = try await one.client.send("POST", "/v1/notifications", body: body)
      #expect(answer.json["results"]?[0]?["problem"]?["code"]?.string == "userNotFound")
    }
  }

  @Test("21 thirty phones register one token at once: one of them has it", arguments: [1, 2])
  func tokenRace(_ loops: Int) async throws {
    try await TestServer.with(loops: loops) { server in
      let client = server.client(try await server.makeTenant())
      for round in 0..<3 {
        try await withThrowingTaskGroup { group in
          for index in 0..<30 {
            // Half of them trade two tokens, so that each wants what another has.
            let token = (index + 2 * round) % 4 == 1 ? "02" : "01"
            var phone = Phone(client: client, device: Reports.device(index), key: "k\(index)", token: token)
            phone.sequence = round
            group.addTask { try await phone.sync() }
          }
          try await group.waitForAll()
        }
        #expect(try await owners(of: "01", server).count == 1)
        #expect(try await owners(of: "02", server).count == 1)
        let split = """
          SELECT claim FROM carillon.identity_claims AS c
          WHERE claim LIKE 'push%' AND NOT EXISTS (
            SELECT FROM carillon.devices AS d WHERE d.device_id = c.holder AND claim LIKE '%' || d.push_token)
          """
        #expect(try await server.database.column(split) == [])
      }
    }
  }
}

extension TestServer {
  /// Whose a push token is, as a sender of pushes would see it: the wire never tells a token.
  func owners(of token: String) async throws -> [String] {
    try await database.column(
      "SELECT device_id::text FROM carillon.devices WHERE push_token = '\(token)' ORDER BY 1"
    ).compactMap(\.self)
  }
}
