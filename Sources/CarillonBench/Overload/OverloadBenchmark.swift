import Foundation

/// Steady syncs at what the server can do, at twice as many, and at what it can do again.
///
/// What it cannot do it should refuse at once (503 with `Retry-After`), so that what it takes is answered in time.
struct OverloadBenchmark {
  struct Settings {
    var seconds = 8
    var rounds = 3
    var place: Place
  }

  /// Connections at capacity, each with its next request as soon as it has an answer.
  static let few = 64
  /// Connections beyond it, each at a fixed pace.
  static let many = 2_000
  static let factor = 2.0
  static let devicesPerConnection = 2

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    try await Workbench.with(settings.place, progress) { bench in try await run(on: bench) }
  }

  private func run(on bench: Workbench) async throws -> [Measurement] {
    let fleet = SyncFleet(
      devices: Self.many * Self.devicesPerConnection, connections: Self.many,
      key: try bench.server.makeTenant())
    progress("filling \(Self.many * Self.devicesPerConnection) devices")
    try await fleet.fill(through: bench.load, port: bench.port)

    var figures = Figures()
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      let before = try await run(bench, fleet, connections: Self.few)
      let pace = Double(Self.many) / (before.perSecond * Self.factor)
      let beyond = try await run(bench, fleet, connections: Self.many, pace: .seconds(pace))
      let after = try await run(bench, fleet, connections: Self.few)
      guard before.failures == 0, after.failures == 0 else {
        throw LoadFailure(detail: "syncs were refused at capacity: \(before.failures), \(after.failures)")
      }
      figures.note(before, beyond, after)
    }
    return figures.all
  }

  private func run(
    _ bench: Workbench, _ fleet: SyncFleet, connections: Int, pace: Duration? = nil
  ) async throws -> Load.Result {
    fleet.begin(.steady, connections: connections)
    return try await bench.load.run(
      port: bench.port, connections: connections, for: .seconds(settings.seconds), pace: pace,
      next: fleet.next)
  }

  private struct Figures {
    var capacity = Measurement(name: "syncs at capacity", unit: "1/s", values: [])
    var capacityTail = Measurement(name: "p99 at capacity", unit: "ms", values: [])
    var asked = Measurement(name: "requests beyond it", unit: "1/s", values: [])
    var answered = Measurement(name: "of them answered", unit: "1/s", values: [])
    var refused = Measurement(name: "of them refused", unit: "1/s", values: [])
    var median = Measurement(name: "p50 of what was answered", unit: "ms", values: [])
    var tail = Measurement(name: "p99 of what was answered", unit: "ms", values: [])
    var after = Measurement(name: "syncs at capacity right after", unit: "1/s", values: [])
    var afterTail = Measurement(name: "p99 right after", unit: "ms", values: [])

    mutating func note(_ before: Load.Result, _ beyond: Load.Result, _ after: Load.Result) {
      capacity.values.append(before.perSecond)
      capacityTail.values.append(before.percentile(0.99))
      asked.values.append(beyond.perSecond)
      answered.values.append(Double(beyond.answers - beyond.failures) / beyond.seconds)
      refused.values.append(Double(beyond.failures) / beyond.seconds)
      median.values.append(beyond.percentile(0.5))
      tail.values.append(beyond.percentile(0.99))
      self.after.values.append(after.perSecond)
      afterTail.values.append(after.percentile(0.99))
    }

    var all: [Measurement] {
      [
        capacity, capacityTail, asked, answered, .ratio("answered for each at capacity", answered, capacity),
        refused, median, tail, after, .ratio("right after for each before", after, capacity), afterTail,
      ]
    }
  }
}
