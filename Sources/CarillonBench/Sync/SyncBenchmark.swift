import CarillonEventLoop
import Foundation

/// Syncs over HTTP against `pgbench` of one upsert a transaction on the same cluster, and against a plain server in
/// Python where its packages are there; in turn.
///
/// Every device holds 64 planned notifications and reports in full; row security is on.
struct SyncBenchmark {
  /// What each sync brings.
  enum Kind: String, CaseIterable {
    /// Nothing has changed.
    case steady
    /// One notification is put at another time: a new plan, and a diff of one request.
    case changing
    /// A device that was never seen, with its queue of 80: its plan, and 64 requests.
    case first
  }

  struct Settings {
    var kind = Kind.steady
    var devices = 2_000
    var connections = 64
    var seconds = 8
    var rounds = 3
    var port: UInt16 = 18_080
    /// Where `carillon-server` and `tenantctl` stand.
    var programs: String
    /// Where `pgbench` and `psql` stand.
    var postgresPrograms: String
  }

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    let data = NSTemporaryDirectory() + "carillon-bench-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: data) }
    progress("starting a server with a database of its own")
    let server = try BenchServer(
      programs: settings.programs, postgresPrograms: settings.postgresPrograms, port: settings.port,
      data: data)
    defer { server.stop() }
    let fleet = SyncFleet(
      devices: settings.devices, connections: settings.connections, key: try server.makeTenant())

    let loop = try EventLoop(name: "load")
    loop.start()
    defer { loop.stop() }
    let load = Load(on: loop)
    progress(
      "filling \(settings.devices) devices with \(SyncFleet.notificationsPerDevice) notifications each")
    try await fleet.fill(through: load, port: settings.port)
    if settings.kind == .changing { try await fleet.prepareChanges(through: load, port: settings.port) }
    let floor = PostgresFloor(socketFolder: server.socketFolder, programs: settings.postgresPrograms)
    try floor.prepare()
    let peer = try PythonPeer(socketFolder: server.socketFolder, port: settings.port + 1)
    defer { peer?.stop() }
    if peer == nil { progress("no peer: \(PythonPeer.packages.joined(separator: ", ")) are not all there") }

    var figures = SyncFigures(kind: settings.kind)
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      fleet.begin(stage)
      let before = (server.times, try server.bytesOfWAL())
      let result = try await run(load, port: settings.port, fleet.next)
      figures.note(result, used: server.times - before.0, log: try server.bytesOfWAL() - before.1)
      figures.upserts.values.append(try floor.run(clients: settings.connections, seconds: settings.seconds))
      if let peer {
        let result = try await run(load, port: peer.port, peer.next)
        figures.peer.values.append(result.perSecond)
      }
    }
    return figures.all
  }

  private var stage: SyncFleet.Stage {
    switch settings.kind {
    case .steady: .steady
    case .changing: .changing
    case .first: .newcomers
    }
  }

  private func run(
    _ load: Load, port: UInt16, _ next: @escaping @Sendable (Int, inout [UInt8]) -> Bool
  ) async throws -> Load.Result {
    let result = try await load.run(
      port: port, connections: settings.connections, for: .seconds(settings.seconds), next: next)
    guard result.failures == 0, result.answers > 0 else {
      throw LoadFailure(detail: "\(result.failures) of \(result.answers) syncs failed: \(result.sampleText)")
    }
    return result
  }
}
