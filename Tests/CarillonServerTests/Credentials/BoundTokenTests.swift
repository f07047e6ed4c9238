import CarillonAPI
import CarillonJSON
import CarillonModel
import Foundation
import IntegrationSupport
import Testing

/// Device tokens for one user: whatever the device says, they reach no other user's inbox.
@Suite struct BoundTokenTests {
  private static func report(_ sequence: Int, user: String?, _ extra: String = "") -> String {
    let user = user.map { ",\"userId\":\"\($0)\"" } ?? ""
    return """
      {"sequence":\(sequence),"device":{"timeZone":"Europe/Madrid"\(user)},"authorizationStatus":"authorized",
       "settings":{"alert":"enabled","lockScreen":"enabled","notificationCenter":"enabled"},"pending":[]\(extra)}
      """
  }

  private func isRefused(_ answer: HTTPTestClient.Response) -> Bool {
    answer.status == 403 && answer.json["code"]?.string == "wrongUser"
  }

  /// ann's phone, with an item in her inbox and one in the queue.
  private func withAnn(
    _ body: (TestServer, TestTenant, InboxPhone) async throws -> Void
  ) async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant, user: "ann")
      try await phone.sync()
      try await phone.put("confidential", at: 60)
      try await phone.put("next", at: 7_200)
      try await phone.sync()
      server.clock.advance(seconds: 600)
      #expect(try await phone.sync().unread == 1)
      try await body(server, tenant, phone)
    }
  }

  @Test func aReportThatNamesAnotherUserIsRefusedWhole() async throws {
    try await withAnn { server, tenant, _ in
      let device = Reports.newDevice()
      let bob = try await server.client(tenant, device: device, user: "bob")
      let before = try await TenantRows.of(tenant, in: server)
      let extra = """
        ,"events":[{"id":"e","kind":"tapped","notification":"confidential","at":"\(Reports.time(1))"}],
        "put":[\(Reports.notification("p", inHours: 1))],"cancel":["next"]
        """
      for (user, key) in [("ann", nil), ("ann", "k"), ("", nil), (nil, nil), ("Bob", nil)]
        as [(String?, String?)]
      {
        let answer = try await bob.send(
          "POST", Reports.path(device), headers: key.map { [("Idempotency-Key", $0)] } ?? [],
          body: Self.report(1, user: user, extra))
        #expect(isRefused(answer), "\(user ?? "-"): \(answer)")
      }
      #expect(try await TenantRows.of(tenant, in: server) == before)
      let own = try await bob.send(
        "POST", Reports.path(device), headers: [("Idempotency-Key", "k")],
        body: Self.report(1, user: "bob", extra))
      #expect(own.status == 200 && own.json.unread == 0, "\(own)")
      // Neither a later report nor one that is not newer.
      for sequence in [1, 0, 2] {
        let answer = try await bob.send(
          "POST", Reports.path(device), body: Self.report(sequence, user: "ann"))
        #expect(isRefused(answer), "\(sequence): \(answer)")
      }
      // One that names nobody tells no news of who is there.
      #expect(
        try await bob.send("POST", Reports.path(device), body: Self.report(3, user: nil)).status == 200)
    }
  }

  /// Nor does one that names nobody, on ann's own phone, with news or without.
  @Test func aReportFromAnotherUsersDeviceIsRefused() async throws {
    try await withAnn { server, tenant, _ in
      let device = Reports.newDevice()
      let client = server.client(tenant)
      let steady = Self.report(7, user: nil)
      for body in [Self.report(1, user: "ann"), Self.report(2, user: nil), Self.report(3, user: nil)] {
        let answer = try await client.send("POST", Reports.path(device), body: body)
        #expect(answer.json.unread == 1, "\(answer)")
      }
      let others = [
        try await server.client(tenant, device: device, user: "bob"),
        try await server.client(tenant, device: device, user: nil),
      ]
      let before = try await TenantRows.of(tenant, in: server)
      for other in others {
        for body in [
          steady, Self.report(1, user: nil), Self.report(8, user: nil, ",\"delivered\":[\"next\"]"),
        ] {
          let answer = try await other.send("POST", Reports.path(device), body: body)
          #expect(isRefused(answer), "\(answer)")
        }
      }
      #expect(try await TenantRows.of(tenant, in: server) == before)
      let hers = try await server.client(tenant, device: device, user: "ann")
      let answer = try await hers.send("POST", Reports.path(device), body: steady)
      #expect(answer.status == 200 && answer.json.unread == 1, "\(answer)")
      // Who signs in is served from then on, and whoever was there is not.
      let bob = try await server.client(tenant, device: device, user: "bob")
      #expect(
        try await bob.send("POST", Reports.path(device), body: Self.report(9, user: "bob")).json.unread == 0)
      #expect(isRefused(try await hers.send("POST", Reports.path(device), body: Self.report(10, user: nil))))
      #expect(isRefused(try await hers.send("GET", Reports.path(device, "/inbox"))))
    }
  }

  /// Each operation that a device may call at all.
  @Test(arguments: ["bob", nil] as [String?]) func noRouteServesAnotherUser(_ user: String?) async throws {
    try await withAnn { server, tenant, phone in
      let device = DeviceID(try #require(UUID128(phone.id)))
      let hers = try await server.client(tenant, device: phone.id, user: "ann")
      let other = try await server.client(tenant, device: phone.id, user: user)
      let before = try await TenantRows.of(tenant, in: server)
      let requests = try Endpoint.allCases.filter { $0.credential == .tenantKeyOrDeviceToken }.map {
        try #require(Self.request(to: $0, device), "\($0) is not tried here")
      }
      for (route, body) in requests {
        let answer = try await other.send(route.method, route.target, body: body)
        #expect(isRefused(answer), "\(route.endpoint): \(answer)")
        #expect(!answer.text.contains("confidential"))
      }
      #expect(try await TenantRows.of(tenant, in: server) == before)
      for (route, body) in requests {
        let answer = try await hers.send(route.method, route.target, body: body)
        #expect([200, 201, 204].contains(answer.status), "\(route.endpoint): \(answer)")
      }
    }
  }

  private static func request(to endpoint: Endpoint, _ device: DeviceID) -> (route: Route, body: String?)? {
    let next = NotificationID(unchecked: "next")
    return switch endpoint {
    case .syncDevice: (.syncDevice(device), report(99, user: nil))
    case .getPlan: (.getPlan(device), nil)
    case .explainPlan: (.explainPlan(device, notification: next), nil)
    case .decidePriming: (.decidePriming(device), "{\"action\":\"x\"}")
    case .getInbox: (.getInbox(device, state: .all), nil)
    case .markInbox: (.markInbox(device, .read), "{\"before\":\"2100-01-01T00:00:00Z\"}")
    case .listNotifications: (.listNotifications(device), nil)
    case .putNotification: (.putNotification(device, next), Reports.notification("next", inHours: 5))
    case .getNotification: (.getNotification(device, next), nil)
    case .deleteNotification: (.deleteNotification(device, next), nil)
    default: nil
    }
  }

  /// A token that ann has kept, and a phone that goes from hand to hand, by her doing too: whatever comes in between,
  /// nothing of bob's is answered to her.
  @Test func aSwitchInBetweenOpensNothing() async throws {
    try await TestServer.withTenant { server, tenant in
      let (phone, tablet) = (InboxPhone(server, tenant, user: "ann"), InboxPhone(server, tenant, user: "bob"))
      for device in [phone, tablet] { try await device.sync() }
      try await tablet.put("bobs", at: 60, content: "\"subtitle\":\"of bob\"")
      try await tablet.sync()
      server.clock.advance(seconds: 600)
      #expect(try await tablet.sync().unread == 1)
      let (device, backend) = (phone.id, server.client(tenant))
      let hers = try await server.client(tenant, device: device, user: "ann")
      let rounds = 60
      let switching = Task {
        for round in 0..<rounds {
          let user = round.isMultiple(of: 2) ? "bob" : "ann"
          let put =
            user == "bob" ? ",\"put\":[\(Reports.notification("x", inHours: 3, title: "of bob"))]" : ""
          let answer = try await backend.send(
            "POST", Reports.path(device), body: Self.report(100 + round, user: user, put))
          #expect(answer.status == 200, "\(answer)")
        }
      }
      try await withThrowingTaskGroup(of: [Int].self) { group in
        for (method, rest, body) in [
          ("GET", "/inbox?state=all", nil), ("POST", "/inbox/read", "{\"before\":\"2100-01-01T00:00:00Z\"}"),
          ("GET", "/plan", nil), ("GET", "/notifications", nil), ("GET", "/notifications/x", nil),
        ] as [(String, String, String?)] {
          group.addTask {
            var statuses: [Int] = []
            for _ in 0..<rounds {
              let answer = try await hers.send(method, Reports.path(device, rest), body: body)
              #expect(!answer.text.contains("of bob") && !answer.text.contains("bobs"), "\(rest): \(answer)")
              #expect([200, 403, 404].contains(answer.status), "\(rest): \(answer)")
              if rest.hasPrefix("/inbox"), answer.status == 200 {
                #expect(answer.json["unread"]?.int == 0, "\(rest): \(answer)")
              }
              statuses.append(answer.status)
            }
            return statuses
          }
        }
        let statuses = try await group.reduce(into: Set<Int>()) { $0.formUnion($1) }
        #expect(statuses.isSuperset(of: [200, 403]), "the switch was never met: \(statuses)")
      }
      try await switching.value
      #expect(try await tablet.inbox()["unread"]?.int == 1, "she has read what was bob's")
    }
  }

  @Test func anAnswerThatOneUserWasGivenIsNoneForTheNext() async throws {
    try await withAnn { server, tenant, phone in
      let read = KeyedRequest(
        method: "POST", path: Reports.path(phone.id, "/inbox/seen"),
        body: "{\"before\":\"\(Reports.time(9_000))\"}")
      let hers = try await server.client(tenant, device: phone.id, user: "ann")
      let first = try await read.send("k", by: hers)
      #expect(first.json["unread"]?.int == 1, "\(first)")
      phone.user = "bob"
      try await phone.sync()
      let bob = try await server.client(tenant, device: phone.id, user: "bob")
      let again = try await read.send("k", by: bob)
      #expect(again.status == 422 && again.json["code"]?.string == "idempotencyKeyReused", "\(again)")
    }
  }

  @Test func aForksTokenIsForTheSameUser() async throws {
    try await TestServer.withTenant { server, tenant in
      let device = Reports.newDevice()
      func report(_ key: String) -> String {
        "{\"sequence\":1,\"device\":{\"deviceKey\":\"\(key)\",\"userId\":\"ann\",\"timeZone\":\"Europe/Istanbul\"}}"
      }
      let client = try await server.client(tenant, device: device, user: "ann")
      _ = try await client.send("POST", Reports.path(device), body: report("phone 1"))
      let forked = try await client.send("POST", Reports.path(device), body: report("phone 2"))
      let id = try #require(forked.json["deviceId"]?.string)
      let copy = HTTPTestClient(port: server.port, key: try #require(forked.json["deviceToken"]?.string))
      #expect(try await copy.send("GET", Reports.path(id, "/inbox")).status == 200)
      #expect(isRefused(try await copy.send("POST", Reports.path(id), body: Self.report(2, user: "bob"))))
    }
  }

  /// Without the claim it is as ever: the device is believed.
  @Test func aTokenThatIsNoUsersServesWhoeverIsReported() async throws {
    try await withAnn { server, tenant, _ in
      let device = Reports.newDevice()
      let client = try await server.client(tenant, device: device)
      for (sequence, user, unread) in [(1, "ann", 1), (2, "bob", 0), (3, "", 0), (4, "ann", 1)] {
        let answer = try await client.send(
          "POST", Reports.path(device), body: Self.report(sequence, user: user))
        #expect(answer.status == 200 && answer.json.unread == unread, "\(user): \(answer)")
      }
    }
  }

  @Test(
    arguments: [
      ("{\"userId\":\"ann\"}", 200, "ann"), ("{\"userId\":null,\"ttl\":60}", 200, ""),
      ("{\"userId\":\"\"}", 200, ""),
      ("{}", 200, nil), ("{\"userId\":7}", 400, nil), ("{\"userId\":[\"ann\"]}", 400, nil),
      ("{\"userId\":\"a\\u0000\"}", 422, nil),
      ("{\"userId\":\"\(String(repeating: "u", count: 257))\"}", 422, nil),
      ("{\"userId\":\"\(String(repeating: "\\\"", count: 256))\"}", 200, String(repeating: "\"", count: 256)),
      ("{\"user\":\"ann\"}", 422, nil),
    ] as [(String, Int, String?)])
  func theUserIsOneThatADeviceCouldReport(_ body: String, _ status: Int, _ user: String?) async throws {
    try await TestServer.withTenant { server, tenant in
      let device = Reports.newDevice()
      let answer = try await server.client(tenant).send("POST", Reports.path(device, "/token"), body: body)
      #expect(answer.status == status, "\(answer)")
      guard status == 200 else { return }
      let text = try #require(answer.json["token"]?.string)
      #expect(text.utf8.count <= DeviceToken.maximumBytes)
      let claims = try #require(DeviceToken(text)?.claims())
      #expect(claims.user?.id == user)
      guard let user else { return }
      var writer = JSONWriter()
      writer.object { writer in
        writer.member("sequence", 1)
        writer.name("device")
        writer.object { $0.member("userId", user) }
      }
      let report = try await HTTPTestClient(port: server.port, key: text).send(
        "POST", Reports.path(device), body: String(decoding: writer.bytes, as: UTF8.self))
      #expect(report.status == 200, "\(report)")
    }
  }
}

extension TestServer {
  /// A client with a token for one user; nil: nobody.
  func client(_ tenant: TestTenant, device: String, user: String?) async throws -> HTTPTestClient {
    let body = "{\"userId\":\(user.map { "\"\($0)\"" } ?? "null")}"
    let answer = try await client(tenant).send("POST", Reports.path(device, "/token"), body: body)
    return HTTPTestClient(port: port, key: try #require(answer.json["token"]?.string, "\(answer)"))
  }
}
