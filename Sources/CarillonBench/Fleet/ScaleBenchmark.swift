import CarillonEventLoop
import Foundation

/// Steady syncs of devices all over a table, small and ten times as large: the two servers run side by side, and are
/// loaded in turn.
struct ScaleBenchmark {
  struct Settings {
    /// In the large table.
    var devices = 1_000_000
    var tenants = 20
    var seed: UInt64 = 1
    var connections = 64
    var seconds = 8
    var rounds = 3
    var port: UInt16 = 18_080
    /// Where `carillon-server` and `tenantctl` stand.
    var programs: String
    /// Where `psql` stands.
    var postgresPrograms: String
  }

  static let factor = 10

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    let small = try await side(settings.devices / Self.factor, port: settings.port)
    defer { small.end() }
    let large = try await side(settings.devices, port: settings.port + 1)
    defer { large.end() }
    let loop = try EventLoop(name: "load")
    loop.start()
    defer { loop.stop() }
    let load = Load(on: loop)
    var figures: [[Measurement]] = [[], []]
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      for (place, side) in [small, large].enumerated() {
        let before = (side.server.times, try side.server.bytesOfWAL())
        let result = try await load.run(
          port: side.port, connections: settings.connections, for: .seconds(settings.seconds),
          next: side.fleet.next)
        guard result.failures == 0, result.answers > 0 else {
          throw LoadFailure(detail: "\(result.failures) of \(result.answers) failed: \(result.sampleText)")
        }
        let log = try side.server.bytesOfWAL() - before.1
        side.note(result, used: side.server.times - before.0, log: log, in: &figures[place])
      }
    }
    return figures[0] + figures[1] + [.ratio("large for small", figures[1][0], figures[0][0])]
  }

  private func side(_ devices: Int, port: UInt16) async throws -> Side {
    progress("a server with \(devices) devices")
    let data = NSTemporaryDirectory() + "carillon-bench-\(getpid())-\(devices)"
    let server = try BenchServer(
      programs: settings.programs, postgresPrograms: settings.postgresPrograms, port: port, data: data)
    do {
      let shape = Fleet.Shape(devices: devices, tenants: settings.tenants, seed: settings.seed)
      let fleet = try await Fleet(shape, on: server, port: port, progress: progress)
      return Side(server: server, fleet: fleet, port: port, data: data)
    } catch {
      server.stop()
      try? FileManager.default.removeItem(atPath: data)
      throw error
    }
  }

  private struct Side {
    let server: BenchServer
    let fleet: Fleet
    let port: UInt16
    let data: String

    func end() {
      server.stop()
      try? FileManager.default.removeItem(atPath: data)
    }

    func note(
      _ result: Load.Result, used: BenchServer.Times, log: Double, in figures: inout [Measurement]
    ) {
      let answers = Double(result.answers)
      let rows: [(String, String, Double)] = [
        ("steady syncs", "1/s", result.perSecond), ("sync p50", "ms", result.percentile(0.5)),
        ("sync p99", "ms", result.percentile(0.99)), ("server CPU a sync", "us", used.server / answers * 1e6),
        ("PostgreSQL CPU a sync", "us", used.database / answers * 1e6),
        ("WAL a sync", "bytes", log / answers),
      ]
      if figures.isEmpty {
        figures = rows.map {
          Measurement(name: "\($0.0), \(fleet.shape.devices) devices", unit: $0.1, values: [])
        }
      }
      for (place, row) in rows.enumerated() { figures[place].values.append(row.2) }
    }
  }
}
