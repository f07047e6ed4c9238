import CarillonJSON
import Dispatch
import Foundation
import Testing

/// The measurements stay alive: each runs once, small. What they measure is nobody's business here.
@Suite struct BenchmarkTests {
  @Test func steadySyncsAreMeasuredBesideTheirRival() async throws {
    let programs = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let output = FileManager.default.temporaryDirectory.appendingPathComponent(
      "carillon-bench-\(UUID()).json")
    defer { try? FileManager.default.removeItem(at: output) }
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let process = Process()
    process.executableURL = programs.appendingPathComponent("carillon-bench")
    process.arguments = [
      "sync", "run", "--rounds", "1", "--seconds", "1", "--devices", "64", "--connections", "8", "--port",
      "\(20_000 + Int(getpid()) % 10_000)", "-o", "json",
    ]
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
    #expect(names.contains("steady syncs") && names.contains("syncs for each upsert"))
    #expect(figures.array?.allSatisfy { $0["values"]?.array?.count == 1 } == true)
  }
}
