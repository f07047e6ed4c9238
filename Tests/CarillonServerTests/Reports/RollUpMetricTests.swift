import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

/// What the counting of reports tells of itself.
@Suite struct RollUpMetricTests {
  private func metric(_ name: String, _ server: TestServer) async throws -> Double? {
    let text = try await server.admin.send("GET", "/metrics").text
    return text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
      .flatMap { Double($0.dropFirst(name.count + 1)) }
  }

  @Test func whatIsCountedIsTold() async throws {
    let first = CivilDate("2026-05-11")!
    let fleet = ReportFleet(devices: 20, days: 3, first: first, seed: 5)
    try await TestServer.with(now: first.startInUTC) { server in
      let tenant = try await server.makeTenant()
      try await fleet.insert(of: tenant.id, into: server.database)
      for name in ["lag_seconds", "days_total", "rows_total", "failures_total"] {
        #expect(try await metric("carillon_report_rollup_\(name)", server) == 0)
      }
      server.clock.move(to: first.adding(days: 3).startInUTC)
      _ = try await server.client(tenant).send("GET", "/v1/devices")
      try await until("three days are counted") {
        try await metric("carillon_report_rollup_days_total", server) == 3
      }
      let rows = try await server.database.column("SELECT count(*)::text FROM carillon.report_counts")
      #expect(try await metric("carillon_report_rollup_rows_total", server).map { "\(Int($0))" } == rows[0])
      #expect(try await metric("carillon_report_rollup_lag_seconds", server) == 0)
      #expect(try await metric("carillon_report_rollup_failures_total", server) == 0)
    }
  }

  /// The days that seemed to be over are none, and the real ones are counted as ever.
  @Test func aClockThatWasAheadStopsNothing() async throws {
    let first = CivilDate("2026-05-11")!
    let fleet = ReportFleet(devices: 20, days: 3, first: first, seed: 5)
    try await TestServer.with(now: first.startInUTC) { server in
      let tenant = try await server.makeTenant()
      try await fleet.insert(of: tenant.id, into: server.database)
      let client = server.client(tenant)
      server.clock.move(to: first.adding(days: 3_650).startInUTC)
      _ = try await client.send("GET", "/v1/devices")
      try await until("what seems to have ended is counted") {
        try await metric("carillon_report_rollup_days_total", server) == 90
      }
      server.clock.move(to: first.adding(days: 3).startInUTC)
      _ = try await client.send("GET", "/v1/devices")
      try await until("the days that have ended are counted") {
        try await metric("carillon_report_rollup_days_total", server) == 93
      }
      let report = try await client.send("GET", "/v1/reports/authorization")
      #expect(report.json["rolledUpThrough"]?.string == first.adding(days: 2).description, "\(report)")
    }
  }

  @Test func aFailureIsCountedAndTheLagGrows() async throws {
    let first = CivilDate("2026-05-11")!
    try await TestServer.with(now: first.startInUTC) { server in
      let tenant = try await server.makeTenant()
      _ = try await server.database.column("REVOKE INSERT ON carillon.report_days FROM carillon_app")
      server.clock.move(to: first.adding(days: 3).startInUTC)
      let client = server.client(tenant)
      _ = try await client.send("GET", "/v1/devices")
      try await until("the failure is counted") {
        try await metric("carillon_report_rollup_failures_total", server) == 1
      }
      server.clock.advance(seconds: 45)
      #expect(try await metric("carillon_report_rollup_lag_seconds", server) == 45)
      // Tried again a minute later.
      _ = try await server.database.column("GRANT INSERT ON carillon.report_days TO carillon_app")
      server.clock.advance(seconds: 20)
      _ = try await client.send("GET", "/v1/devices")
      try await until("it is made up for") {
        try await metric("carillon_report_rollup_lag_seconds", server) == 0
      }
      #expect(try await metric("carillon_report_rollup_days_total", server) == 3)
      #expect(server.log.all.contains { $0.contains("counting reports failed") })
    }
  }
}
