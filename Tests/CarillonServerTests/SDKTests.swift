import CarillonAPI
import CarillonClient
import CarillonModel
import CarillonTesting
import Foundation
import IntegrationSupport
import Testing

/// The SDK over URLSession against the real server: an app backend fills queues, devices hold their plans.
@Suite struct SDKTests {
  private struct Device {
    let carillon: Carillon
    let center: InMemoryNotificationCenter
  }

  private func makeDevice(
    _ server: TestServer, _ tenant: TestTenant, clock: ManualClock, deviceKey: String? = nil,
    store: InMemoryStateStore = InMemoryStateStore()
  ) throws -> Device {
    let center = InMemoryNotificationCenter(timeZone: "Europe/Madrid", now: { clock.now })
    let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
    let configuration = Carillon.Configuration(
      server: url,
      device: {
        var info = DeviceInfo()
        info.timeZone = "Europe/Madrid"
        info.deviceKey = deviceKey
        return info
      }, effects: clock.effects)
    let key = tenant.key
    return Device(
      carillon: Carillon(
        configuration: configuration, center: center, store: store, credential: { _ in key }),
      center: center)
  }

  private func notification(_ index: Int) -> CarillonModel.Notification {
    .init(
      id: NotificationID(unchecked: Reports.name(index)),
      content: NotificationContent(title: "Reminder \(index)", body: "It is time."),
      trigger: .instant(Reports.start.adding(seconds: Int64(index + 1) * 3600)))
  }

  /// With device tokens the backend mints, over their end and over a fork.
  @Test func aDeviceLivesOnTokensThatItsBackendMints() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let clock = ManualClock(server.clock.now, seed: 3)
      let url = try #require(URL(string: "http://127.0.0.1:\(server.port)"))
      let backend = TenantClient(server: url, key: tenant.key)
      let store = InMemoryStateStore()
      func phone(_ key: String, _ store: InMemoryStateStore) -> Carillon {
        Carillon(
          configuration: .init(
            server: url,
            device: {
              var info = DeviceInfo()
              info.timeZone = "Europe/Madrid"
              info.deviceKey = key
              return info
            }, effects: clock.effects),
          center: InMemoryNotificationCenter(timeZone: "Europe/Madrid", now: { clock.now }), store: store,
          credential: { device in try await backend.mintToken(for: device, ttl: 60).token })
      }
      let first = phone("phone 1", store)
      try await first.sync()
      for _ in 1...3 {
        server.clock.advance(seconds: 60)
        try await first.sync()
      }
      let id = try await first.deviceId()
      let copied = InMemoryStateStore(store.current)
      let second = phone("phone 2", copied)
      try await second.sync()
      let forked = try await second.deviceId()
      #expect(forked != id)
      server.clock.advance(seconds: 3_600)
      try await second.sync()
      try await backend.erase(forked)
      await #expect(throws: CarillonError.self) { try await backend.erase(forked) }
    }
  }

  @Test func aDeviceHoldsWhatTheBackendAndTheAppWish() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let device = try makeDevice(server, tenant, clock: ManualClock(server.clock.now, seed: 7))
      let backend = TenantClient(
        server: try #require(URL(string: "http://127.0.0.1:\(server.port)")), key: tenant.key)
      let id = try await device.carillon.deviceId()
      let results = try await backend.enqueue(
        (0..<155).map { BatchOperation(.put(notification($0)), for: .device(id)) })
      #expect(results.count == 155 && results.allSatisfy { $0.status == .stored })

      let first = try await device.carillon.sync()
      #expect(first.slots.held == 64 && first.slots.queued == 91)
      #expect(device.center.pending.map(\.id.text).sorted() == (0..<64).map(Reports.name))
      let again = try await device.carillon.sync()
      #expect(again.planVersion == first.planVersion)

      // The app's own wish comes first in time and displaces the last one; a cancel brings it back.
      let own = NotificationID(unchecked: "app.own")
      try await device.carillon.schedule(
        .init(
          id: own, content: NotificationContent(title: "Own", body: "Now."),
          trigger: .instant(server.clock.now.adding(seconds: 600))))
      #expect(device.center.pending.contains { $0.id == own })
      #expect(!device.center.pending.contains { $0.id.text == Reports.name(63) })
      try await device.carillon.cancel(own)
      #expect(device.center.pending.map(\.id.text).sorted() == (0..<64).map(Reports.name))
      #expect(device.center.dropped.isEmpty)
      let plan = try await backend.plan(of: id)
      #expect(plan.held.map(\.id.text) == (0..<64).map(Reports.name))
    }
  }

  @Test func fiftyDevicesInOneProcessEachHoldTheirOwn() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      try await withThrowingTaskGroup { group in
        for index in 0..<50 {
          let device = try makeDevice(
            server, tenant, clock: ManualClock(server.clock.now, seed: UInt64(index) + 100))
          let wish = notification(index)
          group.addTask {
            try await device.carillon.schedule(wish)
            #expect(device.center.pending.map(\.id) == [wish.head.id])
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("22 a phone with a copy of another's state becomes an installation of its own, for good")
  func clonedState() async throws {
    try await TestServer.with { server in
      let tenant = try await server.makeTenant()
      let store = InMemoryStateStore()
      let first = try makeDevice(
        server, tenant, clock: ManualClock(server.clock.now, seed: 1), deviceKey: "k1", store: store)
      try await first.carillon.schedule(notification(0))
      try await first.carillon.sync()
      let id = try await first.carillon.deviceId()
      let copied = InMemoryStateStore(store.current)
      let clone = try makeDevice(
        server, tenant, clock: ManualClock(server.clock.now, seed: 2), deviceKey: "k2", store: copied)
      let outcome = try await clone.carillon.sync()
      let other = outcome.deviceId
      #expect(other != id && outcome.notices == [.forked(from: id, to: other)])
      #expect(copied.current?.deviceId == other && clone.center.pending.isEmpty)
      // Both go on, also after a restart, and neither touches the other's plan.
      let restarted = try makeDevice(
        server, tenant, clock: ManualClock(server.clock.now, seed: 3), deviceKey: "k2", store: copied)
      try await restarted.carillon.schedule(notification(1))
      try await first.carillon.schedule(notification(2))
      #expect(try await restarted.carillon.deviceId() == other)
      #expect(restarted.center.pending.map(\.id.text) == [Reports.name(1)])
      #expect(first.center.pending.map(\.id.text).sorted() == [Reports.name(0), Reports.name(2)])
      #expect(try await first.carillon.deviceId() == id)
      // The answer with the new id was lost: the same copy asks again and is told the same.
      let again = try makeDevice(
        server, tenant, clock: ManualClock(server.clock.now, seed: 4), deviceKey: "k2",
        store: InMemoryStateStore(ClientState(deviceId: id)))
      #expect(try await again.carillon.sync().deviceId == other)
    }
  }

  @Test func aWrongKeyIsATypedError() async throws {
    try await TestServer.with { server in
      let backend = TenantClient(
        server: try #require(URL(string: "http://127.0.0.1:\(server.port)")), key: "ck_nobody_nothing")
      await #expect {
        _ = try await backend.policy()
      } throws: { error in
        (error as? CarillonError)?.problem?.code == "invalidCredential"
      }
    }
  }
}
