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
    /// Of the server with the small table; the other's port is the next one.
    var place: Place
  }

  static let factor = 10

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    var other = settings.place
    other.port += 1
    return try await side(settings.devices / Self.factor, at: settings.place) { small in
      try await side(settings.devices, at: other) { large in try await contest(small, large) }
    }
  }

  private func contest(_ sides: Side...) async throws -> [Measurement] {
    var figures: [[Measurement]] = sides.map { _ in [] }
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      for (place, side) in sides.enumerated() {
        let server = side.bench.server
        let before = (server.times, try server.bytesOfWAL())
        let result = try await side.bench.run(
          connections: settings.connections, seconds: settings.seconds, next: side.fleet.next)
        let log = try server.bytesOfWAL() - before.1
        side.note(result, used: server.times - before.0, log: log, in: &figures[place])
      }
    }
    return figures.flatMap { $0 } + [.ratio("large for small", figures[1][0], figures[0][0])]
  }

  private func side(
    _ devices: Int, at place: Place, _ body: (Side) async throws -> [Measurement]
  ) async throws -> [Measurement] {
    progress("a server with \(devices) devices")
    return try await Workbench.with(place, progress) { bench in
      let shape = Fleet.Shape(devices: devices, tenants: settings.tenants, seed: settings.seed)
      return try await body(Side(bench: bench, fleet: try await Fleet(shape, on: bench, progress: progress)))
    }
  }

  private struct Side {
    let bench: Workbench
    let fleet: Fleet

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
