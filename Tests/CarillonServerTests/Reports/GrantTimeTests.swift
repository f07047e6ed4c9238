import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

/// How long devices take to say yes.
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
}
