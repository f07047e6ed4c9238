import CarillonJSON
import Dispatch
import Foundation
import TestSupport
import Testing

/// The measurements stay alive: each runs once, small. What they measure is nobody's business here.
@Suite struct BenchmarkTests {
  struct Run: CustomTestStringConvertible {
    var arguments: [String]
    /// Rows that must be there.
    var rows: [String]
    var testDescription: String { arguments[0] }
  }

  // Ports below those that the system gives to clients, of which other tests have thousands.
  static let runs = [
    Run(
      arguments: [
        "sync", "--rounds", "1", "--seconds", "1", "--devices", "64", "--connections", "8", "--port",
        "\(20_000 + Int(getpid()) % 10_000)",
      ], rows: ["steady syncs", "syncs for each upsert"]),
    Run(
      arguments: [
        "fairness", "--rounds", "1", "--seconds", "1", "--port", "\(10_000 + Int(getpid()) % 10_000)",
      ], rows: ["sync p99 alone", "p99 beside a flood, times alone", "of them served"]),
    Run(
      arguments: ["planner", "--rounds", "1", "--sample", "1", "--entries", "70"],
      rows: [
        "plan 70 entries, quiet hours and a cap", "plan 70 entries, no rules, plain",
        "plan 70 entries, no rules, times faster",
      ]),
    Run(
      arguments: ["json", "--rounds", "1", "--sample", "1"],
      rows: ["read a report", "write a report, times faster"]),
    Run(
      arguments: ["time", "--rounds", "1", "--sample", "1"],
      rows: ["next fire daily", "next fire nth weekday, Foundation", "offset of an instant, times faster"]),
    Run(
      arguments: [
        "reports", "--rounds", "1", "--devices", "10000", "--sample-devices", "1000", "--days", "3", "--port",
        "\(30_000 + Int(getpid()) % 2_000)",
      ],
      rows: ["roll-up of a day", "rows of counters", "evictions over HTTP", "engagement by tenantctl"]),
  ]

  @Test(arguments: runs) func measurementsStayAlive(_ run: Run) async throws {
    let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let output = FileManager.default.temporaryDirectory.appendingPathComponent(
      "carillon-bench-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: output) }
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let process = Program()
    process.executableURL = programs.appendingPathComponent("carillon-bench")
    process.arguments = run.arguments + ["-o", "json"]
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = FileHandle.nullDevice
    try process.run()
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        process.waitUntilExit()
        continuation.resume()
      }
    }
    #expect(process.terminationStatus == 0)
    let figures = try JSONValue(parsing: Array(Data(contentsOf: output)))
    let names = figures.array?.compactMap { $0["name"]?.string } ?? []
    #expect(Set(run.rows).subtracting(names) == [])
    #expect(figures.array?.allSatisfy { $0["values"]?.array?.count == 1 } == true)
  }
}
