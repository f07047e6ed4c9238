import CarillonEventLoop
import Foundation

/// What the server's process has in memory: before a load, after its first minute, at its end and at most; and for
/// each connection that stands idle.
struct MemoryBenchmark {
  struct Settings {
    var devices = 2_000
    var connections = 64
    var seconds = 600
    var idle = 10_000
    var port: UInt16 = 18_080
    /// Where `carillon-server` and `tenantctl` stand.
    var programs: String
  }

  /// Above so many the memory of one more is counted.
  static let base = 1_000
  /// Looks at the memory during the load, at most one a second.
  static let looks = 20

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    let data = NSTemporaryDirectory() + "carillon-bench-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: data) }
    progress("starting a server with a database of its own")
    let server = try BenchServer(programs: settings.programs, port: settings.port, data: data)
    defer { server.stop() }
    let fleet = SyncFleet(
      devices: settings.devices, connections: settings.connections, key: try server.makeTenant())
    let loop = try EventLoop(name: "load")
    loop.start()
    defer { loop.stop() }
    let load = Load(on: loop)
    let atRest = server.residentKiB
    try await fleet.fill(through: load, port: settings.port)
    try await fleet.prepareChanges(through: load, port: settings.port)
    progress("\(settings.seconds) seconds of changing syncs")
    var resident: [Int] = []
    let looks = min(Self.looks, settings.seconds)
    for _ in 0..<looks {
      fleet.begin(.changing)
      let result = try await load.run(
        port: settings.port, connections: settings.connections,
        for: .seconds(settings.seconds / looks), next: fleet.next)
      guard result.failures == 0, result.answers > 0 else {
        throw LoadFailure(detail: "\(result.failures) of \(result.answers) failed: \(result.sampleText)")
      }
      resident.append(server.residentKiB)
    }
    progress("\(settings.idle) idle connections")
    let idle = try await idle(server, load)
    func row(_ name: String, _ values: [Int]) -> Measurement {
      Measurement(name: name, unit: "MB", values: values.map { Double($0) / 1024 })
    }
    return [
      row("at rest", [atRest]), row("first fifth of the load", Array(resident.prefix(max(1, looks / 5)))),
      row("last fifth of the load", Array(resident.suffix(max(1, looks / 5)))),
      row("during the load", resident),
      Measurement(name: "an idle connection", unit: "bytes", values: [idle]),
    ]
  }

  /// Each has sent one request and keeps its connection.
  private func idle(_ server: BenchServer, _ load: Load) async throws -> Double {
    var limit = rlimit(rlim_cur: 65_536, rlim_max: 65_536)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let first = try IdleConnections(Self.base, port: settings.port)
    let few = server.residentKiB
    let rest = try IdleConnections(settings.idle - Self.base, port: settings.port)
    let many = server.residentKiB
    withExtendedLifetime((first, rest)) {}
    return Double(many - few) * 1024 / Double(settings.idle - Self.base)
  }
}
