import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// `GET …/plan/explain` on the real server.
@Suite struct ExplainTests {
  private func explain(
    _ client: HTTPTestClient, _ device: String, _ id: String
  ) async throws -> HTTPTestClient.Response {
    try await client.send("GET", Reports.path(device, "/plan/explain?notification=\(id)"))
  }

  @Test func eachPartOfAPlanHasItsStory() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      _ = try await client.send("PUT", "/v1/policy", body: #"{"slots":2}"#)
      let puts = ["a", "b", "c"].enumerated().map { Reports.notification($1, inHours: $0 + 1) }
      _ = try await client.send(
        "POST", Reports.path(device),
        body: Reports.full(
          sequence: 1,
          extra: ",\"put\":[\((puts + [Reports.notification("past", inHours: -1)]).joined(separator: ","))]"))
      let rows =
        ["devices", "device_syncs", "notifications", "plans"]
        .map { "SELECT t.ctid::text || t.xmin::text || t::text AS row FROM carillon.\($0) AS t" }
        .joined(separator: " UNION ALL ") + " ORDER BY row"
      let before = try await server.database.column(rows)

      let held = try await explain(client, device, "a")
      #expect(held.status == 200 && held.header("Cache-Control") == "private, no-cache")
      #expect(held.json["state"] == "held" && held.json["reason"] == .null && held.json["slot"] == "rank")
      #expect(held.json["runnerUp"]?["id"] == "c")
      let waiting = try await explain(client, device, "c")
      #expect(waiting.json["state"] == "queued" && waiting.json["reason"] == "noSlot")
      #expect(waiting.json["tookSlot"]?["id"] == "b" && waiting.json["rank"] == 3)
      #expect(try await explain(client, device, "past").json["state"] == "expired")
      let unknown = try await explain(client, device, "nobody")
      #expect(
        unknown.status == 200 && unknown.json["state"] == "unknown" && unknown.json["notification"] == .null)
      #expect(try await server.database.column(rows) == before, "an explanation has written something")

      // It is of now: another policy, another hour.
      _ = try await client.send("PUT", "/v1/policy", headers: [("If-Match", "\"1\"")], body: #"{"slots":3}"#)
      #expect(try await explain(client, device, "c").json["state"] == "held")
      server.clock.advance(seconds: 3601)
      #expect(try await explain(client, device, "a").json["state"] == "expired")
      _ = try await client.send(
        "POST", Reports.path(device), body: #"{"sequence":2,"authorizationStatus":"denied"}"#)
      #expect(try await explain(client, device, "c").json["reason"] == "denied")
    }
  }

  /// What is over has a story, too: before anybody has looked, and after.
  @Test func whatWasMissedSaysWhy() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let client = server.client(tenant)
      let device = Reports.newDevice()
      func sync(_ sequence: Int, _ word: String, _ more: String = "") async throws {
        let settings = ["alert", "sound", "badge", "lockScreen", "notificationCenter"]
        let body = """
          {"sequence":\(sequence),"device":{"timeZone":"Europe/Istanbul"},"authorizationStatus":"authorized","pending":[],
           "settings":{\(settings.map { "\"\($0)\":\"\(word)\"" }.joined(separator: ","))}\(more)}
          """
        let answer = try await client.send("POST", Reports.path(device), body: body)
        #expect(answer.status == 200, "\(answer)")
      }
      try await sync(
        1, "disabled",
        ",\"put\":[\(Reports.notification("a", inHours: 1)),\(Reports.notification("old", inHours: -1))]")
      #expect(try await explain(client, device, "a").json["reason"] == "unreachable")
      server.clock.advance(seconds: 4_000)
      for sequence in 2...3 {
        let story = try await explain(client, device, "a").json
        #expect(story["state"] == "expired" && story["reason"] == "unreachable", "\(story)")
        #expect(story["summary"]?.string?.contains("nobody would have noticed it") == true)
        try await sync(sequence, sequence == 2 ? "disabled" : "enabled")
      }
      #expect(try await explain(client, device, "old").json["reason"] == "past")
      let outcome = try await client.send("GET", Reports.path(device, "/deliveries")).json["items"]?[0]
      #expect(outcome?["outcome"] == "missed" && outcome?["reason"] == "unreachable")
    }
  }

  /// Whatever a plan says of a notification, its explanation says too.
  @Test func theExplanationAgreesWithThePlan() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let policy = """
        {"slots":5,"quietHours":{"windows":[{"from":"22:00","to":"07:30"}]},"frequencyCaps":[{"limit":1,"per":7200}]}
        """
      _ = try await client.send("PUT", "/v1/policy", body: policy)
      _ = try await client.send(
        "POST", Reports.path(device),
        body: Reports.full(sequence: 1, extra: ",\"put\":[\(Reports.queue(12))]"))
      let plan = try await client.send("GET", Reports.path(device, "/plan"))
      var moved = 0
      for part in ["held", "queued", "withheld", "expired"] {
        for item in plan.json[part]?.array ?? [] {
          let id = try #require(item["id"]?.string)
          let story = try await explain(client, device, id).json
          #expect(story["state"]?.string == part, "\(id)")
          if let reason = item["reason"] { #expect(story["reason"] == reason) }
          if let fire = item["fireAt"] { #expect(story["fireAt"] == fire, "\(id)") }
          if let moves = item["moves"] { #expect(story["moves"] == moves) }
          moved += item["moves"]?.array?.isEmpty == false ? 1 : 0
        }
      }
      #expect(plan.json["held"]?.array?.count == 5 && moved > 0)
    }
  }

  @Test func idsAreTakenAsTheyArePercentEncoded() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let id = "a b/ü@1&x=?"
      let path = "a%20b%2F%C3%BC%401%26x%3D%3F"
      let put = try await client.send(
        "PUT", Reports.path(device, "/notifications/\(path)"), body: Reports.notification(id, inHours: 1))
      try #require(put.status == 201, "\(put)")
      let story = try await explain(client, device, path)
      #expect(story.json["id"]?.string == id && story.json["state"] == "withheld")
      #expect(story.json["reason"] == "notDetermined")
    }
  }

  @Test func whatCannotBeAskedIsRefused() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let nobody = try await explain(client, device, "a")
      #expect(nobody.status == 404 && nobody.json["code"] == "deviceNotFound")
      _ = try await client.send("POST", Reports.path(device), body: Reports.full(sequence: 1))
      for query in [
        "", "?notification=", "?notification=a&notification=b", "?notification=%00", "?notification=%zz",
        "?notification=" + String(repeating: "a", count: 161), "?notifications=a",
      ] {
        let answer = try await client.send("GET", Reports.path(device, "/plan/explain" + query))
        #expect(answer.status == 400 && answer.json["code"] == "invalidParameter", "\(query): \(answer)")
      }
      let post = try await client.send(
        "POST", Reports.path(device, "/plan/explain?notification=a"), body: "{}")
      #expect(post.status == 405)
    }
  }

  /// What planning makes of the longest id is longer, and may be sent back all the same.
  @Test func anOccurrenceOfTheLongestIDMayBeNamed() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      let id = String(repeating: "i", count: 128)
      let start = Reports.time(86_400).prefix(16)
      let put =
        "{\"id\":\"\(id)\",\"content\":{\"title\":\"T\"},\"trigger\":{\"kind\":\"recurrence\",\"start\":\"\(start)\",\"rule\":\"FREQ=DAILY;COUNT=2\"}}"
      let first = try await client.send(
        "POST", Reports.path(device), body: Reports.full(sequence: 1, extra: ",\"put\":[\(put)]"))
      let occurrence = try #require(first.json["diff"]?["add"]?[0]?["id"]?.string)
      #expect(occurrence.hasPrefix(id + "@"))
      let event =
        "{\"id\":\"e\",\"kind\":\"tapped\",\"notification\":\"\(occurrence)\",\"at\":\"\(Reports.time(0))\"}"
      let keep = Reports.notification("keep", inHours: 1)
      let second = try await client.send(
        "POST", Reports.path(device),
        body: Reports.full(sequence: 2, extra: ",\"events\":[\(event)],\"put\":[\(keep)]"))
      #expect(second.status == 200 && second.json["rejected"] == [], "\(second)")
      #expect(try await explain(client, device, occurrence).json["state"] == "held")
    }
  }
}
