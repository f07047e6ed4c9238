import CarillonAPI
import CarillonClient
import CarillonModel
import CarillonTesting
import Foundation
import IntegrationSupport
import Testing

/// Inbox and priming of the SDK over URLSession, against the real server.
@Suite struct SDKInboxTests {
  private struct Device {
    let carillon: Carillon
    let center: InMemoryNotificationCenter
  }

  private func makeDevice(
    _ server: TestServer, _ tenant: TestTenant, clock: ManualClock, user: String? = nil
  ) throws -> Device {
    let center = InMemoryNotificationCenter(timeZone: "Europe/Madrid", now: { clock.now })
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
    var info = DeviceInfo()
    info.timeZone = "Europe/Madrid"
    info.userId = user
    let described = info
    let configuration = Carillon.Configuration(server: url, device: { described }, effects: clock.effects)
    let key = tenant.key
    return Device(
      carillon: Carillon(
        configuration: configuration, center: center, store: InMemoryStateStore(), credential: { _ in key }),
      center: center)
  }

  private func notification(_ id: String, after seconds: Int64) -> CarillonModel.Notification {
    var content = NotificationContent(title: id, body: "It is time.")
    content.badge = 1
    return .init(
      id: NotificationID(unchecked: id), content: content,
      trigger: .instant(Reports.start.adding(seconds: seconds)))
  }

  /// Moves both clocks: the server's and the devices'.
  private func advance(_ server: TestServer, _ clock: ManualClock, seconds: Int64) {
    server.clock.advance(seconds: seconds)
    clock.advance(to: server.clock.now)
  }

  /// Field case 43 as an app sees it: what is read on the tablet changes the phone's badges.
  @Test func twoDevicesShareAnInbox() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let clock = ManualClock(server.clock.now, seed: 3)
      let phone = try makeDevice(server, tenant, clock: clock, user: "u")
      let tablet = try makeDevice(server, tenant, clock: clock, user: "u")
      let backend = TenantClient(
        server: try #require(URL(string: "http://127.0.0.1:\(server.port)")), key: tenant.key)
      for device in [phone, tablet] { try await device.carillon.sync() }
      let wishes =
        (1...3).map { notification("m\($0)", after: Int64($0) * 60) } + [notification("next", after: 7200)]
      _ = try await backend.enqueue(wishes.map { BatchOperation(.put($0), for: .user("u")) })
      for device in [phone, tablet] { try await device.carillon.sync() }
      #expect(phone.center.pending.count == 4)
      advance(server, clock, seconds: 600)
      for device in [phone, tablet] { #expect(try await device.carillon.sync().unread == 3) }
      #expect(phone.center.pending.map(\.content.badge) == [4])
      var seen: [InboxItem] = []
      for try await item in tablet.carillon.inboxItems(.unread) { seen.append(item) }
      #expect(seen.map(\.notification) == ["m3", "m2", "m1"])
      #expect(try await tablet.carillon.mark(.read, Array(seen.prefix(2))) == 1)
      #expect(try await phone.carillon.sync().unread == 1)
      #expect(phone.center.pending.map(\.content.badge) == [2])
      // On the web the rest is read.
      let id = try await phone.carillon.deviceId()
      #expect(try await backend.mark(.read, before: clock.now, of: id) == 0)
      #expect(try await backend.inbox(of: id, .read, limit: 2).items.count == 2)
      #expect(try await phone.carillon.sync().unread == 0)
      #expect(phone.center.pending.map(\.content.badge) == [1])
    }
  }

  @Test func theWayToPermission() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let clock = ManualClock(server.clock.now, seed: 4)
      let device = try makeDevice(server, tenant, clock: clock)
      let carillon = device.carillon
      func set(_ status: AuthorizationStatus) {
        device.center.change(
          settings: CenterSettings(
            authorizationStatus: status, settings: CenterSettings.everythingEnabled.settings))
      }
      set(.notDetermined)
      #expect(try await carillon.sync().priming.step == .none)
      #expect(try await carillon.record(.valueAction, name: "reminder.created").priming.step == .showPrimer)
      try await carillon.record(.primingPostponed)
      let wait = try await carillon.primingStep(after: "reminder.created")
      #expect(wait.step == .wait && wait.retryAt == clock.now.adding(seconds: 604_800))
      advance(server, clock, seconds: 604_800)
      #expect(try await carillon.primingStep(after: "reminder.created").step == .showPrimer)
      try await carillon.record(.primingAccepted)
      #expect(try await carillon.primingStep(after: "reminder.created").step == .showDialog)
      set(.denied)
      try await carillon.record(.dialogShown)
      let degraded = try await carillon.primingStep(after: nil, context: PrimingQuestion.featureDegraded)
      #expect(degraded == PrimingDecision(.openSettings, .denied))
    }
  }
}
