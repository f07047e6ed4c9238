import CarillonJSON
import CarillonModel
import CarillonPostgres
import CarillonStore
import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// kill -9 of whoever counts: what was published stays whole, and who counts next gets the plain recount.
@Suite struct RollUpKillTests {
  /// What the roll-up waits for when it is killed.
  enum Moment: String, CaseIterable, Sendable {
    /// It reads what devices remember.
    case counting
    /// It has counted, and has changed nothing yet.
    case publishing
    /// It has taken the old rows away in a transaction that is open, and puts in the new ones.
    case betweenOldAndNew

    func blocker(_ tenant: TenantID, _ day: CivilDate) -> String {
      switch self {
      case .counting: "LOCK TABLE carillon.deliveries IN ACCESS EXCLUSIVE MODE"
      case .publishing: "LOCK TABLE carillon.report_counts IN ACCESS EXCLUSIVE MODE"
      case .betweenOldAndNew:
        """
        INSERT INTO carillon.report_counts (tenant_id, counted, day, type, cohort, counts)
        VALUES ('\(tenant.text)', 'permission', '\(day)', '', '', '{1}')
        """
      }
    }
  }

  private static let kinds = ["evictions", "authorization", "priming", "fatigue", "delivery", "engagement"]

  @Test(arguments: Moment.allCases) func aKilledCommandLeavesTheOldDay(_ moment: Moment) async throws {
    let seed = UInt64.random(in: 0...999_999)
    let first = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).utcDay.adding(days: -9)
    let day = first.adding(days: 4)
    let fleet = ReportFleet(devices: 60, days: 5, first: first, seed: seed)
    let database = try await MigratedDatabase.make()
    let conninfo = database.conninfo(.operator)
    let tenant = try await TestTenant.make(
      "killed", operatorConninfo: conninfo, at: first.startInUTC)
    try await fleet.insert(of: tenant.id, into: database)
    let old = "notifications 1 old  {7}"
    _ = try await database.column(
      """
      INSERT INTO carillon.report_counts (tenant_id, counted, day, type, cohort, counts)
      VALUES ('\(tenant.id.text)', 'notifications', '\(day)', 'old', '', '{7}') RETURNING ''
      """)

    let command = ["report", "rollup", tenant.name, "--from", day.text, "--to", day.text]
    try await whileBlocked(database, moment.blocker(tenant.id, day)) {
      let process = try Child(
        "tenantctl", command, ["DATABASE_URL": conninfo + " options='-c lock_timeout=0'"])
      try await untilBlocked(database, "carillon_operator", process)
      kill(process.identifier, SIGKILL)
      _ = await process.end()
    }
    try await untilGone(database, "carillon_operator")

    let rows = try await database.column(
      """
      SELECT concat_ws(' ', counted, CASE day WHEN '\(day)' THEN 1 END, type, cohort, counts) FROM carillon.report_counts
      """)
    #expect(rows == [old], "seed \(seed)")
    // Nobody else counts the day until the minute is over that it was held for.
    #expect(try await Child("tenantctl", command, ["DATABASE_URL": conninfo]).end() == 6)
    try await minuteIsOver(database)
    #expect(try await Child("tenantctl", command, ["DATABASE_URL": conninfo]).end() == 0)
    let recount = ReportRecount(fleet).items
    for kind in Self.kinds {
      let output = try await Child.output(
        "tenantctl", ["report", kind, tenant.name, "--from", day.text, "--to", day.text, "-o", "json"],
        ["DATABASE_URL": conninfo])
      let found = ReportRecount.items(of: try JSONValue(parsing: Array(output)))
      let wanted = recount.filter { $0.key.hasPrefix("\(kind)|\(day)|") }
      #expect(found == wanted && !wanted.isEmpty, "\(kind), seed \(seed)")
    }
  }

  @Test func aKilledServersDaysAreCountedByTheNext() async throws {
    let seed = UInt64.random(in: 0...999_999)
    let today = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)).utcDay
    let first = today.adding(days: -7)
    // Longer than the test may take, so that a midnight in between adds a day without history.
    let fleet = ReportFleet(devices: 60, days: 6, first: first, seed: seed)
    let database = try await MigratedDatabase.make()
    let tenant = try await TestTenant.make(
      "killed", operatorConninfo: database.conninfo(.operator), at: first.startInUTC)
    try await fleet.insert(of: tenant.id, into: database)
    let arguments = ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "1"]
    let environment = [
      "DATABASE_URL": database.conninfo(.app) + " options='-c lock_timeout=0 -c statement_timeout=0'"
    ]

    try await whileBlocked(database, "LOCK TABLE carillon.report_counts IN ACCESS EXCLUSIVE MODE") {
      let server = try ProgramTests.Running(arguments, environment: environment)
      try #require(await server.read(until: "ready"), "\(server.lines)")
      let client = HTTPTestClient(port: try #require(server.port("port")), key: tenant.key)
      #expect(try await client.send("GET", "/v1/devices").status == 200)
      try await untilBlocked(database, "carillon_app", nil)
      kill(server.process.processIdentifier, SIGKILL)
      _ = await server.readToEnd()
    }
    try await untilGone(database, "carillon_app")
    try await minuteIsOver(database)

    let server = try ProgramTests.Running(arguments, environment: environment)
    try #require(await server.read(until: "ready"), "\(server.lines)")
    let client = HTTPTestClient(port: try #require(server.port("port")), key: tenant.key)
    #expect(try await client.send("GET", "/v1/devices").status == 200)
    try await until("every day is counted") {
      try await database.column(
        "SELECT count(*)::text FROM carillon.report_days WHERE age > 0 AND holder IS NULL AND day < '\(today)'"
      )
        == ["7"]
    }
    let recount = ReportRecount(fleet).items
    for kind in Self.kinds {
      let last = first.adding(days: 5)
      let answer = try await client.send("GET", "/v1/reports/\(kind)?from=\(first)&to=\(last)")
      let found = ReportRecount.items(of: answer.json)
      let wanted = recount.filter { $0.key.hasPrefix("\(kind)|") }
      #expect(found == wanted && !wanted.isEmpty, "\(kind), seed \(seed)")
    }
    server.process.terminate()
    _ = await server.readToEnd()
  }

  // MARK: Support

  /// Runs `body` while a transaction that has run `sql` is open; then it is rolled back.
  private func whileBlocked(
    _ database: MigratedDatabase, _ sql: String, _ body: @Sendable () async throws -> Void
  ) async throws {
    try await withLoop { loop in
      let blocker = try await PostgresConnection.connect(database.superuserConninfo, on: loop)
      defer { blocker.close() }
      _ = try await blocker.run(sql: "BEGIN")
      _ = try await blocker.run(sql: sql)
      try await body()
      _ = try await blocker.run(sql: "ROLLBACK")
    }
  }

  private func untilBlocked(_ database: MigratedDatabase, _ role: String, _ process: Child?) async throws {
    try await until("\(role) waits for a lock") {
      if let process, !process.isRunning {
        throw Child.Failure(description: "the process has ended by itself")
      }
      return try await database.column(
        """
        SELECT count(*)::text FROM pg_stat_activity
        WHERE datname = current_database() AND usename = '\(role)' AND wait_event_type = 'Lock'
        """) != ["0"]
    }
  }

  private func untilGone(_ database: MigratedDatabase, _ role: String) async throws {
    try await until("\(role) has gone") {
      try await database.column(
        """
        SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND usename = '\(role)'
        """) == ["0"]
    }
  }

  private func minuteIsOver(_ database: MigratedDatabase) async throws {
    _ = try await database.column(
      "UPDATE carillon.report_days SET held_until = '2000-01-01' WHERE holder IS NOT NULL RETURNING ''")
  }
}

/// Asks until something holds; gives up after minutes.
func until(_ what: String, _ holds: () async throws -> Bool) async throws {
  let clock = ContinuousClock()
  let begin = clock.now
  while try await !holds() {
    try #require(clock.now - begin < .seconds(300), "it never came to it that \(what)")
  }
}

/// A program of the product that a test starts, beside the test bundle.
final class Child: @unchecked Sendable {
  // Unchecked: what is written after the start is written once, by the one task that waits.
  struct Failure: Error, CustomStringConvertible { var description: String }

  private let process = Program()
  private let ended: AsyncStream<Int32>

  init(
    _ program: String, _ arguments: [String], _ environment: [String: String],
    output: FileHandle = .nullDevice
  ) throws {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    process.executableURL = products.appending(path: program)
    process.arguments = arguments
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
    ended = stream
    process.terminationHandler = { process in
      continuation.yield(
        process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
      continuation.finish()
    }
    try process.run()
  }

  var identifier: Int32 { process.processIdentifier }
  var isRunning: Bool { process.isRunning }

  /// The exit code; a signal's number is negative.
  func end() async -> Int32 {
    for await code in ended { return code }
    return process.terminationStatus
  }

  /// What it prints on standard output when it succeeds.
  static func output(
    _ program: String, _ arguments: [String], _ environment: [String: String]
  ) async throws -> Data {
    let file = FileManager.default.temporaryDirectory.appending(path: "carillon-output-\(UUID())")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = FileManager.default.createFile(atPath: file.path(percentEncoded: false), contents: nil)
    let code = try await Child(
      program, arguments, environment, output: FileHandle(forWritingTo: file)
    ).end()
    guard code == 0 else { throw Failure(description: "\(program) \(arguments) ended with \(code)") }
    return try Data(contentsOf: file)
  }
}
