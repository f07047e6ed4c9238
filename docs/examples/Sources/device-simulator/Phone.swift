import CarillonClient
import CarillonTesting
import Synchronization

/// A phone of iOS in Madrid whose app embeds the SDK, and the server it speaks to.
struct Phone {
  let clock: ManualClock
  let center: InMemoryNotificationCenter
  let server: FakeServer
  let radio: Radio
  let carillon: Carillon

  init(at start: Instant) {
    let clock = ManualClock(start)
    let server = FakeServer(effects: clock.effects)
    self.clock = clock
    self.server = server
    center = InMemoryNotificationCenter(timeZone: "Europe/Madrid", now: { clock.now })
    radio = Radio(to: server)
    carillon = Carillon(
      configuration: .init(
        server: FakeServer.url,
        device: {
          var info = DeviceInfo()
          info.timeZone = "Europe/Madrid"
          info.userId = "u1"
          return info
        },
        // A phone that is switched off the network waits for nothing.
        retry: .never, effects: clock.effects),
      center: center, transport: radio, store: InMemoryStateStore(), credential: { _ in "token" })
  }

  func switchNotifications(on: Bool) {
    var settings = CenterSettings.everythingEnabled
    if !on { settings.authorizationStatus = .denied }
    center.change(settings: settings)
  }
}

/// The way to the server, which airplane mode closes.
final class Radio: Transport {
  private let server: FakeServer
  private let isOff = Mutex(false)

  init(to server: FakeServer) { self.server = server }

  func airplaneMode(_ isOn: Bool) { isOff.withLock { $0 = isOn } }

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    guard !isOff.withLock({ $0 }) else { throw TransportError(.connection, "airplane mode") }
    return try await server.send(request)
  }
}
