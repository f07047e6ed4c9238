import CBenchAllocations
import CarillonClient
import CarillonModel
import Foundation

/// Steady syncs of devices that run the SDK, all in one process, beside the same syncs sent as bare bytes; and what an
/// idle device of the SDK has in memory.
///
/// Every device holds 64 planned notifications. The devices share a transport, as they do wherever one process has many.
struct SDKBenchmark {
  struct Settings {
    var devices = 10_000
    var connections = 64
    var seconds = 8
    var rounds = 3
    var place: Place
  }

  /// A share of the devices comes first, so that what exists once (session, connections, lists) is there when the memory
  /// of the others is counted.
  static let pioneers = 10

  let settings: Settings
  let progress: (String) -> Void

  func run() async throws -> [Measurement] {
    try await Workbench.with(settings.place, progress) { bench in try await run(on: bench) }
  }

  private func run(on bench: Workbench) async throws -> [Measurement] {
    guard let server = URL(string: "http://127.0.0.1:\(bench.port)") else {
      throw LoadFailure(detail: "no address")
    }
    let key = try bench.server.makeTenant("sdk")
    try await fill(server, key: key)

    progress("\(settings.devices) devices of the SDK sync for the first time")
    let transport = URLSessionTransport(server: server)
    let pool = RequestPool()
    let first = max(1, settings.devices / Self.pioneers)
    func fleet(_ devices: Range<Int>) async throws -> SDKFleet {
      let fleet = SDKFleet(devices, server: server, key: key, transport: transport, pool: pool)
      try await fleet.syncOnce(lanes: settings.connections)
      return fleet
    }
    let pioneers = try await fleet(0..<first)
    let before = Self.residentKiB
    let phones = try await fleet(first..<settings.devices)
    let idle = Double(Self.residentKiB - before) / Double(settings.devices - first)
    withExtendedLifetime(pioneers) {}

    let bare = SyncFleet(
      devices: settings.devices, connections: settings.connections, key: try bench.server.makeTenant())
    progress("as many devices of bare bytes")
    try await bare.fill(through: bench.load, port: bench.port)
    var figures = SDKFigures()
    figures.idle.values = [idle]
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      let times = (bench.server.times, ProcessTimes.ownSeconds(of: getpid()))
      let result = try await phones.sync(lanes: settings.connections, for: .seconds(settings.seconds)).whole()
      figures.note(
        result, server: bench.server.times - times.0, client: ProcessTimes.ownSeconds(of: getpid()) - times.1)
      bare.begin(.steady)
      figures.bare.values.append(
        try await bench.run(
          connections: settings.connections, seconds: settings.seconds, next: bare.next
        ).perSecond)
    }
    return figures.all
  }

  /// By the SDK for services: each device's queue.
  private func fill(_ server: URL, key: String) async throws {
    progress("\(SyncFleet.notificationsPerDevice) notifications for each of \(settings.devices) devices")
    let tomorrow = Effects.system.now().adding(seconds: 86_400)
    let notifications = (0..<SyncFleet.notificationsPerDevice).map { index in
      CarillonModel.Notification(
        id: NotificationID(unchecked: "habit.\(index)"),
        content: NotificationContent(title: "Habit habit.\(index)", body: "Two minutes are enough."),
        trigger: .instant(tomorrow.adding(seconds: Int64(index) * 3_600)))
    }
    let client = TenantClient(server: server, key: key)
    let step = 100
    for start in stride(from: 0, to: settings.devices, by: step) {
      let operations = (start..<min(start + step, settings.devices)).flatMap { device in
        notifications.map { BatchOperation(.put($0), for: .device(SDKFleet.identifier(device))) }
      }
      let results = try await client.enqueue(operations)
      if let refused = results.first(where: { $0.status != .stored }) {
        throw LoadFailure(detail: "a notification was \(refused.status): \(refused.problem?.detail ?? "")")
      }
    }
  }

  /// Of this process, without what its allocator keeps for later.
  private static var residentKiB: Int {
    carillon_bench_give_back_memory()
    return ProcessTimes.residentKiB(of: getpid())
  }
}

/// What rounds of syncs of the SDK came to.
struct SDKFigures {
  var syncs = Measurement(name: "syncs of the SDK", unit: "1/s", values: [])
  var bare = Measurement(name: "bare syncs", unit: "1/s", values: [])
  var idle = Measurement(name: "an idle device of the SDK", unit: "KB", values: [])
  private var median = Measurement(name: "SDK sync p50", unit: "ms", values: [])
  private var tail = Measurement(name: "SDK sync p99", unit: "ms", values: [])
  private var clientTime = Measurement(name: "SDK CPU a sync", unit: "us", values: [])
  private var serverTime = Measurement(name: "server CPU a sync", unit: "us", values: [])

  mutating func note(_ result: Load.Result, server: BenchServer.Times, client: Double) {
    let count = Double(result.answers)
    syncs.values.append(result.perSecond)
    median.values.append(result.percentile(0.5))
    tail.values.append(result.percentile(0.99))
    clientTime.values.append(client / count * 1e6)
    serverTime.values.append(server.server / count * 1e6)
  }

  var all: [Measurement] {
    [
      syncs, bare, .ratio("syncs of the SDK for each bare one", syncs, bare), median, tail, clientTime,
      serverTime, idle,
    ]
  }
}
