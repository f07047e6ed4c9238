import CarillonClient
import CarillonTesting
import Synchronization

/// A phone for samples that are about something else.
struct SamplePhone {
  let clock: ManualClock
  let center: InMemoryNotificationCenter
  let server: FakeServer
  let store: InMemoryStateStore
  let carillon: Carillon
  private let token = Token()

  private final class Token: Sendable {
    let text = Mutex("token")
  }

  /// - Parameter user: who is signed in.
  init(user: String? = nil, retry: RetryPolicy = RetryPolicy()) {
    // 2026-12-01T06:30:00Z
    let clock = ManualClock(Instant(seconds: 1_796_106_600))
    self.clock = clock
    center = InMemoryNotificationCenter(timeZone: "Europe/Madrid", now: { clock.now })
    server = FakeServer(effects: clock.effects)
    store = InMemoryStateStore()
    let token = token
    carillon = Carillon(
      configuration: .init(
        server: FakeServer.url,
        device: {
          var info = DeviceInfo.madrid
          info.userId = user
          return info
        }, retry: retry, effects: clock.effects),
      center: center, transport: server, store: store, credential: { _ in token.text.withLock { $0 } })
  }

  /// What its app gets from its backend from now on.
  func hand(_ token: String) { self.token.text.withLock { $0 = token } }
}
