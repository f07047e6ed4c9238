import CarillonJSON
import CarillonModel
import CarillonTesting
import Synchronization

@testable import CarillonClient

/// An installation that lives through restarts: its center and its stored state stay.
final class SimulatedPhone: Sendable {
  let center: InMemoryNotificationCenter
  let link: UnreliableLink
  private let store = StoredBytes()
  private let make: @Sendable (any StateStore) -> Carillon
  private let running: Mutex<Carillon>
  private let zone: Zone

  /// - Parameters:
  ///   - clock: of phone and server alike.
  ///   - seed: of its ids and of its network.
  init(
    user: String, key: String, over wire: any Transport, clock: @escaping @Sendable () -> Instant,
    seed: UInt64
  ) {
    let zone = Zone("Europe/Madrid")
    let center = InMemoryNotificationCenter(timeZone: zone.name, now: clock)
    let link = UnreliableLink(over: wire, seed: seed)
    var effects = ManualClock(clock(), seed: seed).effects
    effects.now = clock
    effects.sleep = { _ in }
    let configuration = Carillon.Configuration(
      server: FakeServer.url,
      device: {
        var info = DeviceInfo()
        info.timeZone = zone.name
        info.userId = user
        return info
      }, retry: RetryPolicy(maximumAttempts: 2), effects: effects)
    let make = { @Sendable (store: any StateStore) in
      Carillon(
        configuration: configuration, center: center, transport: link, store: store, credential: { _ in key })
    }
    self.center = center
    self.link = link
    self.make = make
    self.zone = zone
    running = Mutex(make(store))
  }

  var carillon: Carillon { running.withLock { $0 } }
  var state: ClientState? { get throws { try store.state } }

  /// As if the app was killed and launched again.
  func restart() {
    let next = make(store)
    running.withLock { $0 = next }
  }

  func travel(to name: String) {
    zone.name = name
    center.change(timeZone: name)
  }

  /// What of an operation is an outcome, whatever the network did.
  func attempt(_ operation: (Carillon) async throws(CarillonError) -> Void) async throws(CarillonError) {
    do {
      try await operation(carillon)
    } catch {
      guard error.isRetryable || error.code == .notificationRefused else { throw error }
    }
  }

  /// Where a phone is.
  private final class Zone: Sendable {
    private let current: Mutex<String>
    init(_ name: String) { current = Mutex(name) }
    var name: String {
      get { current.withLock { $0 } }
      set { current.withLock { $0 = newValue } }
    }
  }

  /// A file without the disk.
  private final class StoredBytes: StateStore {
    private let bytes = Mutex<[UInt8]?>(nil)

    var state: ClientState? { get throws { try bytes.withLock { $0 }.map { try ClientState(stored: $0) } } }

    func load() async throws(CarillonError) -> LoadedState {
      do {
        return try state.map { .state($0) } ?? .absent
      } catch {
        throw CarillonError(.stateUnavailable, "\(error)")
      }
    }

    func save(_ state: ClientState) async throws(CarillonError) {
      let stored = state.stored
      bytes.withLock { $0 = stored }
    }
  }
}
