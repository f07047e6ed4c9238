import CarillonEventLoop
import Foundation

/// What one tenant's flood does to another tenant's syncs: their time alone and beside it, in turn.
///
/// Both load the same server at a fixed rate: the one far below what the machine can do, the other at a multiple of its
/// limit, so that most of what it asks for is refused.
struct FairnessBenchmark {
  struct Settings {
    var devices = 256
    var seconds = 8
    var rounds = 3
    /// Requests a second that the flooding tenant may make; it makes ten times as many.
    var limit = 200
    var place: Place
  }

  static let timesOverLimit = 10
  /// Syncs a second of the tenant whose time is taken.
  static let quietRate = 400

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    try await Workbench.with(settings.place, progress) { bench in try await run(on: bench) }
  }

  private func run(on bench: Workbench) async throws -> [Measurement] {
    let quiet = try Side(
      bench.server, name: "quiet", devices: settings.devices, perSecond: Self.quietRate, connections: 8)
    let flood = try Side(
      bench.server, name: "flood", devices: settings.devices, perSecond: settings.limit * Self.timesOverLimit,
      connections: 40)
    progress("filling \(settings.devices) devices of each of two tenants")
    for side in [quiet, flood] { try await side.fill(bench.port) }
    try bench.server.limit("flood", perSecond: settings.limit)

    var figures = Figures()
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      let alone = try await quiet.run(bench.port, seconds: settings.seconds)
      let (port, seconds) = (bench.port, settings.seconds)
      async let flooded = flood.run(port, seconds: seconds)
      let beside = try await quiet.run(port, seconds: seconds)
      let refused = try await flooded
      guard alone.failures == 0, beside.failures == 0 else {
        throw LoadFailure(detail: "\(alone.failures + beside.failures) syncs of the quiet tenant failed")
      }
      figures.note(alone: alone, beside: beside, flood: refused, limit: settings.limit)
    }
    return figures.all
  }

  /// One tenant and its load.
  private struct Side: Sendable {
    let fleet: SyncFleet
    let load: Load
    let connections: Int
    let pace: Duration
    let devices: Int

    init(
      _ server: BenchServer, name: String, devices: Int, perSecond: Int, connections: Int
    ) throws {
      let loop = try EventLoop(name: name)
      loop.start()
      load = Load(on: loop)
      fleet = SyncFleet(devices: devices, connections: connections, key: try server.makeTenant(name))
      self.connections = connections
      self.devices = devices
      pace = .nanoseconds(1_000_000_000 * connections / perSecond)
    }

    func fill(_ port: UInt16) async throws {
      try await fleet.fill(through: load, port: port)
      fleet.begin(.steady)
    }

    func run(_ port: UInt16, seconds: Int) async throws -> Load.Result {
      try await load.run(
        port: port, connections: connections, for: .seconds(seconds), pace: pace, next: fleet.next)
    }
  }

  private struct Figures {
    var alone = Measurement(name: "sync p99 alone", unit: "ms", values: [])
    var beside = Measurement(name: "sync p99 beside a flood", unit: "ms", values: [])
    var aloneMedian = Measurement(name: "sync p50 alone", unit: "ms", values: [])
    var besideMedian = Measurement(name: "sync p50 beside a flood", unit: "ms", values: [])
    var rate = Measurement(name: "requests of the flood", unit: "1/s", values: [])
    var served = Measurement(name: "of them served", unit: "1/s", values: [])

    mutating func note(alone: Load.Result, beside: Load.Result, flood: Load.Result, limit: Int) {
      self.alone.values.append(alone.percentile(0.99))
      self.beside.values.append(beside.percentile(0.99))
      aloneMedian.values.append(alone.percentile(0.5))
      besideMedian.values.append(beside.percentile(0.5))
      rate.values.append(flood.perSecond)
      served.values.append(Double(flood.answers - flood.failures) / max(flood.seconds, 0.001))
    }

    var all: [Measurement] {
      [
        alone, beside, .ratio("p99 beside a flood, times alone", beside, alone), aloneMedian, besideMedian,
        .ratio("p50 beside a flood, times alone", besideMedian, aloneMedian), rate, served,
      ]
    }
  }
}
