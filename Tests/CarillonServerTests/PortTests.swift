import CarillonStore
import IntegrationSupport
import TestSupport
import Testing

/// Two servers and one port.
@Suite struct PortTests {
  @Test(arguments: ["--listen", "--admin-listen"])
  func `the second server is refused with what to do`(_ option: String) async throws {
    let database = try await MigratedDatabase.make()
    let environment = ["DATABASE_URL": database.conninfo(.app)]
    let first = try ProgramTests.Running(
      ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "2"], environment: environment)
    try #require(await first.read(until: "ready"), "\(first.lines)")
    let port = try #require(first.port(option == "--listen" ? "port" : "adminPort"))
    let second = try ProgramTests.Running(
      [
        "--listen", option == "--listen" ? "127.0.0.1:\(port)" : "127.0.0.1:0", "--admin-listen",
        option == "--listen" ? "127.0.0.1:0" : "127.0.0.1:\(port)",
      ], environment: environment)
    let text = await second.readToEnd()
    #expect(second.process.terminationStatus == 1)
    #expect(text.contains("port \(port): Address already in use") && text.contains(option), "\(text)")
    #expect(first.process.isRunning)
    first.process.terminate()
    _ = await first.readToEnd()
    #expect(first.process.terminationStatus == 0)
  }
}
