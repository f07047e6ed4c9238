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
    var place: Place
  }

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    try await Workbench.with(settings.place, progress) { bench in try await run(on: bench) }
  }

  private func run(on bench: Workbench) async throws -> [Measurement] {
    let fleet = SyncFleet(
      devices: settings.devices, connections: settings.connections, key: try bench.server.makeTenant())

    progress(
      "filling \(settings.devices) devices with \(SyncFleet.notificationsPerDevice) notifications each")
    try await fleet.fill(through: bench.load, port: bench.port)
    if settings.kind == .changing { try await fleet.prepareChanges(through: bench.load, port: bench.port) }
    let floor = PostgresFloor(
      socketFolder: bench.server.socketFolder, programs: settings.place.postgresPrograms)
    try floor.prepare()
    let peer = try PythonPeer(socketFolder: bench.server.socketFolder, port: bench.port + 1)
    defer { peer?.stop() }
    if peer == nil { progress("no peer: \(PythonPeer.packages.joined(separator: ", ")) are not all there") }

    var figures = SyncFigures(kind: settings.kind)
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      fleet.begin(stage)
      let before = (bench.server.times, try bench.server.bytesOfWAL())
      let result = try await bench.run(
        connections: settings.connections, seconds: settings.seconds, next: fleet.next)
      figures.note(result, used: bench.server.times - before.0, log: try bench.server.bytesOfWAL() - before.1)
      figures.upserts.values.append(try floor.run(clients: settings.connections, seconds: settings.seconds))
      if let peer {
        let result = try await bench.run(
          connections: settings.connections, seconds: settings.seconds, port: peer.port, next: peer.next)
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

}
