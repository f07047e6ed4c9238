import CarillonEventLoop
import Foundation

/// Steady syncs over HTTP against `pgbench` of one upsert a transaction on the same cluster, in turn.
///
/// Every device holds 64 planned notifications and reports, in full, that nothing has changed; row security is on.
struct SyncBenchmark {
  struct Settings {
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
    let server = try BenchServer(programs: settings.programs, port: settings.port, data: data)
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
    let floor = PostgresFloor(socketFolder: server.socketFolder, programs: settings.postgresPrograms)
    try floor.prepare()

    var figures = Figures()
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      fleet.begin(.steady)
      let before = server.times
      let result = try await load.run(
        port: settings.port, connections: settings.connections, for: .seconds(settings.seconds),
        next: fleet.next)
      guard result.failures == 0, result.answers > 0 else {
        throw LoadFailure(detail: "\(result.failures) of \(result.answers) syncs failed")
      }
      figures.note(result, used: server.times - before)
      figures.upserts.values.append(try floor.run(clients: settings.connections, seconds: settings.seconds))
    }
    return figures.all
  }

  private struct Figures {
    var syncs = Measurement(name: "steady syncs", unit: "1/s", values: [])
    var upserts = Measurement(name: "pgbench upserts", unit: "1/s", values: [])
    var median = Measurement(name: "sync p50", unit: "ms", values: [])
    var tail = Measurement(name: "sync p99", unit: "ms", values: [])
    var serverTime = Measurement(name: "server CPU a sync", unit: "us", values: [])
    var databaseTime = Measurement(name: "PostgreSQL CPU a sync", unit: "us", values: [])

    mutating func note(_ result: Load.Result, used: BenchServer.Times) {
      syncs.values.append(result.perSecond)
      median.values.append(result.percentile(0.5))
      tail.values.append(result.percentile(0.99))
      serverTime.values.append(used.server / Double(result.answers) * 1e6)
      databaseTime.values.append(used.database / Double(result.answers) * 1e6)
    }

    var all: [Measurement] {
      [
        syncs, upserts, .ratio("syncs for each upsert", syncs, upserts), median, tail, serverTime,
        databaseTime,
      ]
    }
  }
}
