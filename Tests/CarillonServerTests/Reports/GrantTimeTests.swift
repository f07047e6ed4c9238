import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

/// The way to a yes: who was shown the app's screen, and how long devices take.
@Suite struct GrantTimeTests {
  /// Who comes with the permission was not won over.
  @Test func onlyWhoWasSeenUndecidedTookAnyTime() async throws {
    // Days that are over by the clock of whoever counts them, too.
    try await TestServer.with(now: Instant("2026-05-11T10:00:00Z")!) { server in
      let tenant = try await server.makeTenant()
      let client = server.client(tenant)
      func sync(_ device: String, _ sequence: Int, _ status: String) async throws {
        let body = "{\"sequence\":\(sequence),\"authorizationStatus\":\"\(status)\"}"
        #expect(try await client.send("POST", Reports.path(device), body: body).status == 200)
      }
      let day = server.clock.now.utcDay
      try await sync(Reports.device(1), 1, "authorized")
      try await sync(Reports.device(2), 1, "notDetermined")
      try await sync(Reports.device(3), 1, "provisional")
      server.clock.advance(seconds: 90)
      for number in 1...3 { try await sync(Reports.device(number), 2, "authorized") }
      server.clock.move(to: day.adding(days: 2).startInUTC)
      try await rollUp(tenant.name, from: day, to: day, server.database.conninfo(.operator))
      let answer = try await client.send("GET", "/v1/reports/priming?from=\(day)&to=\(day)")
      let item = try #require(answer.json["items"]?[0], "\(answer)")
      #expect(item["answers"]?["granted"] == 3)
      #expect(item["secondsToGrant"] == [["below": 300, "devices": 2]])
    }
  }

  /// An answer on the app's own screen proves that it was shown, also where a device does not tell of that; the first
  /// time counts, and each device once.
  @Test func whoAnsweredWasPrimed() async throws {
    try await TestServer.with(now: Instant("2026-05-11T10:00:00Z")!) { server in
      let tenant = try await server.makeTenant()
      let client = server.client(tenant)
      var events = 0
      func sync(_ number: Int, _ sequence: Int, _ kinds: [String]) async throws {
        let list = kinds.map { kind in
          events += 1
          return "{\"id\":\"e\(events)\",\"kind\":\"\(kind)\",\"at\":\"\(server.clock.now)\"}"
        }
        let body = """
          {"sequence":\(sequence),"sentAt":"\(server.clock.now)","authorizationStatus":"notDetermined",
           "events":[\(list.joined(separator: ","))]}
          """
        #expect(
          try await client.send("POST", Reports.path(Reports.device(number)), body: body).status == 200)
      }
      let first = server.clock.now.utcDay
      try await sync(1, 1, ["primingAccepted"])
      try await sync(2, 1, ["primingPostponed"])
      try await sync(3, 1, ["primingShown", "primingAccepted"])
      try await sync(4, 1, [])
      server.clock.advance(seconds: 86_400)
      try await sync(1, 2, ["primingShown"])
      try await sync(2, 2, ["primingPostponed", "primingAccepted"])
      try await sync(4, 2, ["primingAccepted"])
      server.clock.move(to: first.adding(days: 3).startInUTC)
      let last = first.adding(days: 1)
      try await rollUp(tenant.name, from: first, to: last, server.database.conninfo(.operator))
      let answer = try await client.send("GET", "/v1/reports/authorization?from=\(first)&to=\(last)")
      let primed = answer.json["items"]?.array?.map { $0["funnel"]?["primed"]?.int }
      #expect(primed == [3, 4], "\(answer)")
    }
  }
}
