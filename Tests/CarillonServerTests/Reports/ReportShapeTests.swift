import CarillonJSON
import CarillonModel
import CarillonStore
import IntegrationSupport
import Testing

/// The shapes of the reports, frozen; what may be asked, and what may not.
@Suite struct ReportShapeTests {
  private static let day = "2026-11-28"
  private static let now = Instant("2026-11-30T12:00:00Z")!

  private func withCounts(
    _ body: (TestServer, HTTPTestClient, TestTenant) async throws -> Void
  ) async throws {
    try await TestServer.with(now: Self.now) { server in
      let tenant = try await server.makeTenant()
      let tenantID = tenant.id.text
      func counts(_ count: Int, _ more: String = "") -> String {
        "'{" + (1...count).map(String.init).joined(separator: ",") + more + "}'"
      }
      let zeros = String(repeating: ",0", count: 3)
      for row in [
        "'notifications', '\(Self.day)', 'habit', '', \(counts(19))",
        "'notifications', '\(Self.day)', 'habit', '2026-W48', \(counts(2))",
        "'permission', '\(Self.day)', '', '2026-W48', \(counts(23, ",0,24,0,0,0,0,0,0,25"))",
        "'fatigue', '\(Self.day)', 'cohort', '2026-W48', '{8,2,3,4\(zeros),1,0,2}'",
        "'fatigue', '\(Self.day)', 'appVersion', '', '{8}'",
      ] {
        _ = try await server.database.column(
          """
          INSERT INTO carillon.report_counts (tenant_id, counted, day, type, cohort, counts)
          VALUES ('\(tenantID)', \(row)) RETURNING ''
          """)
      }
      // Counted for the last time: these counts have no history that the server could count again.
      _ = try await server.database.column(
        """
        INSERT INTO carillon.report_days (tenant_id, day, rolled_up_at, age)
        VALUES ('\(tenantID)', '\(Self.day)', '2026-12-08', 8) RETURNING ''
        """)
      try await body(server, server.client(tenant), tenant)
    }
  }

  static let shapes: [(report: String, items: String)] = [
    (
      "evictions",
      #"{"day":"2026-11-28","type":"habit","cohort":null,"evicted":18,"devices":19,"lost":16,"lostToLimit":17}"#
    ),
    (
      "delivery",
      #"{"day":"2026-11-28","type":"habit","cohort":null,"due":36,"outcomes":{"open":1,"delivered":2,"inferredDelivered":3,"suppressed":4,"removedOnDevice":5,"missed":6,"rescued":7,"expired":8},"unmet":9,"unmetNeeds":{"alert":11,"badge":12,"lockScreen":13,"sound":10}},"#
        + #"{"day":"2026-11-28","type":"habit","cohort":"2026-W48","due":3,"outcomes":{"open":1,"delivered":2,"inferredDelivered":0,"suppressed":0,"removedOnDevice":0,"missed":0,"rescued":0,"expired":0},"unmet":0,"unmetNeeds":{"alert":0,"badge":0,"lockScreen":0,"sound":0}}"#
    ),
    (
      "engagement",
      #"{"day":"2026-11-28","type":"habit","cohort":null,"delivered":12,"tapped":14,"dismissed":15,"tapRate":1.1667},"#
        + #"{"day":"2026-11-28","type":"habit","cohort":"2026-W48","delivered":2,"tapped":0,"dismissed":0,"tapRate":0}"#
    ),
    (
      "authorization",
      #"{"day":"2026-11-28","cohort":"2026-W48","devices":1,"states":{"notDetermined":2,"denied":3,"authorized":4,"provisional":5,"ephemeral":6,"unknown":7},"funnel":{"primed":8,"asked":9,"granted":10,"kept":11}}"#
    ),
    (
      "priming",
      #"{"day":"2026-11-28","cohort":"2026-W48","steps":{"none":12,"wait":13,"showPrimer":14,"showDialog":15,"requestProvisional":16,"openSettings":17},"events":{"primingShown":18,"primingAccepted":19,"primingPostponed":20,"dialogShown":21},"answers":{"granted":22,"denied":23},"secondsToGrant":[{"below":300,"devices":24},{"below":null,"devices":25}]}"#
    ),
    (
      "fatigue",
      #"{"day":"2026-11-28","by":"appVersion","value":null,"devices":8,"degraded":0,"denied":0,"shareDegraded":0,"shareDenied":0,"left":0,"warned":0,"medianLeadDays":null,"leadDays":[]},"#
        + #"{"day":"2026-11-28","by":"cohort","value":"2026-W48","devices":8,"degraded":2,"denied":3,"shareDegraded":0.25,"shareDenied":0.375,"left":4,"warned":3,"medianLeadDays":5,"leadDays":[{"days":3,"left":1},{"days":5,"left":2}]}"#
    ),
  ]

  @Test func shapesAreFrozen() async throws {
    try await withCounts { _, client, _ in
      for (report, items) in Self.shapes {
        let answer = try await client.send("GET", "/v1/reports/\(report)?from=2026-11-28&to=2026-11-28")
        #expect(
          answer.text
            == #"{"report":"\#(report)","from":"2026-11-28","to":"2026-11-28","rolledUpThrough":"2026-11-28","items":["#
            + items + "]}", "\(report)")
        #expect(answer.status == 200 && answer.header("Content-Type") == "application/json")
      }
    }
  }

  @Test func questionsNarrowTheAnswer() async throws {
    try await withCounts { _, client, _ in
      for (query, count) in [
        ("delivery", 2), ("delivery?cohort=", 1), ("delivery?cohort=2026-W48&type=habit", 1),
        ("delivery?type=entry", 0), ("delivery?to=2026-11-27", 0), ("delivery?from=2026-11-29", 0),
        ("fatigue", 2), ("fatigue?cohort=2026-W48", 1), ("fatigue?cohort=none", 0),
        ("engagement?from=2025-10-26&to=2026-11-29", 2),
      ] {
        let answer = try await client.send("GET", "/v1/reports/\(query)")
        #expect(answer.json["items"]?.array?.count == count, "\(query): \(answer)")
      }
      let usual = try await client.send("GET", "/v1/reports/priming")
      #expect(usual.json["from"]?.string == "2026-10-31")
      #expect(usual.json["to"]?.string == "2026-11-29")
    }
  }

  @Test(arguments: [
    ("delivery?from=2026-11-29&to=2026-11-28", 400, "invalidParameter"),
    ("delivery?from=2025-10-24&to=2026-11-28", 400, "invalidParameter"),
    ("delivery?from=today", 400, "invalidParameter"), ("priming?type=habit", 400, "invalidParameter"),
    ("weather", 404, "routeNotFound"),
  ])
  func badQuestionsAreRefused(_ query: String, _ status: Int, _ code: String) async throws {
    try await TestServer.with(now: Self.now) { server in
      let tenant = try await server.makeTenant()
      let answer = try await server.client(tenant).send("GET", "/v1/reports/\(query)")
      #expect(answer.status == status && answer.json["code"]?.string == code, "\(answer)")
      let detail = try #require(answer.json["detail"]?.string)
      #expect(!detail.isEmpty)
    }
  }

  @Test func onlyAKeyForReportsMayAsk() async throws {
    try await withCounts { server, _, _ in
      for scope in KeyScope.allCases {
        let client = server.client(try await server.makeTenant(scopes: [scope]))
        let answer = try await client.send("GET", "/v1/reports/delivery")
        if scope == .reports {
          #expect(answer.status == 200)
          #expect(answer.json["items"]?.array == [], "\(answer)")
        } else {
          #expect(answer.json["code"]?.string == "insufficientScope", "\(scope): \(answer)")
        }
      }
    }
  }
}
