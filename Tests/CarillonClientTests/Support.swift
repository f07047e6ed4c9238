import CarillonClient
import CarillonJSON
import CarillonTesting
import Synchronization

/// A device with everything real but the phone and the network.
struct TestDevice {
  /// 2026-11-30T10:00:00Z
  static let start = Instant(seconds: 1_796_032_800)

  let clock: ManualClock
  let center: InMemoryNotificationCenter
  let server: FakeServer
  let store: InMemoryStateStore
  let carillon: Carillon
  let id: DeviceID

  /// - Parameters:
  ///   - number: tells the device ids apart.
  ///   - server: nil gives it one of its own.
  init(
    number: UInt64 = 1, overflow: InMemoryNotificationCenter.Overflow = .dropsNewest,
    removalDelay: Double = 0, timeZone: String = "Europe/Madrid", clock: ManualClock = ManualClock(start),
    server: FakeServer? = nil, deviceKey: String = "key-1", retry: RetryPolicy = RetryPolicy(),
    store: InMemoryStateStore? = nil, outboxLimit: Int = 2000
  ) {
    self.clock = clock
    center = InMemoryNotificationCenter(
      timeZone: timeZone, overflow: overflow, removalDelay: removalDelay, now: { clock.now })
    self.server = server ?? FakeServer(effects: clock.effects)
    id = DeviceID(UUID128(high: 0x1111_2222_3333_4444, low: number))
    self.store = store ?? InMemoryStateStore(ClientState(deviceId: id))
    var info = DeviceInfo()
    info.timeZone = timeZone
    info.deviceKey = deviceKey
    let described = info
    carillon = Carillon(
      configuration: .init(
        server: FakeServer.url, device: { described }, retry: retry, outboxLimit: outboxLimit,
        effects: clock.effects),
      center: center, transport: self.server, store: self.store, credential: { _ in "token" })
  }

  /// The plan's ids and what the device really holds.
  var planned: Set<String> { Set(server.plan(of: id)?.held.map(\.id.text) ?? []) }
}

/// One-time, so many seconds after the start of the test's clock.
func reminder(_ id: String, after seconds: Int64, title: String? = nil, type: String? = nil)
  -> Carillon.Notification
{
  Carillon.Notification(
    id: NotificationID(unchecked: id), type: type, content: NotificationContent(title: title ?? id),
    trigger: .instant(TestDevice.start.adding(seconds: seconds)))
}

extension InMemoryNotificationCenter {
  var pendingIDs: Set<String> { Set(pending.map(\.id.text)) }

  /// The most that were pending at any call.
  var highWater: Int {
    calls.map { call in
      switch call {
      case .pending(let count), .add(_, pendingAfter: let count): count
      default: 0
      }
    }.max() ?? 0
  }
}

/// Counts up from 1.
final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
