import CarillonJSON
import CarillonModel
import CarillonServer
import CarillonStore
import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// The PostgreSQL that a server runs itself ends under it.
@Suite struct DatabaseLossTests {
  private func postmaster(in folder: String) throws -> pid_t {
    let file = "\(EmbeddedCluster.folder(in: folder))/data/postmaster.pid"
    let line = try String(contentsOfFile: file, encoding: .utf8).prefix { $0.isNumber }
    return try #require(pid_t(line))
  }

  @Test(arguments: [SIGKILL, SIGINT])
  func `the server says so, ends with code 1 and starts again by itself`(_ signal: Int32) async throws {
    try await withTemporaryFolder { folder in
      let arguments = [
        "--data", folder, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "2",
      ]
      let first = try ProgramTests.Running(arguments)
      try #require(await first.read(until: "ready"), "\(first.lines)")
      let now = Instant(seconds: Int64(Date().timeIntervalSince1970))
      let tenant = try await TestTenant.make(
        "lost", operatorConninfo: try #require(EmbeddedDatabase.operatorConninfo(in: folder)), at: now)
      let device = Reports.newDevice()
      let client = HTTPTestClient(port: try #require(first.port("port")), key: tenant.key)
      let notification = Reports.notification("kept", inHours: 1)
      #expect(
        try await client.send("PUT", Reports.path(device, "/notifications/kept"), body: notification).status
          == 201)

      let pid = try postmaster(in: folder)
      let answers = Task {
        var answers: [HTTPTestClient.Response] = []
        // Until nobody listens any more.
        while let answer = try? await client.send("GET", Reports.path(device, "/notifications/kept")) {
          answers.append(answer)
        }
        return answers
      }
      #expect(kill(pid, signal) == 0)
      let log = await first.readToEnd()
      #expect(first.process.terminationReason == .exit && first.process.terminationStatus == 1, "\(log)")
      for answer in await answers.value { #expect([200, 503].contains(answer.status), "\(answer)") }
      let errors = log.split(separator: "\n").compactMap { try? JSONValue(parsing: Array($0.utf8)) }
        .filter { $0["level"]?.string == "error" }
      #expect(errors.count == 1, "\(log)")
      let reason = try #require(errors.first?["reason"]?.string)
      #expect(reason.contains("process \(pid)") && reason.contains("postgres.log"), "\(reason)")
      #expect(reason.contains(signal == SIGKILL ? "signal 9" : "exit code 0"), "\(reason)")
      #expect(errors.first?["remedy"]?.string?.contains("Start the server again") == true, "\(log)")
      #expect(log.contains("\"stopped\""), "\(log)")

      let second = try ProgramTests.Running(arguments)
      try #require(await second.read(until: "ready"), "\(second.lines)")
      let again = HTTPTestClient(port: try #require(second.port("port")), key: tenant.key)
      #expect(try await again.send("GET", Reports.path(device, "/notifications/kept")).status == 200)
      second.process.terminate()
      _ = await second.readToEnd()
      #expect(second.process.terminationStatus == 0)
    }
  }

  /// Both at once, as when a machine's memory has run out: what is left of either is in nobody's way.
  @Test func `a server killed together with its database starts again by itself`() async throws {
    try await withTemporaryFolder { folder in
      let arguments = ["--data", folder, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0"]
      for _ in 0..<3 {
        let server = try ProgramTests.Running(arguments)
        try #require(await server.read(until: "ready"), "\(server.lines)")
        let pid = try postmaster(in: folder)
        kill(server.process.processIdentifier, SIGKILL)
        kill(pid, SIGKILL)
        _ = await server.readToEnd()
      }
    }
  }
}
