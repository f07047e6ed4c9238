import Foundation

/// `GET plan` of who has the plan already, a 304, against `GET /healthz` of the same server, in turn.
///
/// Both go through the whole of HTTP; the one also through the credential, the rate and the database.
struct PlanBenchmark {
  struct Settings {
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
    let key = try bench.server.makeTenant()
    let fleet = SyncFleet(devices: settings.devices, connections: settings.connections, key: key)
    progress(
      "filling \(settings.devices) devices with \(SyncFleet.notificationsPerDevice) notifications each")
    try await fleet.fill(through: bench.load, port: bench.port)
    var tags: [String] = []
    for device in 0..<settings.devices {
      tags.append(try await tag(of: device, on: bench, key: key))
    }

    var unchanged = Measurement(name: "plans, 304", unit: "1/s", values: [])
    var health = Measurement(name: "healthz", unit: "1/s", values: [])
    var median = Measurement(name: "plan p50", unit: "ms", values: [])
    var tail = Measurement(name: "plan p99", unit: "ms", values: [])
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      let plans = try await bench.run(
        connections: settings.connections, seconds: settings.seconds, next: asking(key: key, tags))
      guard plans.bytes / plans.answers < 1024 else {
        throw LoadFailure(detail: "plans came whole: their tags did not hold")
      }
      unchanged.values.append(plans.perSecond)
      median.values.append(plans.percentile(0.5))
      tail.values.append(plans.percentile(0.99))
      let answers = try await bench.run(
        connections: settings.connections, seconds: settings.seconds,
        port: bench.port + BenchServer.adminOffset
      ) { _, buffer in
        RequestWriter.get("/healthz", key: "-", into: &buffer)
        return true
      }
      health.values.append(answers.perSecond)
    }
    return [unchanged, health, .ratio("plans for each healthz", unchanged, health), median, tail]
  }

  private func tag(of device: Int, on bench: Workbench, key: String) async throws -> String {
    let once = Once()
    let result = try await bench.run(connections: 1, seconds: nil) { _, buffer in
      guard once.take() else { return false }
      RequestWriter.get("/v1/devices/\(SyncFleet.identifier(device))/plan", key: key, into: &buffer)
      return true
    }
    let fields = String(decoding: result.sampleFields, as: UTF8.self)
    guard let match = fields.firstMatch(of: /(?i)\r\netag: *([^\r]+)/) else {
      throw LoadFailure(detail: "a plan came without ETag: \(fields)")
    }
    return String(match.output.1)
  }

  private func asking(key: String, _ tags: [String]) -> @Sendable (Int, inout [UInt8]) -> Bool {
    let counter = Counter()
    return { _, buffer in
      let number = counter.next() % tags.count
      RequestWriter.get(
        "/v1/devices/\(SyncFleet.identifier(number))/plan", key: key,
        fields: ["If-None-Match: \(tags[number])"], into: &buffer)
      return true
    }
  }

}
