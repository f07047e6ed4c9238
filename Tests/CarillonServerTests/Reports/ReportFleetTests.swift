import CarillonJSON
import CarillonModel
import CarillonStore
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// Reports held against a plain recount of the raw history of a random fleet.
@Suite struct ReportFleetTests {
  private static let isLong = ProcessInfo.processInfo.environment["CARILLON_LONG"] != nil
  private static let kinds = ["evictions", "authorization", "priming", "fatigue", "delivery", "engagement"]
  private static let first = CivilDate("2026-05-11")!

  /// The server counts because a request came in; two operators count the same days at the same time. Their clocks are
  /// far apart, so that each takes days away from the others.
  @Test func reportsAreWhatHappened() async throws {
    let seed = UInt64.random(in: 0...999_999)
    let days = Self.isLong ? 60 : 20
    let fleet = ReportFleet(devices: Self.isLong ? 2_000 : 60, days: days, first: Self.first, seed: seed)
    let other = ReportFleet(devices: 5, days: days, first: Self.first, seed: seed &+ 1)
    let comment = Comment(rawValue: "seed \(seed)")
    let last = Self.first.adding(days: days - 1)
    try await TestServer.with(now: Self.first.startInUTC) { server in
      let tenant = try await server.makeTenant()
      let stranger = try await server.makeTenant()
      try await fleet.insert(of: tenant.id, into: server.database)
      try await other.insert(of: stranger.id, into: server.database)
      // When even the last day has been counted for the last time.
      server.clock.move(to: last.adding(days: 9).startInUTC)

      let conninfo = server.database.conninfo(.operator)
      try await withThrowingTaskGroup { group in
        for _ in 0..<2 {
          group.addTask {
            try await rollUp(tenant.name, from: Self.first, to: last, conninfo)
          }
        }
        group.addTask {
          _ = try await server.client(tenant).send("GET", "/v1/reports/delivery")
          _ = try await server.client(stranger).send("GET", "/v1/reports/delivery")
        }
        try await group.waitForAll()
      }
      try await untilCounted(server, through: last.adding(days: 8))

      let mine = try await answers(server.client(tenant), last)
      let recount = ReportRecount(fleet).items
      try #require(recount.count > 100)
      for kind in Self.kinds {
        let found = ReportRecount.items(of: try #require(mine[kind]))
        let wanted = recount.filter { $0.key.hasPrefix(kind + "|") }
        let wrong = Set(found.keys).union(wanted.keys).filter { found[$0] != wanted[$0] }.sorted()
        #expect(
          wrong.isEmpty && !wanted.isEmpty,
          "\(kind), seed \(seed): \(wrong.prefix(3).map { "\($0): \(found[$0] ?? [:]) for \(wanted[$0] ?? [:])" })"
        )
      }
      let theirs = try await answers(server.client(stranger), last)
      let theirRecount = ReportRecount(other).items
      for kind in Self.kinds {
        let found = ReportRecount.items(of: try #require(theirs[kind]))
        #expect(found == theirRecount.filter { $0.key.hasPrefix(kind + "|") }, comment)
      }

      // Once more: the same, to the byte.
      try await rollUp(tenant.name, from: Self.first, to: last, conninfo)
      #expect(try await answers(server.client(tenant), last) == mine, comment)
    }
  }

  private func answers(_ client: HTTPTestClient, _ last: CivilDate) async throws -> [String: JSONValue] {
    var answers: [String: JSONValue] = [:]
    for kind in Self.kinds {
      let answer = try await client.send("GET", "/v1/reports/\(kind)?from=\(Self.first)&to=\(last)")
      try #require(answer.status == 200, "\(answer.text.prefix(300))")
      // Larger than what the server reads.
      answers[kind] = try JSONValue(
        parsing: answer.body, limits: JSONLimits(depth: 16, values: 20_000_000, bytes: 1 << 28))
    }
    return answers
  }

  private func untilCounted(_ server: TestServer, through day: CivilDate) async throws {
    let clock = ContinuousClock()
    let begin = clock.now
    while true {
      let open = try await server.database.column(
        "SELECT count(*)::text FROM carillon.report_days WHERE age = 0 OR holder IS NOT NULL")
      let newest = try await server.database.column(
        "SELECT count(*)::text FROM carillon.report_days WHERE day = '\(day)' AND age > 0")
      if open == ["0"], newest == ["2"] { return }
      try #require(clock.now - begin < .seconds(600), "the days are not counted: \(open) \(newest)")
    }
  }
}

/// Runs the operator's command; somebody else may be counting some of the days just then.
func rollUp(
  _ tenant: String, from first: CivilDate, to last: CivilDate, _ conninfo: String
) async throws {
  let process = Program()
  let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  process.executableURL = products.appending(path: "tenantctl")
  process.arguments = ["report", "rollup", tenant, "--from", first.text, "--to", last.text]
  process.environment = ["DATABASE_URL": conninfo]
  process.standardOutput = FileHandle.nullDevice
  process.standardError = FileHandle.nullDevice
  let status: Int32 = try await withCheckedThrowingContinuation { continuation in
    process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
    do { try process.run() } catch { continuation.resume(throwing: error) }
  }
  try #require([0, 6].contains(status), "tenantctl report rollup ended with \(status)")
}
