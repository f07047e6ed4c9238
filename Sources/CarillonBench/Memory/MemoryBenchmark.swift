import Foundation

/// What the server's process has in memory: before a load, after its first minute, at its end and at most; and for
/// each connection that stands idle.
struct MemoryBenchmark {
  struct Settings {
    var devices = 2_000
    var connections = 64
    var seconds = 600
    var idle = 10_000
    var place: Place
  }

  /// Above so many the memory of one more is counted.
  static let base = 1_000
  /// Looks at the memory during the load, at most one a second.
  static let looks = 20

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    try await Workbench.with(settings.place, progress) { bench in try await run(on: bench) }
  }

  private func run(on bench: Workbench) async throws -> [Measurement] {
    let fleet = SyncFleet(
      devices: settings.devices, connections: settings.connections, key: try bench.server.makeTenant())
    let atRest = bench.server.residentKiB
    try await fleet.fill(through: bench.load, port: bench.port)
    try await fleet.prepareChanges(through: bench.load, port: bench.port)
    progress("\(settings.seconds) seconds of changing syncs")
    var resident: [Int] = []
    let looks = min(Self.looks, settings.seconds)
    for _ in 0..<looks {
      fleet.begin(.changing)
      _ = try await bench.run(
        connections: settings.connections, seconds: settings.seconds / looks, next: fleet.next)
      resident.append(bench.server.residentKiB)
    }
    progress("\(settings.idle) idle connections")
    let idle = try idle(bench)
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
  private func idle(_ bench: Workbench) throws -> Double {
    var limit = rlimit(rlim_cur: 65_536, rlim_max: 65_536)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    let first = try IdleConnections(Self.base, port: bench.port)
    let few = bench.server.residentKiB
    let rest = try IdleConnections(settings.idle - Self.base, port: bench.port)
    let many = bench.server.residentKiB
    withExtendedLifetime((first, rest)) {}
    return Double(many - few) * 1024 / Double(settings.idle - Self.base)
  }
}
