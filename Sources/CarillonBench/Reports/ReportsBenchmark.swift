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
    var place: Place
  }

  static let reports = ["evictions", "authorization", "priming", "fatigue", "delivery", "engagement"]

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    try await Workbench.with(settings.place, progress) { bench in try await run(on: bench) }
  }

  private func run(on bench: Workbench) async throws -> [Measurement] {
    let key = try bench.server.makeTenant()
    let fleet = ReportsFleet(settings: settings, server: bench.server)
    var measurements = try fleet.fill(progress)

    var overHTTP: [String: [Double]] = [:]
    var used: [String: [Double]] = [:]
    var byCommand: [String: [Double]] = [:]
    var sizes: [String: Double] = [:]
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      for report in Self.reports {
        let before = bench.server.times
        let result = try await bench.run(
          connections: 1, seconds: nil, next: request(report, key: key, days: fleet.period))
        overHTTP[report, default: []].append(result.percentile(0))
        let times = bench.server.times - before
        used[report, default: []].append((times.server + times.database) * 1e3)
        sizes[report] = Double(result.bytes) / 1e6
        let clock = ContinuousClock()
        let took = try clock.measure {
          _ = try bench.server.run(
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
