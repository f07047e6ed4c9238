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
    var testDescription: String { arguments.prefix { !$0.hasPrefix("-") }.joined(separator: " ") }

    init(arguments: [String], rows: [String]) {
      self.arguments = arguments
      self.rows = rows
    }

    /// With a server of its own.
    ///
    /// - Parameter place: sets its port apart from the others'.
    init(_ words: String, at place: Int, rows: [String]) {
      // Below those that connections are given.
      let port = 20_000 + (Int(getpid()) % 380) * 30 + place * 2
      self.init(arguments: words.split(separator: " ").map(String.init) + ["--port", "\(port)"], rows: rows)
    }
  }

  static let runs = [
    Run(
      "sync --rounds 1 --seconds 1 --devices 64 --connections 8", at: 0,
      rows: ["steady syncs", "syncs for each upsert", "WAL a sync"]),
    Run(
      "sync --client sdk --rounds 1 --seconds 1 --devices 64 --connections 8", at: 11,
      rows: ["syncs of the SDK", "bare syncs", "SDK sync p99", "an idle device of the SDK"]),
    Run("sync changing --rounds 1 --seconds 1 --devices 64 --connections 8", at: 1, rows: ["changing syncs"]),
    Run("sync first --rounds 1 --seconds 1 --devices 64 --connections 8", at: 2, rows: ["first syncs"]),
    Run(
      "plan-304 --rounds 1 --seconds 1 --devices 64 --connections 8", at: 3, rows: ["plans, 304", "healthz"]),
    Run(
      "enqueue --rounds 1 --seconds 1", at: 4, rows: ["operations in batches of 1,000", "rows of pgbench"]),
    Run(
      "fairness --rounds 1 --seconds 1", at: 5,
      rows: ["sync p99 alone", "p99 beside a flood, times alone", "of them served"]),
    Run(
      "memory --seconds 1 --idle 2000 --devices 64 --connections 8", at: 6,
      rows: ["at rest", "an idle connection"]),
    Run(
      "fleet --rounds 1 --devices 200 --tenants 3", at: 7, rows: ["devices planned anew", "devices copied"]),
    Run(
      "scale --rounds 1 --seconds 1 --devices 1000 --tenants 3", at: 8,
      rows: ["steady syncs, 100 devices", "large for small"]),
    Run(
      "reports --rounds 1 --devices 10000 --sample-devices 1000 --days 3", at: 10,
      rows: ["roll-up of a day", "rows of counters", "evictions over HTTP", "engagement by tenantctl"]),
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
    #expect(figures.array?.allSatisfy { $0["values"]?.array?.isEmpty == false } == true)
  }
}
