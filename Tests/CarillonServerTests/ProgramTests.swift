import CarillonJSON
import CarillonModel
import CarillonServer
import CarillonStore
import Dispatch
import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// The program itself: its start, its refusals and its end.
@Suite struct ProgramTests {
  private static var program: URL {
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appendingPathComponent("carillon-server")
  }

  /// A running server and the lines of its standard error. Its pipe is closed in every other child of this
  /// process, which would keep it open beyond the server's end, and it is read on threads that may block.
  final class Running: @unchecked Sendable {
    // Unchecked: a test uses it from one task, and awaits each reading before the next.
    let process = Program()
    private let reading: Int32
    private(set) var lines: [String] = []

    init(_ arguments: [String], environment: [String: String] = [:]) throws {
      var ends: [Int32] = [0, 0]
      // A socket pair, since it can be made closed in other children from the start.
      let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
      precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "socketpair failed: errno \(errno)")
      reading = ends[0]
      process.executableURL = ProgramTests.program
      process.arguments = arguments
      var variables = ProcessInfo.processInfo.environment
      variables["DATABASE_URL"] = nil
      process.environment = variables.merging(environment) { $1 }
      let writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
      process.standardError = writing
      try process.run()
      try writing.close()
    }

    deinit {
      // Of a test that failed in between.
      if process.isRunning { kill(process.processIdentifier, SIGKILL) }
      close(reading)
    }

    /// Reads until a line holds `text`; false when the program ended before.
    func read(until text: String) async -> Bool {
      await blocking {
        var data = Data()
        while true {
          let more = self.readSome()
          data += more
          self.lines = String(decoding: data, as: UTF8.self).components(separatedBy: "\n")
          if self.lines.contains(where: { $0.contains(text) }) { return true }
          if more.isEmpty { return false }
        }
      }
    }

    func readToEnd() async -> String {
      await blocking {
        var data = Data()
        while case let more = self.readSome(), !more.isEmpty { data += more }
        self.process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
      }
    }

    private func blocking<R: Sendable>(_ body: @escaping @Sendable () -> R) async -> R {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: body()) }
      }
    }

    /// Empty at the end. FileHandle's own calls trap when a signal interrupts them.
    private func readSome() -> Data {
      var buffer = [UInt8](repeating: 0, count: 64 * 1024)
      while true {
        let count = Glibc.read(reading, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        return Data(buffer.prefix(max(0, count)))
      }
    }

    /// What the log says of itself: `"port":…`.
    func port(_ name: String) -> UInt16? {
      lines.compactMap {
        $0.firstMatch(of: try! Regex("\"\(name)\":([0-9]+)", as: (Substring, Substring).self))
      }
      .first.flatMap { UInt16($0.output.1) }
    }
  }

  @Test func aServerOnItsOwnDatabaseDrainsAtSIGTERMAndStartsAgain() async throws {
    try await withTemporaryFolder { folder in
      for round in 1...2 {
        let server = try Running([
          "--data", folder, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "2",
        ])
        #expect(await server.read(until: "ready"), "round \(round): \(server.lines)")
        let port = try #require(server.port("port"))
        let admin = HTTPTestClient(port: try #require(server.port("adminPort")))
        #expect(try await admin.send("GET", "/readyz").status == 200)
        #expect(try await HTTPTestClient(port: port).send("GET", "/v1/policy").status == 401)
        let clock = ContinuousClock()
        let asked = clock.now
        server.process.terminate()
        let rest = await server.readToEnd()
        #expect(server.process.terminationStatus == 0)
        #expect(server.process.terminationReason == .exit)
        #expect(rest.contains("stopped"))
        #expect(clock.now - asked < .seconds(10))
      }
    }
  }

  /// kill -9 between two syncs: the next server on the same data answers the right diff.
  @Test func whatWasAnsweredSurvivesAKill() async throws {
    try await withTemporaryFolder { folder in
      let arguments = [
        "--data", folder, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "1",
      ]
      let device = Reports.newDevice()
      var mirror = DeviceMirror()
      let now = Int64(Date().timeIntervalSince1970)
      let puts = (0..<70).map { index in
        """
        {"id":"\(Reports.name(index))","content":{"title":"x"},
         "trigger":{"kind":"instant","at":"\(Instant(seconds: now + 86_400 + Int64(index) * 60))"}}
        """
      }
      let first = try Running(arguments)
      try #require(await first.read(until: "ready"), "\(first.lines)")
      let tenant = try await TestTenant.make(
        "killed", operatorConninfo: try #require(EmbeddedDatabase.operatorConninfo(in: folder)),
        at: Instant(seconds: now))
      let answer = try await HTTPTestClient(port: try #require(first.port("port")), key: tenant.key).send(
        "POST", Reports.path(device),
        body: Reports.full(sequence: 1, extra: ",\"put\":[\(puts.joined(separator: ","))]"))
      #expect(answer.status == 200 && answer.json.added.count == 64, "\(answer)")
      mirror.apply(answer.json)
      kill(first.process.processIdentifier, SIGKILL)
      _ = await first.readToEnd()

      let second = try Running(arguments)
      try #require(await second.read(until: "ready"), "\(second.lines)")
      let client = HTTPTestClient(port: try #require(second.port("port")), key: tenant.key)
      mirror.drop(Reports.name(5))
      let healed = try await client.send(
        "POST", Reports.path(device), body: Reports.full(sequence: 2, pending: mirror.pending))
      #expect(healed.json.added == [Reports.name(5)] && healed.json.removed == [], "\(healed)")
      #expect(healed.json["planVersion"]?.int == answer.json["planVersion"]?.int)
      second.process.terminate()
      _ = await second.readToEnd()
      #expect(second.process.terminationStatus == 0)
    }
  }

  @Test(arguments: [
    (["--listen", "nowhere"], "--listen"), (["--lisen", "127.0.0.1:1"], "--listen"),
    (["--loops", "0"], "--loops"),
    (["surplus"], "surplus"),
  ])
  func aUsageErrorIsTwoAndSaysWhatWasMeant(_ arguments: [String], _ mention: String) async throws {
    let server = try Running(arguments)
    let text = await server.readToEnd()
    #expect(server.process.terminationStatus == 2)
    #expect(text.contains(mention), "\(text)")
  }

  @Test func itRefusesRolesThatRowSecurityDoesNotBind() async throws {
    let database = try await MigratedDatabase.make()
    for (conninfo, word) in [
      (database.superuserConninfo, "superuser"), (database.conninfo(.owner), "owns"),
      (database.conninfo(.operator), "BYPASSRLS"),
      (database.conninfo(.worker), "carillon_worker is made for another purpose"),
    ] {
      let server = try Running(
        ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"], environment: ["DATABASE_URL": conninfo])
      let text = await server.readToEnd()
      #expect(server.process.terminationStatus == 1, "\(word)")
      #expect(text.contains(word) && text.contains("Connect as carillon_app"), "\(text)")
    }
  }

  /// Roles of its own: they belong to the cluster, which other tests use.
  @Test func itRefusesRolesThatMayBecomeOnesThatRowSecurityDoesNotBind() async throws {
    let database = try await MigratedDatabase.make()
    let role = "member_of_\(database.name)"
    let between = "between_of_\(database.name)"
    let mighty = "mighty_of_\(database.name)"
    for statement in [
      "CREATE ROLE \(role) LOGIN NOINHERIT IN ROLE carillon_app", "CREATE ROLE \(between)",
      "GRANT \(between) TO \(role)", "CREATE ROLE \(mighty) SUPERUSER",
    ] { _ = try await database.column(statement) }
    for lent in ["carillon_operator", "carillon_worker", "carillon_auth", "carillon_eraser", mighty] {
      for borrower in [role, between] {
        _ = try await database.column("GRANT \(lent) TO \(borrower)")
        let text = try await refusal(of: database.conninfo(role: role))
        #expect(
          text.contains("\(role) is a member of \(lent), and may act so") && text.contains("REVOKE \(lent)"),
          "\(text)")
        _ = try await database.column("REVOKE \(lent) FROM \(borrower)")
      }
    }
    _ = try await database.column("GRANT carillon_owner TO \(between)")
    #expect(try await refusal(of: database.conninfo(role: role)).contains("owns the schema"))
    _ = try await database.column("REVOKE carillon_owner FROM \(between)")
    _ = try await database.column("ALTER ROLE \(role) INHERIT")
    let server = try Running(
      ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "1"],
      environment: ["DATABASE_URL": database.conninfo(role: role)])
    #expect(await server.read(until: "ready"), "\(server.lines)")
    server.process.terminate()
    _ = await server.readToEnd()
    for name in [role, between, mighty] { _ = try await database.column("DROP ROLE \(name)") }
  }

  @Test(arguments: [("devices", "DISABLE"), ("api_keys", "NO FORCE"), ("tenants", "NO FORCE")])
  func itRefusesTablesWithoutRowSecurity(_ table: String, _ change: String) async throws {
    let database = try await MigratedDatabase.make()
    _ = try await database.column("ALTER TABLE carillon.\(table) \(change) ROW LEVEL SECURITY")
    let text = try await refusal(of: database.conninfo(.app))
    #expect(text.contains("not forced, for carillon.\(table).") && text.contains("ALTER TABLE"), "\(text)")
  }

  @Test(arguments: [
    (Schema.Role.app, "is made for another purpose"), (.operator, "has BYPASSRLS"),
    (.owner, "owns the schema"),
  ])
  func itRefusesAnotherRoleToTidyUp(_ role: Schema.Role, _ problem: String) async throws {
    let database = try await MigratedDatabase.make()
    let text = try await refusal(of: database.conninfo(.app), worker: database.conninfo(role))
    #expect(text.contains("CARILLON_WORKER_DATABASE_URL \(problem)"), "\(text)")
    #expect(text.contains("Connect as carillon_worker"), "\(text)")
  }

  /// A role of its own: it belongs to the cluster, which other tests use.
  @Test func itRefusesASuperuserOrAStrangerToTidyUp() async throws {
    let database = try await MigratedDatabase.make()
    let role = "tidier_of_\(database.name)"
    _ = try await database.column("CREATE ROLE \(role) LOGIN SUPERUSER")
    func refused() async throws -> String {
      try await refusal(of: database.conninfo(.app), worker: database.conninfo(role: role))
    }
    #expect(try await refused().contains("\(role) of CARILLON_WORKER_DATABASE_URL is a superuser"))
    _ = try await database.column("ALTER ROLE \(role) NOSUPERUSER")
    #expect(try await refused().contains("is no member of carillon_worker"))
    _ = try await database.column("GRANT carillon_worker, carillon_operator TO \(role)")
    #expect(try await refused().contains("is a member of carillon_operator, carillon_worker"))
    _ = try await database.column("REVOKE carillon_operator FROM \(role)")
    let server = try Running(
      ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "1"],
      environment: [
        "DATABASE_URL": database.conninfo(.app),
        "CARILLON_WORKER_DATABASE_URL": database.conninfo(role: role),
      ])
    #expect(await server.read(until: "ready"), "\(server.lines)")
    server.process.terminate()
    _ = await server.readToEnd()
    _ = try await database.column("DROP ROLE \(role)")
  }

  private func refusal(of conninfo: String, worker: String? = nil) async throws -> String {
    let server = try Running(
      ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"],
      environment: ["DATABASE_URL": conninfo, "CARILLON_WORKER_DATABASE_URL": worker].compactMapValues(\.self)
    )
    let text = await server.readToEnd()
    #expect(server.process.terminationStatus == 1)
    return text
  }

  @Test func itRefusesADatabaseWithoutTheSchema() async throws {
    let database = try await makeDatabase()
    _ = try await MigratedDatabase.make()
    let server = try Running(
      ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"],
      environment: ["DATABASE_URL": database.conninfo(role: "carillon_app")])
    let text = await server.readToEnd()
    #expect(server.process.terminationStatus == 1)
    #expect(text.contains("tenantctl db migrate"), "\(text)")
  }

  @Test func itRefusesAMissingZoneFolder() async throws {
    let database = try await MigratedDatabase.make()
    let server = try Running(
      ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--tzdir", "/nowhere"],
      environment: ["DATABASE_URL": database.conninfo(.app)])
    let text = await server.readToEnd()
    #expect(server.process.terminationStatus == 1)
    #expect(text.contains("/nowhere"), "\(text)")
  }
}
