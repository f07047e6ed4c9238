import CarillonJSON
import CarillonPostgres
import IntegrationSupport
import TestSupport
import Testing

/// A batch under an idempotency key: each device's part is kept with its effect.
@Suite struct KeyedBatchTests {
  private func batch(_ operations: [String]) -> KeyedRequest {
    KeyedRequest(
      method: "POST", path: "/v1/notifications",
      body: "{\"operations\":[\(operations.joined(separator: ","))]}")
  }

  private func put(_ device: String, _ id: String, inHours hours: Int = 1) -> String {
    "{\"op\":\"put\",\"deviceId\":\"\(device)\",\"notification\":\(Reports.notification(id, inHours: hours))}"
  }

  private func cancel(_ device: String, _ id: String) -> String {
    "{\"op\":\"cancel\",\"deviceId\":\"\(device)\",\"id\":\"\(id)\"}"
  }

  private func statuses(_ answer: HTTPTestClient.Response) -> [String] {
    answer.json["results"]?.array?.compactMap { $0["status"]?.string } ?? []
  }

  /// Every kind of outcome, two of them on one id, and operations that are refused before anything is stored.
  @Test func everyOutcomeIsAnsweredAgain() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let (one, two) = (Reports.newDevice(), Reports.newDevice())
      _ = try await client.send(
        "PUT", Reports.path(one, "/notifications/old"), body: Reports.notification("old", inHours: 1))
      _ = try await client.send(
        "PUT", Reports.path(one, "/notifications/same"), body: Reports.notification("same", inHours: 1))
      let never = """
        {"op":"put","deviceId":"\(one)","notification":{"id":"never","content":{"title":"x"},"trigger":{"kind":"calendar","components":{"year":2018,"month":6,"day":21,"hour":8},"repeats":true}}}
        """
      let request = batch([
        put(one, "new"), cancel(one, "old"), put(one, "same"), cancel(one, "nothing"), never,
        put(two, "there"), put(one, "twice"), cancel(one, "twice"), "{\"op\":\"explode\"}",
        "{\"op\":\"put\",\"userId\":\"nobody\",\"notification\":\(Reports.notification("c", inHours: 1))}",
      ])
      let first = try await request.send("k", by: client)
      #expect(
        statuses(first) == [
          "stored", "cancelled", "unchanged", "unchanged", "rejected", "stored", "stored", "cancelled",
          "rejected", "rejected",
        ], "\(first)")
      #expect(!first.isReplay)
      // Somebody undoes it in the meantime.
      for (device, id) in [(one, "new"), (two, "there")] {
        #expect(
          try await client.send("DELETE", Reports.path(device, "/notifications/\(id)")).status == 204)
      }
      let again = try await request.send("k", by: client)
      #expect(again.essence == first.essence)
      #expect(again.isReplay)
      for (device, id) in [(one, "new"), (two, "there")] {
        #expect(
          try await client.send("GET", Reports.path(device, "/notifications/\(id)")).status == 404)
      }
    }
  }

  /// One device cannot be written to for a while: the same batch again does that one, and leaves the other alone.
  @Test func aBatchThatWasCutInHalfIsFinished() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let (open, held) = (Reports.newDevice(), Reports.newDevice())
      for device in [open, held] {
        _ = try await client.send(
          "PUT", Reports.path(device, "/notifications/before"),
          body: Reports.notification("before", inHours: 1))
      }
      let request = batch([put(open, "a"), put(held, "b")])
      let superuser = server.database.superuserConninfo
      let half = try await withLoop { loop in
        let connection = try await PostgresConnection.connect(superuser, on: loop)
        defer { connection.close() }
        return try await connection.transaction {
          _ = try await connection.run(
            sql: "SELECT FROM carillon.device_syncs WHERE device_id = '\(held)' FOR UPDATE")
          return try await request.send("k", by: client)
        }
      }
      #expect(statuses(half) == ["stored", "rejected"], "\(half)")
      #expect(half.json["results"]?[1]?["problem"]?["retryable"]?.bool == true)
      _ = try await client.send("DELETE", Reports.path(open, "/notifications/a"))

      let whole = try await request.send("k", by: client)
      #expect(statuses(whole) == ["stored", "stored"], "\(whole)")
      #expect(!whole.isReplay, "something was done now")
      #expect(try await client.send("GET", Reports.path(open, "/notifications/a")).status == 404)
      #expect(try await client.send("GET", Reports.path(held, "/notifications/b")).status == 200)
      let last = try await request.send("k", by: client)
      #expect(last.isReplay && last.essence == whole.essence)
    }
  }

  /// What was done on a phone is answered again, though its user's operations do not find it any more.
  @Test func aPhoneThatChangedHandsAnswersItsPartAgain() async throws {
    try await TestServer.withTenant { server, tenant in
      let phone = InboxPhone(server, tenant, user: "ann")
      try await phone.sync()
      let tablet = InboxPhone(server, tenant, user: "ann")
      try await tablet.sync()
      let request = batch([
        "{\"op\":\"put\",\"userId\":\"ann\",\"notification\":\(Reports.notification("hers", inHours: 1))}",
        put(phone.id, "any"), cancel(phone.id, "nothing"),
      ])
      let first = try await request.send("k", by: phone.client)
      #expect(statuses(first) == ["stored", "stored", "unchanged"], "\(first)")
      phone.user = "bob"
      try await phone.sync()
      let again = try await request.send("k", by: phone.client)
      #expect(again.essence == first.essence && again.isReplay, "\(again)")
    }
  }

  /// 20 at once over many devices: each device's part is done by one of them.
  @Test func manyDevicesAreWrittenOnce() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let devices = (0..<40).map { _ in Reports.newDevice() }
      let request = batch(devices.map { put($0, "n") })
      let answers = try await withThrowingTaskGroup(of: HTTPTestClient.Response.self) { group in
        for _ in 1...20 { group.addTask { try await request.send("k", by: client) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(Set(answers.map(\.essence)).count == 1)
      #expect(statuses(answers[0]) == Array(repeating: "stored", count: 40))
      let versions = try await server.database.column(
        "SELECT DISTINCT row_version::text FROM carillon.device_syncs")
      #expect(versions == ["1"])
    }
  }
}
