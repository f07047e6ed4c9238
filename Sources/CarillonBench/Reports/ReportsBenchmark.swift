import CarillonEventLoop
import Foundation

/// The six reports over a long time of a large fleet: over HTTP, as an app's backend asks, and by `tenantctl`.
struct ReportsBenchmark {
  struct Settings {
    var devices = 1_000_000
    /// Devices whose day is really counted.
    var sample = 20_000
    var days = 365
    var rounds = 5
    var seed = 1
    var port: UInt16 = 18_180
    /// Where `carillon-server` and `tenantctl` stand.
    var programs: String
    /// Where `psql` stands.
    var postgresPrograms: String
  }

  static let reports = ["evictions", "authorization", "priming", "fatigue", "delivery", "engagement"]

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
    let key = try server.makeTenant()
    let fleet = ReportsFleet(settings: settings, server: server)
    var measurements = try fleet.fill(progress)

    let loop = try EventLoop(name: "load")
    loop.start()
    defer { loop.stop() }
    let load = Load(on: loop)
    var overHTTP: [String: [Double]] = [:]
    var used: [String: [Double]] = [:]
    var byCommand: [String: [Double]] = [:]
    var sizes: [String: Double] = [:]
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      for report in Self.reports {
        let before = server.times
        let result = try await load.run(
          port: settings.port, connections: 1, for: nil, next: request(report, key: key, days: fleet.period))
        guard result.failures == 0, result.answers == 1 else {
          throw LoadFailure(detail: "\(report) failed: \(result.sampleText)")
        }
        overHTTP[report, default: []].append(result.percentile(0))
        let times = server.times - before
        used[report, default: []].append((times.server + times.database) * 1e3)
        sizes[report] = Double(result.bytes) / 1e6
        let clock = ContinuousClock()
        let took = try clock.measure {
          _ = try server.run(
            ["report", report, "bench", "--from", fleet.period.from, "--to", fleet.period.to, "-o", "json"])
        }
        byCommand[report, default: []].append(
          Double(took.components.attoseconds) / 1e15 + Double(took.components.seconds) * 1e3)
      }
    }
    for report in Self.reports {
      measurements += [
        Measurement(name: "\(report) over HTTP", unit: "ms", values: overHTTP[report] ?? []),
        Measurement(
          name: "\(report), CPU of server and PostgreSQL", unit: "ms", values: used[report] ?? []),
        Measurement(name: "\(report) by tenantctl", unit: "ms", values: byCommand[report] ?? []),
        Measurement(name: "\(report), the answer", unit: "MB", values: sizes[report].map { [$0] } ?? []),
      ]
    }
    return measurements
  }

  /// One request of a connection, then its end.
  private func request(
    _ report: String, key: String, days: (from: String, to: String)
  ) -> @Sendable (Int, inout [UInt8]) -> Bool {
    let text = """
      GET /v1/reports/\(report)?from=\(days.from)&to=\(days.to) HTTP/1.1\r\nHost: 127.0.0.1\r\n\
      Authorization: Bearer \(key)\r\n\r\n
      """
    let once = Once()
    return { _, buffer in
      guard once.take() else { return false }
      buffer += text.utf8
      return true
    }
  }
}
