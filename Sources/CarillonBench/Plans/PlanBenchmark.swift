import CarillonEventLoop
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
    var port: UInt16 = 18_080
    /// Where `carillon-server` and `tenantctl` stand.
    var programs: String
  }

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    let data = NSTemporaryDirectory() + "carillon-bench-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: data) }
    progress("starting a server with a database of its own")
    let server = try BenchServer(programs: settings.programs, port: settings.port, data: data)
    defer { server.stop() }
    let key = try server.makeTenant()
    let fleet = SyncFleet(devices: settings.devices, connections: settings.connections, key: key)
    let loop = try EventLoop(name: "load")
    loop.start()
    defer { loop.stop() }
    let load = Load(on: loop)
    progress(
      "filling \(settings.devices) devices with \(SyncFleet.notificationsPerDevice) notifications each")
    try await fleet.fill(through: load, port: settings.port)
    var tags: [String] = []
    for device in 0..<settings.devices {
      tags.append(try await tag(of: device, through: load, key: key))
    }

    var unchanged = Measurement(name: "plans, 304", unit: "1/s", values: [])
    var health = Measurement(name: "healthz", unit: "1/s", values: [])
    var median = Measurement(name: "plan p50", unit: "ms", values: [])
    var tail = Measurement(name: "plan p99", unit: "ms", values: [])
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      let plans = try await run(load, port: settings.port, asking(key: key, tags))
      guard plans.bytes / plans.answers < 1024 else {
        throw LoadFailure(detail: "plans came whole: their tags did not hold")
      }
      unchanged.values.append(plans.perSecond)
      median.values.append(plans.percentile(0.5))
      tail.values.append(plans.percentile(0.99))
      let answers = try await run(load, port: settings.port + 1000) { _, buffer in
        RequestWriter.get("/healthz", key: "-", into: &buffer)
        return true
      }
      health.values.append(answers.perSecond)
    }
    return [unchanged, health, .ratio("plans for each healthz", unchanged, health), median, tail]
  }

  private func tag(of device: Int, through load: Load, key: String) async throws -> String {
    let once = Once()
    let result = try await load.run(port: settings.port, connections: 1, for: nil) { _, buffer in
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

  private func run(
    _ load: Load, port: UInt16, _ next: @escaping @Sendable (Int, inout [UInt8]) -> Bool
  ) async throws -> Load.Result {
    let result = try await load.run(
      port: port, connections: settings.connections, for: .seconds(settings.seconds), next: next)
    guard result.failures == 0, result.answers > 0 else {
      throw LoadFailure(
        detail: "\(result.failures) of \(result.answers) requests failed: \(result.sampleText)")
    }
    return result
  }
}
