import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

/// With two tenants, every endpoint is tried with the other's key, device id and notification id.
@Suite struct IsolationTests {
  /// What a request to each endpoint looks like when it asks for somebody else's device.
  private func request(
    to endpoint: Endpoint, device: DeviceID, notification: NotificationID
  ) -> (route: Route, body: String?)? {
    switch endpoint {
    case .syncDevice: (.syncDevice(device), Reports.full(sequence: 99))
    case .getPlan: (.getPlan(device), nil)
    case .explainPlan: (.explainPlan(device, notification: notification), nil)
    case .eraseDevice: (.eraseDevice(device), nil)
    case .mintDeviceToken: (.mintDeviceToken(device), "{}")
    case .decidePriming: (.decidePriming(device), "{\"action\":\"reminder.created\"}")
    case .getInbox: (.getInbox(device, state: .all), nil)
    case .markInbox: (.markInbox(device, .archive), "{\"before\":\"2100-01-01T00:00:00Z\"}")
    case .getDevice: (.getDevice(device), nil)
    case .listDeviceChanges: (.listDeviceChanges(device), nil)
    case .listDeliveries: (.listDeliveries(device), nil)
    case .listNotifications: (.listNotifications(device), nil)
    case .putNotification:
      (.putNotification(device, notification), Reports.notification(notification.text, inHours: 9))
    case .getNotification: (.getNotification(device, notification), nil)
    case .deleteNotification: (.deleteNotification(device, notification), nil)
    case .listDevices: (.listDevices(), nil)
    case .batchNotifications:
      (
        .batchNotifications,
        Reports.batch(device.uuid.description, [Reports.notification("theirs", inHours: 9)])
      )
    case .getPolicy: (.getPolicy(), nil)
    case .putPolicy: (.putPolicy, "{\"slots\":7}")
    case .listPolicyVersions: (.listPolicyVersions(), nil)
    case .previewPolicy:
      (.previewPolicy, "{\"policy\":{\"slots\":7},\"deviceId\":\"\(device.text)\"}")
    case .getReport: (.getReport(.delivery), nil)
    default: nil
    }
  }

  /// Everything that is not the owner of the device, with what it may be answered where the request is about one.
  private struct Attacker {
    var name: String
    var client: HTTPTestClient
    /// 401: as no credential at all. 403: as one that does not reach that far. 404: as one to whom it is not there.
    var answers: (Endpoint) -> Set<Int>
  }

  private func attackers(
    _ server: TestServer, owner: TestTenant, stranger: TestTenant, device: String
  ) async throws -> [Attacker] {
    func token(_ text: String) -> HTTPTestClient { HTTPTestClient(port: server.port, key: text) }
    let own = try await server.token(owner, device: device)
    let expired = try await TokenForge(owner, in: server).token(
      device: device, tenant: owner, now: server.clock.now, expiresIn: 0)
    let sibling = try await server.token(owner, device: Reports.newDevice())
    let elsewhere = try await server.token(stranger, device: Reports.newDevice())
    let namesake = try await server.token(stranger, device: device)
    let forged = try await TokenForge.forgeries(
      of: own, device: device, owner: owner, stranger: stranger, in: server)
    var attackers = [
      Attacker(name: "nobody", client: server.client) { _ in [401] },
      Attacker(name: "an expired token", client: token(expired)) { _ in [401] },
      Attacker(name: "a key that is none", client: token("ck_nobody_nothing")) { _ in [401] },
      Attacker(name: "another device of the tenant", client: token(sibling)) { _ in [403] },
      Attacker(name: "another tenant's device", client: token(elsewhere)) { _ in [403] },
      Attacker(name: "another tenant's device of the same id", client: token(namesake)) {
        $0.credential == .tenantKey ? [403] : [404]
      },
      Attacker(name: "another tenant's key", client: server.client(stranger)) { _ in [403, 404] },
    ]
    attackers += forged.map { forgery in
      Attacker(name: forgery.name, client: token(forgery.token)) { _ in [401] }
    }
    return attackers
  }

  @Test func nothingOfOneTenantReachesAnother() async throws {
    try await TestServer.with { server in
      let owner = try await server.makeTenant()
      let stranger = try await server.makeTenant()
      let device = DeviceID(try #require(UUID128(Reports.newDevice())))
      let secret = NotificationID(unchecked: "secret.1")
      let mine = server.client(owner)
      let put = try await mine.send(
        "POST", Reports.path(device.text),
        body: Reports.full(
          sequence: 1,
          extra: ",\"put\":[\(Reports.notification("secret.1", inHours: 1, title: "Confidential"))]"))
      try #require(put.status == 200)
      _ = try await mine.send("PUT", "/v1/policy", body: "{\"slots\":33}")
      let attackers = try await attackers(server, owner: owner, stranger: stranger, device: device.text)
      let before = try await TenantRows.of(owner, in: server)
      #expect(before.count >= 8)

      let served = Endpoint.allCases.filter { $0.listener == .public }
      for endpoint in served.filter({ !makesItsOwn($0) }) + served.filter(makesItsOwn) {
        let attack = try #require(
          request(to: endpoint, device: device, notification: secret),
          "\(endpoint) has no attack here: add one")
        for attacker in attackers {
          let query = attack.route.query.map { "&\($0)" } ?? ""
          let path = attack.route.path + "?tenant_id=\(owner.id.uuid)" + query
          for target in [attack.route.target, path] {
            let answer = try await attacker.client.send(
              endpoint.method.rawValue, target, headers: [("X-Tenant-Id", owner.id.uuid.description)],
              body: attack.body)
            let comment: Comment = "\(endpoint) by \(attacker.name): \(answer.status)"
            #expect(!answer.text.contains("Confidential") && !answer.text.contains(owner.name), comment)
            let allowed = attacker.answers(endpoint)
            if allowed.contains(401) || allowed == [403] {
              #expect(allowed.contains(answer.status), comment)
            } else if attack.route.device != nil, !makesItsOwn(endpoint) {
              #expect(allowed.contains(answer.status), comment)
            }
          }
        }
      }
      #expect(try await TenantRows.of(owner, in: server) == before)
      let policy = try await mine.send("GET", "/v1/policy")
      #expect(policy.text == "{\"slots\":33}")
    }
  }

  /// A device id is free for each tenant to use: these make the caller's own device of that id, or a token for it, so
  /// they come last.
  private func makesItsOwn(_ endpoint: Endpoint) -> Bool {
    [.syncDevice, .putNotification, .batchNotifications, .mintDeviceToken].contains(endpoint)
  }

  /// The device's own token: it reaches what is a device's to do, and nothing else of its tenant.
  @Test func aDeviceReachesNothingButItself() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let device = DeviceID(try #require(UUID128(Reports.newDevice())))
      let own = NotificationID(unchecked: "own")
      let client = try await server.client(tenant, device: device.text)
      let put = "[\(Reports.notification("own", inHours: 1))]"
      _ = try await client.send(
        "POST", Reports.path(device.text), body: Reports.full(sequence: 1, extra: ",\"put\":\(put)"))
      for endpoint in Endpoint.allCases where endpoint.listener == .public {
        let wanted = try #require(request(to: endpoint, device: device, notification: own))
        let answer = try await client.send(
          endpoint.method.rawValue, wanted.route.target, body: wanted.body)
        if endpoint.credential == .tenantKey {
          #expect(answer.status == 403, "\(endpoint): \(answer)")
          #expect(answer.json["code"]?.string == "insufficientScope", "\(endpoint)")
        } else {
          #expect([200, 201, 204].contains(answer.status), "\(endpoint): \(answer)")
        }
      }
    }
  }

  /// A key is remembered for less than a second, in which its tenant may be deleted: the server answers as if the
  /// tenant had nothing, and stays.
  @Test func aTenantThatIsDeletedUnderARequestDoesNoHarm() async throws {
    try await TestServer.with(loops: 1) { server in
      let device = DeviceID(try #require(UUID128(Reports.newDevice())))
      for endpoint in Endpoint.allCases where endpoint.listener == .public {
        let tenant = try await server.makeTenant()
        let client = server.client(tenant)
        let put = "[\(Reports.notification("a", inHours: 1))]"
        let warm = try await client.send(
          "POST", Reports.path(device.text), body: Reports.full(sequence: 1, extra: ",\"put\":\(put)"))
        try #require(warm.status == 200)
        _ = try await server.database.column(
          "DELETE FROM carillon.tenants WHERE tenant_id = '\(tenant.id.text)'")
        let wanted = try #require(
          request(to: endpoint, device: device, notification: NotificationID(unchecked: "a")))
        let answer = try await client.send(
          endpoint.method.rawValue, wanted.route.target, body: wanted.body)
        #expect([200, 401, 404].contains(answer.status), "\(endpoint): \(answer)")
      }
      #expect(server.log.all.filter { $0.contains("request failed") } == [])
    }
  }

  @Test func aStrangerFindsNoDeviceAndNoNotification() async throws {
    try await TestServer.with { server in
      let owner = try await server.makeTenant()
      let stranger = try await server.makeTenant()
      let device = Reports.newDevice()
      _ = try await server.client(owner).send(
        "PUT", Reports.path(device, "/notifications/a"), body: Reports.notification("a", inHours: 1))
      for (method, rest) in [
        ("GET", ""), ("GET", "/plan"), ("GET", "/notifications"), ("GET", "/notifications/a"),
        ("DELETE", "/notifications/a"),
      ] {
        let answer = try await server.client(stranger).send(method, Reports.path(device, rest))
        #expect(answer.status == 404, "\(method) \(rest): \(answer)")
      }
    }
  }

  @Test func aRevokedKeyIsRefusedWithinASecond() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let client = server.client(tenant)
      #expect(try await client.send("GET", "/v1/policy").status == 200)
      try await tenant.revokeKey(in: server.database, at: server.clock.now)
      let clock = ContinuousClock()
      let revoked = clock.now
      var last = revoked
      while try await client.send("GET", "/v1/policy").status == 200 {
        last = clock.now
        try #require(last - revoked < .seconds(10), "the key still works")
      }
      #expect(last - revoked < .seconds(1))
    }
  }

  @Test(arguments: [
    (KeyScope.devices, "/v1/policy", 403), (.policy, "/v1/policy", 200), (.policy, "/v1/devices", 403),
    (.devices, "/v1/devices", 200),
  ])
  func aKeyReachesWhatItsScopesName(_ scope: KeyScope, _ path: String, _ status: Int) async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant(scopes: [scope])
      let answer = try await server.client(tenant).send("GET", path)
      #expect(answer.status == status)
      if status == 403 { #expect(answer.json["code"]?.string == "insufficientScope") }
    }
  }
}
