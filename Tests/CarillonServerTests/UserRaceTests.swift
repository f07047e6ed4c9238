import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// A batch finds a user's phone; before its put is written, somebody else has signed in there.
@Suite struct UserRaceTests {
  struct Row: CustomTestStringConvertible, Sendable {
    var next: String
    var hasTablet = false
    var testDescription: String {
      "\(next.isEmpty ? "nobody" : next) instead of ann\(hasTablet ? ", who has a tablet too" : "")"
    }
  }

  @Test(
    "21 what is meant for a user is nobody else's, though found in time",
    arguments: [Row(next: "bob"), Row(next: ""), Row(next: "bob", hasTablet: true)])
  func switchOvertakesBatch(_ row: Row) async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant, user: "ann")
      try await phone.sync()
      try await phone.put("hers", at: 3_600)
      #expect(try await phone.sync().added == ["hers"])
      let tablet = InboxPhone(server, tenant, user: "ann")
      if row.hasTablet { try await tablet.sync() }
      let (client, path) = (phone.client, Reports.path(phone.id))
      let put = Reports.notification("secret", inHours: 2)
      let batch = """
        {"operations":[{"op":"put","userId":"ann","notification":\(put)},
                       {"op":"cancel","userId":"ann","id":"hers"},
                       {"op":"put","deviceId":"\(phone.id)","notification":\(Reports.notification("any", inHours: 3))}]}
        """

      // The switch stops inside its transaction: the new user is written, the plan is not yet.
      let gate = LockGate()
      let (database, device) = (server.database!, phone.id)
      async let holding: Void = gate.hold(
        "SELECT version FROM carillon.plans WHERE device_id = '\(device)' FOR UPDATE",
        in: database.superuserConninfo)
      defer { gate.open() }
      await gate.held()
      async let switched = client.send(
        "POST", path, body: "{\"sequence\":9,\"device\":{\"userId\":\"\(row.next)\"}}")
      try await LockGate.untilWaiting(1, asking: database.column)
      // The batch still finds ann there, and stops at the device's lock.
      let request = KeyedRequest(method: "POST", path: "/v1/notifications", body: batch)
      async let answer = request.send("k", by: client)
      try await LockGate.untilWaiting(2, asking: database.column)
      gate.open()
      try await holding

      #expect(try await switched.status == 200)
      let first = try await answer
      let results = first.json["results"]?.array ?? []
      if row.hasTablet {
        #expect(results.map { $0["status"] } == ["stored", "unchanged", "stored"], "\(results)")
      } else {
        let problems = results.map { $0["problem"]?["code"] ?? .null }
        #expect(problems == ["userNotFound", "userNotFound", .null], "\(results)")
      }
      let queue = try await database.column(
        "SELECT notification_id FROM carillon.notifications WHERE device_id = '\(device)' ORDER BY 1")
      // Who signs out leaves what is hers asleep.
      #expect(queue == (row.next.isEmpty ? ["any", "hers"] : ["any"]))

      // What came too late is not done later under the same key: not even when ann is back and found again.
      let again = try await request.send("k", by: client)
      #expect(again.essence == first.essence && again.isReplay, "\(again)")
      _ = try await client.send("POST", path, body: "{\"sequence\":10,\"device\":{\"userId\":\"ann\"}}")
      let last = try await request.send("k", by: client)
      #expect(last.essence == first.essence && last.isReplay, "\(last)")
    }
  }

  /// The phone is erased while the batch stops before it: it does not come back as a shell.
  @Test("21 what is meant for a user makes no device") func eraseOvertakesBatch() async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant, user: "ann")
      try await phone.sync()
      let (client, database, path) = (phone.client, server.database!, Reports.path(phone.id, ""))
      let batch = """
        {"operations":[{"op":"put","userId":"ann","notification":\(Reports.notification("secret", inHours: 2))}]}
        """
      let gate = LockGate()
      async let holding: Void = gate.hold(
        "SELECT version FROM carillon.plans FOR UPDATE", in: database.superuserConninfo)
      defer { gate.open() }
      await gate.held()
      async let erased = client.send("DELETE", path)
      try await LockGate.untilWaiting(1, asking: database.column)
      async let answer = client.send("POST", "/v1/notifications", body: batch)
      try await LockGate.untilWaiting(2, asking: database.column)
      gate.open()
      try await holding
      #expect(try await erased.status == 204)
      let results = try await answer.json["results"]?.array ?? []
      #expect(results.map { $0["problem"]?["code"] } == ["userNotFound"], "\(results)")
      #expect(try await database.column("SELECT count(*)::text FROM carillon.devices") == ["0"])
    }
  }
}
