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
      (.previewPolicy, "{\"policy\":{\"slots\":0},\"deviceId\":\"\(device.text)\"}")
    case .getReport: (.getReport(.delivery), nil)
    default: nil
    }
  }

  @Test func nothingOfOneTenantReachesAnother() async throws {
    try await TestServer.with { server in
      let owner = try await server.makeTenant()
      let stranger = try await server.makeTenant()
      let device = DeviceID(try #require(UUID128(Reports.newDevice())))
      let secret = NotificationID(unchecked: "secret.1")
      let mine = server.client(owner)
      let put = try await mine.send(
        "POST", Reports.path(device.uuid.description),
        body: Reports.full(
          sequence: 1,
          extra: ",\"put\":[\(Reports.notification("secret.1", inHours: 1, title: "Confidential"))]"))
      try #require(put.status == 200)
      _ = try await mine.send("PUT", "/v1/policy", body: "{\"slots\":33}")
      let tables = """
        SELECT (SELECT string_agg(t::text, '|' ORDER BY t::text) FROM carillon.notifications t
                WHERE tenant_id = '\(owner.id.uuid)')
            || (SELECT string_agg(p::text, '|' ORDER BY p::text) FROM carillon.policies p
                WHERE tenant_id = '\(owner.id.uuid)')
        """
      let before = try await server.database.column(tables)

      let served = Endpoint.allCases.filter { $0.isServed && $0.listener == .public }
      for endpoint in served.filter({ !makesItsOwn($0) }) + served.filter(makesItsOwn) {
        let attack = try #require(
          request(to: endpoint, device: device, notification: secret),
          "\(endpoint) has no attack here: add one")
        for client in [server.client(stranger), server.client] {
          let query = attack.route.query.map { "&\($0)" } ?? ""
          let path = attack.route.path + "?tenant_id=\(owner.id.uuid)" + query
          for target in [attack.route.target, path] {
            let answer = try await client.send(
              endpoint.method.rawValue, target, headers: [("X-Tenant-Id", owner.id.uuid.description)],
              body: attack.body)
            #expect(!answer.text.contains("Confidential") && !answer.text.contains(owner.name), "\(endpoint)")
            if client.key == nil {
              #expect(answer.status == 401, "\(endpoint): \(answer)")
            } else if attack.route.device != nil, !makesItsOwn(endpoint) {
              #expect([403, 404].contains(answer.status), "\(endpoint): \(answer)")
            }
          }
        }
      }
      #expect(try await server.database.column(tables) == before)
      let policy = try await mine.send("GET", "/v1/policy")
      #expect(policy.text == "{\"slots\":33}")
    }
  }

  /// A device id is free for each tenant to use: these make the caller's own device of that id, so they come last.
  private func makesItsOwn(_ endpoint: Endpoint) -> Bool {
    [.syncDevice, .putNotification, .batchNotifications].contains(endpoint)
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
