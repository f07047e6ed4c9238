import CarillonJSON
import CarillonModel
import CarillonPostgres
import CarillonStore
import IntegrationSupport
import TestSupport
import Testing

/// A batch that names a user instead of devices.
@Suite struct UserAddressTests {
  private func put(_ id: String, _ user: String) -> String {
    "{\"op\":\"put\",\"userId\":\"\(user)\",\"notification\":\(Reports.notification(id, inHours: 1))}"
  }

  private func send(_ operations: [String], _ client: HTTPTestClient) async throws -> [JSONValue] {
    let body = "{\"operations\":[\(operations.joined(separator: ","))]}"
    let answer = try await client.send("POST", "/v1/notifications", body: body)
    try #require(answer.status == 200, "\(answer)")
    return answer.json["results"]?.array ?? []
  }

  @Test("21 both phones of a user, and nobody else's") func twoDevices() async throws {
    try await IdentityTests.with { server, phone in
      var (one, two, other) = (phone("k1", nil), phone("k2", nil), phone("k3", nil))
      other.user = "v"
      try await one.sync()
      try await two.sync()
      try await other.sync()
      let results = try await send(
        [put("a", "u"), put("b", "u"), put("c", "v"), put("d", "nobody")], one.client)
      #expect(results.map { $0["status"]?.string } == ["stored", "stored", "stored", "rejected"])
      #expect(results[3]["problem"]?["code"]?.string == "userNotFound")
      #expect(try await one.held() == ["a", "b"])
      #expect(try await two.held() == ["a", "b"])
      #expect(try await other.held() == ["c"])
      // One of them has it no more: it is cancelled for the user all the same.
      _ = try await two.client.send("DELETE", Reports.path(two.device, "/notifications/a"))
      let cancelled = try await send(
        ["{\"op\":\"cancel\",\"userId\":\"u\",\"id\":\"a\"}"], one.client)
      #expect(cancelled.map { $0["status"]?.string } == ["cancelled"])
      #expect(try await one.held() == ["b"])
      // A user of another tenant is another user.
      let stranger = server.client(try await server.makeTenant())
      #expect(try await send([put("a", "u")], stranger)[0]["problem"]?["code"]?.string == "userNotFound")
    }
  }

  @Test("21C who signed out is addressed there no more") func signedOut() async throws {
    try await IdentityTests.with { _, phone in
      var one = phone("k1", nil)
      try await one.sync()
      one.user = "v"
      try await one.sync()
      let results = try await send([put("a", "u"), put("b", "v")], one.client)
      #expect(results.map { $0["status"]?.string } == ["rejected", "stored"])
      #expect(try await one.held() == ["b"])
    }
  }

  @Test("an erased device is not addressed, and does not come back") func erased() async throws {
    try await IdentityTests.with { server, phone in
      var (one, two) = (phone("k1", "01"), phone("k2", nil))
      try await one.sync()
      try await two.sync()
      try await server.erase(one.device)
      #expect(try await send([put("a", "u")], two.client).map { $0["status"]?.string } == ["stored"])
      #expect(try await two.held() == ["a"])
      let devices = "SELECT device_id::text FROM carillon.devices"
      #expect(try await server.database.column(devices) == [two.device])
      let claims = "SELECT claim FROM carillon.identity_claims WHERE claim LIKE '%k1' OR claim LIKE '%01'"
      #expect(try await server.database.column(claims) == [])
      try await server.erase(two.device)
      let none = try await send([put("a", "u")], two.client)
      #expect(none[0]["problem"]?["code"]?.string == "userNotFound")
      #expect(try await server.database.column(devices) == [])
    }
  }

  @Test("a hundred devices are written to, one more is refused and none is") func limit() async throws {
    try await IdentityTests.with { server, phone in
      var phones = (0..<101).map { phone("k\($0)", nil) }
      for index in 0..<100 { try await phones[index].sync() }
      #expect(try await send([put("a", "u")], phones[0].client)[0]["status"]?.string == "stored")
      let stored = "SELECT count(*)::text FROM carillon.notifications WHERE notification_id = "
      #expect(try await server.database.column(stored + "'a'") == ["100"])
      try await phones[100].sync()
      let results = try await send([put("b", "u"), put("c", "nobody")], phones[0].client)
      #expect(results[0]["problem"]?["code"]?.string == "tooManyDevices")
      #expect(try await server.database.column(stored + "'b'") == ["0"])
    }
  }
}

extension TestServer {
  /// Erases a device through the store, as a tenant's request would.
  fileprivate func erase(_ device: String) async throws {
    let conninfo = database.conninfo(.app)
    let tenant = try #require(
      try await database.column("SELECT tenant_id::text FROM carillon.devices WHERE device_id = '\(device)'")[
        0
      ]
      .flatMap { TenantID($0) })
    let id = try #require(DeviceID(device))
    let wasThere = try await withLoop { loop in
      let pool = PostgresPool(loop: loop, conninfo: conninfo)
      pool.start()
      let erased = try await Store(pool: pool).eraseDevice(tenant: tenant, device: id)
      await pool.close()
      return erased
    }
    #expect(wasThere)
  }
}
