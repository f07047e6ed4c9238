import CarillonClient
import CarillonTesting
import Foundation
import Testing

/// Who a device is, and what it remembers.
@Suite struct InstallationTests {
  @Test func theIdIsMadeOnceAndSequencesGrow() async throws {
    let store = InMemoryStateStore()
    let device = TestDevice(store: store)
    let id = try await device.carillon.deviceId()
    try await device.carillon.sync()
    try await device.carillon.sync()
    #expect(store.current?.deviceId == id && store.current?.sequence == 2)
    let restarted = TestDevice(server: device.server, store: store)
    #expect(try await restarted.carillon.deviceId() == id)
    try await restarted.carillon.sync()
    #expect(device.server.reports.map(\.sequence) == [1, 2, 3])
  }

  /// Case 20: the reports of one installation are built when they are sent, so a repeated one is never newer.
  @Test func aStateThatWasPutBackIsHeardAgain() async throws {
    let device = TestDevice()
    for _ in 1...50 { try await device.carillon.sync() }
    device.server.put(reminder("a", after: 3600), for: device.id)
    // A copy from the first day, on the same phone.
    let old = TestDevice(server: device.server, store: InMemoryStateStore(ClientState(deviceId: device.id)))
    let outcome = try await old.carillon.sync()
    #expect(outcome.notices == [.caughtUp] && old.center.pendingIDs == ["a"])
    #expect(try #require(old.store.current?.sequence) > 50)
  }

  /// Case 22: two phones with one id.
  @Test func aClonedPhoneGetsAnIdOfItsOwn() async throws {
    let first = TestDevice(deviceKey: "K1")
    first.server.put(reminder("a", after: 3600), for: first.id)
    for _ in 1...5 { try await first.carillon.sync() }
    let clone = TestDevice(
      server: first.server, deviceKey: "K2", store: InMemoryStateStore(ClientState(deviceId: first.id)))
    let outcome = try await clone.carillon.sync()
    #expect(
      outcome.deviceId != first.id && outcome.notices == [.forked(from: first.id, to: outcome.deviceId)])
    #expect(clone.store.current?.deviceId == outcome.deviceId && clone.center.pending.isEmpty)
    try await clone.carillon.schedule(reminder("b", after: 7200))
    try await first.carillon.sync()
    #expect(first.center.pendingIDs == ["a"] && clone.center.pendingIDs == ["b"])
    #expect(first.store.current?.deviceId == first.id)
  }

  @Test func aFullOutboxRefusesAndChangesNothing() async throws {
    let device = TestDevice(retry: .never, outboxLimit: 2)
    device.server.inject(.losesRequest, .losesRequest, .losesRequest)
    for number in 1...2 {
      let outcome = try await device.carillon.schedule(reminder("a.\(number)", after: 3600))
      #expect(outcome.confirmation != .server)
    }
    let before = device.store.current?.outbox
    let error = await #expect(throws: CarillonError.self) {
      try await device.carillon.schedule(reminder("a.3", after: 3600))
    }
    #expect(error?.code == .outboxFull && device.store.current?.outbox == before)
    try await device.carillon.sync()
    #expect(device.center.pendingIDs == ["a.1", "a.2"])
  }

  @Test func aLargeOutboxGoesInSeveralReports() async throws {
    let device = TestDevice(retry: .never)
    let long = String(repeating: "x", count: 60_000)
    for number in 1...5 {
      device.server.inject(.losesRequest)
      try await device.carillon.schedule(reminder("a.\(number)", after: 3600, title: long))
    }
    device.server.inject()
    let outcome = try await device.carillon.sync()
    #expect(device.center.pending.count == 5 && outcome.reports >= 3)
    #expect(device.server.requests.allSatisfy { ($0.body?.count ?? 0) <= WireLimits.bodyBytes })
  }
}

@Suite struct FileStateStoreTests {
  private func withStore(_ body: (FileStateStore, String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("carillon-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("deep/state.json").path
    try await body(FileStateStore(path: path), path)
  }

  @Test func whatIsSavedIsFound() async throws {
    try await withStore { store, path in
      #expect(try await store.load() == .absent)
      // Made by the SDK itself, with a wish that waits.
      let device = TestDevice(retry: .never)
      device.server.inject(.losesRequest)
      _ = try? await device.carillon.schedule(reminder("a", after: 3600, title: "ä \"b\" 🎐"))
      device.server.inject(.losesRequest)
      _ = try? await device.carillon.cancel("b")
      var state = try #require(device.store.current)
      state.refreshBy = TestDevice.start
      #expect(state.outbox.count == 2)
      try await store.save(state)
      #expect(try await FileStateStore(path: path).load() == .state(state))
      #expect(FileManager.default.fileExists(atPath: path + ".new") == false)
    }
  }

  @Test(arguments: [
    "", "{", "[]", "{}", "{\"format\":1}",
    "{\"format\":3,\"deviceId\":\"5f0c7a6e-0d7e-4c39-9a63-1f8a3f6f2d10\"}",
    "{\"format\":1,\"deviceId\":\"nobody\"}",
    "{\"format\":1,\"deviceId\":\"5f0c7a6e-0d7e-4c39-9a63-1f8a3f6f2d10\",\"sequence\":-1}",
  ])
  func aDamagedFileIsSetAsideAndReported(text: String) async throws {
    try await withStore { store, path in
      try await store.save(ClientState(deviceId: DeviceID(UUID128(high: 1, low: 1))))
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      let device = TestDevice()
      let carillon = Carillon(
        configuration: .init(server: FakeServer.url, effects: device.clock.effects),
        center: device.center, transport: device.server, store: store, credential: { _ in "token" })
      let outcome = try await carillon.sync()
      guard case .stateReset(let damage)? = outcome.notices.first else {
        Issue.record("the damage is reported: \(outcome.notices)")
        return
      }
      #expect(!damage.reason.isEmpty)
      #expect(FileManager.default.contents(atPath: damage.setAside) == Data(text.utf8))
      guard case .state(let fresh) = try await store.load() else {
        Issue.record("a new installation was saved")
        return
      }
      #expect(fresh.deviceId == outcome.deviceId && fresh.sequence == 1)
      #expect(try await carillon.sync().notices.isEmpty)
    }
  }

  @Test func aFolderThatCannotBeWrittenIsATypedError() async throws {
    let store = FileStateStore(path: "/dev/null/state.json")
    let error = await #expect(throws: CarillonError.self) {
      try await store.save(ClientState(deviceId: DeviceID(UUID128(high: 1, low: 1))))
    }
    #expect(error?.code == .stateUnavailable)
  }
}
