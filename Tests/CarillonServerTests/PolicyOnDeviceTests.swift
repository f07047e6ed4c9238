import CarillonJSON
import IntegrationSupport
import Testing

/// Who plans on the device asks for the policy, and is told it once.
@Suite struct PolicyOnDeviceTests {
  private static let quiet = #"{"quietHours": {"windows": [{"from": "22:00", "to": "07:30"}]}}"#

  @Test func thePolicyComesOnceToWhoAsksAndCostsASteadySyncNothing() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let device = Reports.newDevice()
      var mirror = DeviceMirror()
      var sequence = 0
      func sync(_ extra: String = "") async throws -> JSONValue {
        sequence += 1
        let answer = try await client.send(
          "POST", Reports.path(device),
          body: Reports.full(sequence: sequence, pending: mirror.pending, extra: extra))
        try #require(answer.status == 200, "\(answer)")
        mirror.apply(answer.json)
        return answer.json
      }
      func asking(_ version: Int) -> String { ",\"policyVersion\":\(version)" }
      // Of the whole row but the two columns that every steady sync writes.
      let row = "SELECT (to_jsonb(s) - 'sequence' - 'seen_at')::text FROM carillon.device_syncs AS s"

      // No policy yet: nothing to tell.
      #expect(try await sync(asking(0))["policy"] == nil)
      #expect(try await client.send("PUT", "/v1/policy", body: Self.quiet).status == 200)
      #expect(try await sync()["policy"] == nil)
      let told = try await sync(asking(0))
      #expect(told["policy"]?["version"]?.int == 1)
      #expect(told["policy"]?["document"] == (try JSONValue(parsing: Array(Self.quiet.utf8))))
      // Its answer was lost: the same report again, and the same answer.
      #expect(try await sync(asking(0))["policy"]?["version"]?.int == 1)
      #expect(try await sync(asking(1))["policy"] == nil)
      let steady = try await server.database.column(row)
      for _ in 0..<3 { #expect(try await sync(asking(1))["policy"] == nil) }
      #expect(try await server.database.column(row) == steady, "a steady sync was not one")

      // Another version ends what is steady.
      let changed = try await client.send(
        "PUT", "/v1/policy", headers: [("If-Match", "\"1\"")], body: #"{"slots": 60}"#)
      try #require(changed.status == 200, "\(changed)")
      let news = try await sync(asking(1))
      #expect(news["policy"]?["version"]?.int == 2 && news["slots"]?["slots"]?.int == 60)
      #expect(try await sync(asking(2))["policy"] == nil)
    }
  }

  @Test func whoPlansIsToldWhatPlanningNeeds() async throws {
    try await TestServer.with { server in
      let client = server.client(try await server.makeTenant())
      let put =
        #"{"id":"habit.1","content":{"title":"a"},"trigger":{"kind":"recurrence","start":"2026-12-01T09:00","rule":"FREQ=DAILY;INTERVAL=3;COUNT=2"}}"#
      for (asks, extra) in [(false, ""), (true, ",\"policyVersion\":0")] {
        let answer = try await client.send(
          "POST", Reports.path(Reports.newDevice()),
          body: Reports.full(
            sequence: 1, extra: ",\"put\":[\(put),\(Reports.notification("other", inHours: 1))]\(extra)"))
        let added = try #require(answer.json["diff"]?["add"]?.array)
        let sources = added.map { $0["source"]?.string }
        let types = added.map { $0["type"]?.string }
        #expect(types.allSatisfy { ($0 != nil) == asks })
        if asks {
          #expect(types.first == "unknown" && types.last == "habit")
          #expect(sources.first == .some(nil) && sources.last == "habit.1")
        } else {
          #expect(sources.allSatisfy { $0 == nil })
        }
      }
    }
  }
}
