import CarillonJSON
import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// An archive while others are at work: of one moment, and taken once.
@Suite struct ArchiveMomentTests {
  /// A command of which a test awaits the end.
  private final class Command: Sendable {
    let program = Program()
    private let ended = AsyncStream.makeStream(of: Void.self)

    init(_ words: [String], in installation: Installation, output: FileHandle = .nullDevice) throws {
      program.executableURL = URL(filePath: Tenantctl.path)
      program.arguments = words
      program.environment = ["DATABASE_URL": installation.url(.operator) + " options='-c lock_timeout=0'"]
      program.standardInput = FileHandle.nullDevice
      program.standardOutput = output
      program.standardError = FileHandle.nullDevice
      program.terminationHandler = { [ended] _ in ended.continuation.finish() }
      try program.run()
    }

    func code() async -> Int32 {
      for await _ in ended.stream {}
      return program.terminationStatus
    }
  }

  /// An export in its middle: what it has written fills the pipe that nobody empties.
  private final class HaltedExport: Sendable {
    let command: Command
    private let reader: FileHandle
    private let head: Data

    /// - Parameter tenant: has more in its inboxes, which come early, than pipe and buffer hold.
    init(of tenant: String, in installation: Installation) async throws {
      let pipe = Pipe()
      command = try Command(
        ["tenant", "export", tenant, "-"], in: installation, output: pipe.fileHandleForWriting)
      try pipe.fileHandleForWriting.close()
      let reader = pipe.fileHandleForReading
      self.reader = reader
      head = try await Self.reading { try reader.read(upToCount: 1_000) ?? Data() }
      try #require(!head.isEmpty)
    }

    /// Lets it go on to its end, and writes all of it into a file.
    func finish(in folder: TemporaryFolder) async throws -> String {
      try #require(command.program.isRunning, "the archive fits into a pipe: there must be more of it")
      let reader = reader
      let rest = try await Self.reading { try reader.readToEnd() ?? Data() }
      try #require(await command.code() == 0)
      try (head + rest).write(to: folder.url.appending(path: "halted.ndjson"))
      return folder.path("halted.ndjson")
    }

    /// Blocking reads, away from the pool that tests share.
    private static func reading(_ body: @escaping @Sendable () throws -> Data) async throws -> Data {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
      }
    }
  }

  private static let devices = (1...3).map { "00000000-0000-4000-8000-0000000000c\($0)" }

  /// All that a round changes says which round it was.
  private func sync(_ round: Int, _ device: String, _ client: HTTPTestClient) async throws {
    let body = """
      {"sequence":\(round),"device":{"timeZone":"Europe/Madrid","cohort":"c\(round)"},"authorizationStatus":"authorized",
       "events":[{"id":"e\(round)","kind":"valueAction","at":"\(FullTenant.start)"}],
       "put":[{"id":"n","content":{"title":"round \(round)"},"trigger":{"kind":"instant","at":"\(FullTenant.end)"}}]}
      """
    let answer = try await client.send("POST", "/v1/devices/\(device)/sync", body: body)
    try #require(answer.status == 200, "\(answer)")
  }

  private func batch(_ round: Int, _ client: HTTPTestClient) async throws {
    let operations = Self.devices.map {
      """
      {"op":"put","deviceId":"\($0)","notification":{"id":"b\(round)","content":{"title":"T"},
       "trigger":{"kind":"instant","at":"\(FullTenant.end)"}}}
      """
    }
    let answer = try await client.send(
      "POST", "/v1/notifications", body: "{\"operations\":[\(operations.joined(separator: ","))]}")
    try #require(answer.status == 200, "\(answer)")
  }

  private func rows(_ path: String) throws -> [(table: String, row: JSONValue)] {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    return text.split(separator: "\n").compactMap { line in
      guard let json = try? JSONValue(parsing: Array(line.utf8)), let table = json["table"]?.string,
        let row = json["row"]
      else { return nil }
      return (table, row)
    }
  }

  /// The export stops in the middle, for rounds of syncs and batches: of what they write it shows nothing, in no table,
  /// and what is made of it elsewhere is the same again.
  @Test func whatIsWrittenMeanwhileIsNotInIt() async throws {
    let installation = try await Installation()
    let full = try await FullTenant.make("acme", in: installation)
    try await full.addDevices(2_000)
    let folder = try TemporaryFolder()
    let first = try await TestServer.with(now: FullTenant.end, database: installation.database) { server in
      let client = server.client(full.tenant)
      for round in 1...3 {
        for device in Self.devices { try await sync(round, device, client) }
        try await batch(round, client)
      }
      let export = try await HaltedExport(of: "acme", in: installation)
      for round in 4...6 {
        for device in Self.devices { try await sync(round, device, client) }
        try await batch(round, client)
      }
      return try await export.finish(in: folder)
    }
    let found = try rows(first)
    for device in Self.devices {
      let own = found.filter { $0.row["device_id"]?.string == device }
      func values(_ table: String, _ column: String) -> [String] {
        own.filter { $0.table == table }.compactMap { $0.row[column].map { $0.string ?? "\($0.int ?? -1)" } }
          .sorted()
      }
      #expect(values("devices", "cohort") == ["c3"])
      #expect(values("device_syncs", "sequence") == ["3"])
      #expect(values("device_events", "event_id") == ["e1", "e2", "e3"])
      #expect(values("device_changes", "change_number") == ["1", "2", "3"])
      #expect(values("notifications", "notification_id") == ["b1", "b2", "b3", "n"])
    }
    _ = try await installation.json("tenant import \(first) --name copy")
    _ = try await installation.json("tenant export copy \(folder.path("b.ndjson"))")
    let again = try rows(folder.path("b.ndjson"))
    #expect(found.count == again.count)
    for (old, new) in zip(found, again) where old.table != new.table || old.row != new.row {
      Issue.record("\(old.table): \(old.row) became \(new.row)")
    }
  }

  /// It comes whole all the same, and of the tenant nothing is left.
  @Test func aTenantMayBeDeletedMeanwhile() async throws {
    let installation = try await Installation()
    let full = try await FullTenant.make("acme", in: installation)
    try await full.addDevices(2_000)
    let export = try await HaltedExport(of: "acme", in: installation)
    #expect(try await installation.run("tenant delete acme --yes").code == 0)
    let folder = try TemporaryFolder()
    let file = try await export.finish(in: folder)
    let left = try await installation.rows(of: full.tenant.id)
    #expect(left.filter { $0.value > 0 }.isEmpty, "\(left)")
    #expect(try await installation.json("tenant import \(file) --name copy")["name"] == "copy")
    #expect(try rows(file).filter { $0.table == "devices" }.count == 2_002)
  }

  @Test func anExportIsInTheLogBeforeItHasToldAnything() async throws {
    let installation = try await Installation()
    let full = try await FullTenant.make("acme", in: installation)
    try await full.addDevices(2_000)
    let export = try await HaltedExport(of: "acme", in: installation)
    kill(export.command.program.processIdentifier, SIGKILL)
    _ = await export.command.code()
    let log = try await installation.json("audit list acme --action tenant.export")
    #expect(log["items"]?.array?.count == 1, "\(log)")
  }

  /// Of two that want one name the other is told so, and nothing is left of its try; under two names both come.
  @Test func twoImportsAtOnceMakeOneTenantOfAName() async throws {
    let installation = try await Installation()
    let full = try await FullTenant.make("acme", in: installation)
    try await full.addDevices(600)
    let folder = try TemporaryFolder()
    let file = folder.path("a.ndjson")
    _ = try await installation.json("tenant export acme \(file)")
    func tenants() async throws -> [String] {
      try await installation.database.column(
        "SELECT name || ' ' || (SELECT count(*) FROM carillon.devices AS d WHERE d.tenant_id = t.tenant_id) FROM carillon.tenants AS t ORDER BY name"
      ).compactMap(\.self)
    }
    let same = try (0..<4).map { _ in
      try Command(["tenant", "import", file, "--name", "copy"], in: installation)
    }
    var codes: [Int32] = []
    for command in same { codes.append(await command.code()) }
    #expect(codes.sorted() == [0, 6, 6, 6])
    #expect(try await tenants() == ["acme 602", "copy 602"])
    let two = try ["one", "two"].map {
      try Command(["tenant", "import", file, "--name", $0], in: installation)
    }
    for command in two { #expect(await command.code() == 0) }
    #expect(try await tenants() == ["acme 602", "copy 602", "one 602", "two 602"])
    let orphans = try await installation.database.column(
      "SELECT count(*)::text FROM carillon.inbox_items WHERE tenant_id NOT IN (SELECT tenant_id FROM carillon.tenants)"
    )
    #expect(orphans == ["0"])
  }

  /// One bit anywhere, one byte less anywhere: it is refused, and the database is as it was.
  @Test func noBitMayBeAnother() async throws {
    let installation = try await Installation()
    _ = try await FullTenant.make("acme", in: installation)
    let folder = try TemporaryFolder()
    _ = try await installation.json("tenant export acme \(folder.path("whole"))")
    let whole = Array(try Data(contentsOf: URL(filePath: folder.path("whole"))))
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let before = try await installation.database.column("SELECT count(*)::text FROM carillon.devices")
    let last = whole.count - 1
    let places =
      [0, 1, last, last - 1, last - 70] + (0..<20).map { _ in Int.random(in: 0...last, using: &random) }
    for (number, place) in places.enumerated() {
      var bytes = whole
      if number.isMultiple(of: 2) {
        bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      } else {
        bytes.removeSubrange(place...)
      }
      let file = folder.path("damaged")
      try Data(bytes).write(to: URL(filePath: file))
      let outcome = try await installation.run("tenant import \(file) --name copy")
      #expect(outcome.code == 1, "seed \(seed), number \(number), byte \(place): \(outcome)")
      #expect(try await installation.run("tenant show copy").code == 5, "seed \(seed), number \(number)")
    }
    #expect(try await installation.database.column("SELECT count(*)::text FROM carillon.devices") == before)
  }

  /// The most memory that the program may ever hold, in MiB: a part of rows and a buffer, whatever the tenant's size.
  static let mostMebibytes = 48

  @Test func aLargeTenantNeedsNoMoreMemoryThanAPartOfIt() async throws {
    let installation = try await Installation()
    let full = try await FullTenant.make("acme", in: installation)
    try await full.addDevices(20_000)
    try await full.addNotifications(1, toEachOf: 20_000)
    let folder = try TemporaryFolder()
    let file = folder.path("a.ndjson")
    for words in [["tenant", "export", "acme", file], ["tenant", "import", file, "--name", "copy"]] {
      // What a child that was started from here has ever held begins with what this process holds: somebody small
      // starts it.
      let measured = try await runProgram(
        "python3",
        [
          "-c",
          """
          import os, resource, subprocess, sys
          code = subprocess.run(sys.argv[2:], env={"DATABASE_URL": sys.argv[1]}, stdout=subprocess.DEVNULL).returncode
          print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
          """, installation.url(.operator), Tenantctl.path,
        ] + words, in: folder.path(""))
      let numbers = measured.output.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
      try #require(numbers.count == 2 && numbers[0] == 0, "\(words): \(measured.output)")
      #expect(numbers[1] <= Self.mostMebibytes, "\(words) held \(numbers[1]) MiB")
    }
    let size = try #require(FileManager.default.attributesOfItem(atPath: file)[.size] as? Int)
    #expect(size > Self.mostMebibytes << 20, "the archive of \(size) bytes would fit into memory")
  }
}
