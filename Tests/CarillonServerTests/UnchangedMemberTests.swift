import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// A member that a report leaves out is unchanged: what was said before still holds.
@Suite struct UnchangedMemberTests {
  @Test func pendingAndForeignStayAsTheyWereReported() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      var mirror = DeviceMirror()
      let first = try await client.send(
        "POST", Reports.path(device),
        body: Reports.full(sequence: 1, foreign: 10, extra: ",\"put\":[\(Reports.queue(70))]"))
      #expect(first.json.added.count == 54)
      mirror.apply(first.json)
      _ = try await client.send(
        "POST", Reports.path(device), body: Reports.full(sequence: 2, pending: mirror.pending, foreign: 10))

      let terse = try await client.send("POST", Reports.path(device), body: "{\"sequence\":3}")
      #expect(terse.json.added == [] && terse.json.removed == [], "\(terse)")
      #expect(terse.json["slots"]?["foreign"]?.int == 10)
      let plan = try await client.send("GET", Reports.path(device, "/plan"))
      #expect(plan.json["capacity"]?.int == 54)
      #expect(plan.json.added == [])
      #expect(plan.json["version"]?.int == first.json["planVersion"]?.int)
      // A stale report's own foreign count decides what it is told to hold.
      let stale = try await client.send(
        "POST", Reports.path(device), body: Reports.full(sequence: 1, pending: "[]", foreign: 20))
      #expect(stale.json["stale"]?.bool == true && stale.json.added.count == 44)
    }
  }

  /// What was once sent is ours, also when it is pending without a revision and has left the queue.
  @Test func whatWasSentIsRemovedThoughItLostItsRevision() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      _ = try await client.send(
        "POST", Reports.path(device),
        body: Reports.full(sequence: 1, extra: ",\"put\":[\(Reports.notification("a", inHours: 1))]"))
      _ = try await client.send("DELETE", Reports.path(device, "/notifications/a"))
      _ = try await client.send("GET", Reports.path(device, "/plan"))
      let answer = try await client.send(
        "POST", Reports.path(device),
        body: Reports.full(sequence: 2, pending: "[{\"id\":\"a\"},{\"id\":\"somebody.else\"}]"))
      #expect(answer.json.removed == ["a"])
      #expect(answer.json["slots"]?["foreign"]?.int == 1)
    }
  }

  @Test func aTagDoesNotHoldOverAnotherDiff() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      var mirror = DeviceMirror()
      let first = try await client.send(
        "POST", Reports.path(device), body: Reports.full(sequence: 1, extra: ",\"put\":[\(Reports.queue(2))]")
      )
      mirror.apply(first.json)
      let before = try await client.send("GET", Reports.path(device, "/plan"))
      #expect(before.json.added.count == 2)
      _ = try await client.send(
        "POST", Reports.path(device), body: Reports.full(sequence: 2, pending: mirror.pending))
      let after = try await client.send(
        "GET", Reports.path(device, "/plan"),
        headers: [("If-None-Match", try #require(before.header("ETag")))])
      #expect(after.status == 200 && after.json.added == [])
      #expect(after.json["version"]?.int == before.json["version"]?.int)
    }
  }
}

/// What a report asks for and cannot have is told item by item.
@Suite struct RefusedPutTests {
  @Test func aPutThatCanNeverFireIsRejectedByItself() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let never = """
        {"id":"never","content":{"title":"x"},"trigger":{"kind":"calendar","repeats":true,
         "components":{"year":2018,"month":6,"day":21,"hour":8}}}
        """
      let broken =
        "{\"id\":\"broken\",\"content\":{},\"trigger\":{\"kind\":\"instant\",\"at\":\"2026-12-01T08:00:00Z\"}}"
      let body = Reports.full(
        sequence: 1, extra: ",\"put\":[\(broken),\(Reports.notification("good", inHours: 1)),\(never)]")
      let answer = try await client.send("POST", Reports.path(device), body: body)
      #expect(answer.json.added == ["good"])
      let rejected = answer.json["rejected"]?.array ?? []
      #expect(rejected.compactMap { $0["id"]?.string } == ["broken", "never"])
      #expect(rejected.last?["pointer"]?.string?.hasPrefix("/put/2/trigger") == true, "\(answer)")
      #expect(rejected.last?["code"]?.string == "canNeverFire")
      // The answer was lost: its repetition still says what was refused.
      let again = try await client.send("POST", Reports.path(device), body: body)
      #expect(again.json["stale"]?.bool == true)
      #expect(again.json["rejected"]?[0]?["id"]?.string == "broken")
    }
  }

  @Test func aFullQueueRefusesTheSurplusAndTakesTheReport() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let batch = Reports.batch(device, (0..<1_000).map { Reports.notification("n.\($0)", inHours: $0 + 1) })
      #expect(try await client.send("POST", "/v1/notifications", body: batch).status == 200)
      let one = try await client.send(
        "PUT", Reports.path(device, "/notifications/surplus"),
        body: Reports.notification("surplus", inHours: 1))
      #expect(one.status == 422 && one.json["code"]?.string == "queueFull")
      let answer = try await client.send(
        "POST", Reports.path(device),
        body: Reports.full(sequence: 1, extra: ",\"put\":[\(Reports.notification("surplus", inHours: 1))]"))
      #expect(answer.status == 200 && answer.json.added.count == 64)
      #expect(answer.json["rejected"]?[0]?["code"]?.string == "queueFull")
    }
  }

  /// A one-time time long past is accepted, expired, and still there to be asked about.
  @Test func whatIsPutLongAfterItsTimeIsExpiredAndKept() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let old =
        "{\"content\":{\"title\":\"x\"},\"trigger\":{\"kind\":\"instant\",\"at\":\"2020-01-01T00:00:00Z\"}}"
      let path = Reports.path(device, "/notifications/old")
      #expect(try await client.send("PUT", path, body: old).status == 201)
      let answer = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 1))
      #expect(answer.json.added == [])
      let shown = try await client.send("GET", path)
      #expect(shown.status == 200 && shown.json["state"]?.string == "expired")
      server.clock.advance(seconds: 31 * 86_400)
      try await server.ageWhatIsKept()
      // It leaves with the next plan that is made; a report without news makes none.
      _ = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 2, foreign: 1))
      #expect(try await client.send("GET", path).status == 404)
    }
  }

  @Test func methodsThatAreNotServedAreNotAllowed() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let answer = try await client.send("PATCH", Reports.path(Reports.newDevice(), ""))
      #expect(answer.status == 405 && answer.header("Allow") == "HEAD, GET, DELETE")
    }
  }
}
