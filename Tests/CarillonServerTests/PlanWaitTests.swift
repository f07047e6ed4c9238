import CarillonClient
import Foundation
import IntegrationSupport
import Testing

/// `GET …/plan?wait=N`
@Suite(.timeLimit(.minutes(1))) struct PlanWaitTests {
  private struct Phone: Sendable {
    let client: HTTPTestClient
    var id = Reports.newDevice()

    func put(_ name: String) async throws {
      let answer = try await client.send(
        "PUT", Reports.path(id, "/notifications/\(name)"),
        body: Reports.notification(name, inHours: 5))
      try #require(answer.status < 300, "\(answer)")
    }

    func plan(_ tag: String?, wait: Int? = nil) async throws -> HTTPTestClient.Response {
      try await client.send(
        "GET", Reports.path(id, "/plan" + (wait.map { "?wait=\($0)" } ?? "")),
        headers: tag.map { [("If-None-Match", $0)] } ?? [])
    }

    /// Of a plan that stays as it is unless somebody changes it.
    func tag() async throws -> String {
      _ = try await plan(nil)
      return try #require(try await plan(nil).header("ETag"))
    }
  }

  private func makePhone(_ server: TestServer) async throws -> Phone {
    let phone = Phone(client: server.client(try await server.makeTenant()))
    try await phone.put("a")
    return phone
  }

  private func until(_ server: TestServer, wait count: Int) async {
    while server.waitingForPlans != count { await Task.yield() }
  }

  @Test func anotherPlanIsAnsweredAtOnce() async throws {
    try await TestServer.with { server in
      let phone = try await makePhone(server)
      let tag = try await phone.tag()
      try await phone.put("b")
      #expect(try await phone.plan(tag, wait: 60).status == 200)
      // Nothing is known: there is nothing to wait for.
      #expect(try await phone.plan(nil, wait: 60).status == 200)
      #expect(try await phone.plan(tag, wait: 61).status == 400)
    }
  }

  @Test func theSamePlanIsAnsweredWhenTheTimeIsUp() async throws {
    try await TestServer.with { server in
      let phone = try await makePhone(server)
      let tag = try await phone.tag()
      let clock = ContinuousClock.now
      #expect(try await phone.plan(tag, wait: 1).status == 304)
      #expect(ContinuousClock.now - clock >= .seconds(1))
      #expect(try await phone.plan(tag, wait: 0).status == 304)
    }
  }

  /// Each kind of write, on whichever loop it comes in.
  @Test(arguments: ["put", "delete", "batch", "sync", "policy"]) func aWriteWakesWhoWaits(
    _ kind: String
  ) async throws {
    try await TestServer.with { server in
      let phone = try await makePhone(server)
      let tag = try await phone.tag()
      let waiting = Task { try await phone.plan(tag, wait: 60) }
      await until(server, wait: 1)
      let answer =
        switch kind {
        case "put":
          try await phone.client.send(
            "PUT", Reports.path(phone.id, "/notifications/b"), body: Reports.notification("b", inHours: 5))
        case "delete": try await phone.client.send("DELETE", Reports.path(phone.id, "/notifications/a"))
        case "batch":
          try await phone.client.send(
            "POST", "/v1/notifications",
            body: Reports.batch(phone.id, [Reports.notification("b", inHours: 5)]))
        case "sync":
          try await phone.client.send(
            "POST", Reports.path(phone.id), body: Reports.full(sequence: 1))
        default: try await phone.client.send("PUT", "/v1/policy", body: "{\"slots\":3}")
        }
      #expect((200...299).contains(answer.status), "\(answer)")
      let news = try await waiting.value
      #expect(news.status == 200 && news.header("ETag") != tag)
      await until(server, wait: 0)
    }
  }

  @Test func aChangeThroughAnotherServerIsSeen() async throws {
    try await TestServer.with { server in
      let phone = try await makePhone(server)
      let tag = try await phone.tag()
      let waiting = Task { try await phone.plan(tag, wait: 60) }
      await until(server, wait: 1)
      try await TestServer.with(database: server.database) { other in
        try await Phone(client: HTTPTestClient(port: other.port, key: phone.client.key), id: phone.id).put(
          "b")
        #expect(try await waiting.value.status == 200)
      }
    }
  }

  /// What was asked with a right that is gone is not answered, however long ago it was asked.
  @Test(arguments: [("revoked", 401), ("suspended", 403)]) func whoWaitsMustStillBeAllowedTo(
    _ loss: String, _ status: Int
  ) async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let phone = Phone(client: server.client(tenant))
      try await phone.put("a")
      let tag = try await phone.tag()
      let waiting = Task { try await phone.plan(tag, wait: 60) }
      await until(server, wait: 1)
      if loss == "revoked" {
        try await tenant.revokeKey(in: server.database, at: server.clock.now)
      } else {
        _ = try await server.database.column(
          "UPDATE carillon.tenants SET status = 'suspended' WHERE tenant_id = '\(tenant.id.text)' RETURNING ''"
        )
      }
      #expect(try await waiting.value.status == status)
      await until(server, wait: 0)
    }
  }

  @Test func aServerThatStopsAnswersWhoWaits() async throws {
    let waiting = try await TestServer.with { server in
      let phone = try await makePhone(server)
      let tag = try await phone.tag()
      let waiting = (0..<3).map { _ in Task { try await phone.plan(tag, wait: 60).status } }
      await until(server, wait: 3)
      return waiting
    }
    for task in waiting { #expect(try await task.value == 304) }
  }

  @Test func oneTooManyDoesNotWait() async throws {
    let waiting = try await TestServer.with { server in
      let phone = try await makePhone(server)
      let tag = try await phone.tag()
      let waiting = (0..<4).map { _ in Task { try await phone.plan(tag, wait: 60).status } }
      await until(server, wait: 4)
      #expect(try await phone.plan(tag, wait: 60).status == 304)
      #expect(server.waitingForPlans == 4)
      return waiting
    }
    for task in waiting { #expect(try await task.value == 304) }
  }
}
