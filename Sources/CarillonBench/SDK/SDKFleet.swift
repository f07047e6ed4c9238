import CarillonClient
import CarillonEventLoop
import CarillonModel
import Foundation

/// Devices that run the SDK, all in this process, over one transport.
struct SDKFleet: Sendable {
  private let phones: [Carillon]

  /// - Parameter devices: whose, by number.
  init(_ devices: Range<Int>, server: URL, key: String, transport: any Transport, pool: RequestPool) {
    var info = DeviceInfo()
    info.platform = "iOS"
    info.osVersion = "26.1"
    info.appVersion = "3.2.0"
    info.bundleId = "com.example.app"
    info.timeZone = "Europe/Madrid"
    info.locale = "es_ES"
    let configuration = Carillon.Configuration(server: server, device: { [info] in info })
    phones = devices.map { device in
      Carillon(
        configuration: configuration, center: PocketCenter(pool), transport: transport,
        store: InMemoryStateStore(ClientState(deviceId: Self.identifier(device))), credential: { _ in key })
    }
  }

  static func identifier(_ device: Int) -> DeviceID {
    DeviceID(UUID128(high: 0x5d6b_0000_0000_4000, low: 0x8000_0000_0000_0000 | UInt64(device)))
  }

  /// Each device once.
  func syncOnce(lanes: Int) async throws {
    try await withThrowingTaskGroup { group in
      for lane in 0..<lanes {
        group.addTask {
          for phone in stride(from: lane, to: phones.count, by: lanes) { try await phones[phone].sync() }
        }
      }
      try await group.waitForAll()
    }
  }

  /// So many at a time, the devices in turn, for so long.
  func sync(lanes: Int, for duration: Duration) async throws -> Load.Result {
    let start = MonotonicClock.nanoseconds
    let deadline = start + UInt64(duration.components.seconds) * 1_000_000_000
    var result = Load.Result()
    try await withThrowingTaskGroup(of: [UInt64].self) { group in
      for lane in 0..<min(lanes, phones.count) {
        group.addTask { try await syncs(of: lane, lanes: lanes, until: deadline) }
      }
      for try await latencies in group { result.latencies += latencies }
    }
    result.answers = result.latencies.count
    result.seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
    result.latencies.sort()
    return result
  }

  /// - Returns: nanoseconds of each.
  private func syncs(of lane: Int, lanes: Int, until deadline: UInt64) async throws -> [UInt64] {
    var latencies: [UInt64] = []
    var phone = lane
    while true {
      let start = MonotonicClock.nanoseconds
      guard start < deadline else { return latencies }
      try await phones[phone].sync()
      latencies.append(MonotonicClock.nanoseconds - start)
      phone += lanes
      if phone >= phones.count { phone = lane }
    }
  }
}
