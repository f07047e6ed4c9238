import Foundation

/// A whole tenant planned anew after a change of its policy, each device at its next sync, against COPY of the same rows:
/// its queues and plans out, its plans in again.
struct FleetBenchmark {
  struct Settings {
    var devices = 20_000
    var tenants = 5
    var seed: UInt64 = 1
    var connections = 64
    var rounds = 3
    var place: Place
  }

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    try await Workbench.with(settings.place, progress) { bench in try await run(on: bench) }
  }

  private func run(on bench: Workbench) async throws -> [Measurement] {
    let shape = Fleet.Shape(devices: settings.devices, tenants: settings.tenants, seed: settings.seed)
    let fleet = try await Fleet(shape, on: bench, progress: progress)
    let devices = Double(fleet.devices(of: 0).count)

    var planned = Measurement(name: "devices planned anew", unit: "1/s", values: [])
    var copied = Measurement(name: "devices copied", unit: "1/s", values: [])
    var serverTime = Measurement(name: "server CPU a device", unit: "us", values: [])
    var databaseTime = Measurement(name: "PostgreSQL CPU a device", unit: "us", values: [])
    let before = try fileOfPlans(bench.server, fleet)
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      try await changePolicy(round, fleet, bench)
      let times = bench.server.times
      let result = try await bench.run(
        connections: settings.connections, seconds: nil, next: fleet.once(tenant: 0))
      guard Double(result.answers) == devices else {
        throw LoadFailure(detail: "\(result.answers) answers for \(devices) devices")
      }
      planned.values.append(result.perSecond)
      let used = bench.server.times - times
      serverTime.values.append(used.server / devices * 1e6)
      databaseTime.values.append(used.database / devices * 1e6)
      copied.values.append(devices / (try copy(bench.server, fleet)))
    }
    guard try fileOfPlans(bench.server, fleet) != before else {
      throw LoadFailure(detail: "no plan has changed: the policies are alike")
    }
    return [planned, copied, .ratio("planned for each copied", planned, copied), serverTime, databaseTime]
  }

  /// Quiet hours that begin at another minute each time.
  private func changePolicy(_ round: Int, _ fleet: Fleet, _ bench: Workbench) async throws {
    let policy = """
      {"quietHours":{"windows":[{"from":"22:\(10 + round)","to":"07:30"}]},"frequencyCaps":[{"limit":12,"per":"calendarDay"}]}
      """
    let once = Once()
    let key = fleet.key(of: 0)
    let condition = round == 1 ? "" : "If-Match: \"\(round - 1)\"\r\n"
    _ = try await bench.run(connections: 1, seconds: nil) { _, buffer in
      guard once.take() else { return false }
      buffer +=
        """
        PUT /v1/policy HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer \(key)\r\n\(condition)\
        Content-Type: application/json\r\nContent-Length: \(policy.utf8.count)\r\n\r\n\(policy)
        """.utf8
      return true
    }
  }

  /// Seconds.
  private func copy(_ server: BenchServer, _ fleet: Fleet) throws -> Double {
    let tenant = "tenant_id = '\(fleet.identifier(of: 0))'"
    let file = NSTemporaryDirectory() + "carillon-plans-\(getpid())"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try server.sql("DROP TABLE IF EXISTS public.plans_copy")
    try server.sql("CREATE TABLE public.plans_copy (LIKE carillon.plans INCLUDING ALL)")
    let took = try ContinuousClock().measure {
      try server.sql("\\copy (SELECT * FROM carillon.devices WHERE \(tenant)) TO '/dev/null'")
      try server.sql(
        "\\copy (SELECT device_id, head FROM carillon.notifications WHERE \(tenant)) TO '/dev/null'")
      try server.sql("\\copy (SELECT * FROM carillon.plans WHERE \(tenant)) TO '\(file)'")
      try server.sql("\\copy public.plans_copy FROM '\(file)'")
    }
    return Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
  }

  private func fileOfPlans(_ server: BenchServer, _ fleet: Fleet) throws -> String {
    try server.sql(
      "SELECT sum(digest) FROM carillon.plans WHERE tenant_id = '\(fleet.identifier(of: 0))'")
  }
}
