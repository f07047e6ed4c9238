import CarillonAPI
import CarillonClient
import CarillonTesting
import Synchronization
import Testing

/// How the SDK gets and keeps its tokens.
@Suite struct CredentialTests {
  private func carillon(
    _ device: TestDevice, deviceKey: String? = nil,
    credential: @escaping @Sendable (DeviceID) async throws -> String
  ) -> Carillon {
    Carillon(
      configuration: .init(
        server: FakeServer.url,
        device: {
          var info = DeviceInfo()
          info.timeZone = "Europe/Madrid"
          info.deviceKey = deviceKey
          return info
        }, effects: device.clock.effects), center: device.center,
      transport: device.server, store: device.store, credential: credential)
  }

  private func tokens(_ server: FakeServer) -> [String] {
    server.requests.compactMap { request in
      request.headers.first { $0.name == "Authorization" }.map { String($0.value.dropFirst("Bearer ".count)) }
    }
  }

  @Test func aTokenIsAskedForOnceUntilItEnds() async throws {
    let device = TestDevice()
    let server = device.server
    server.checkCredentials()
    let asked = Mutex(0)
    let carillon = carillon(device) { id in
      asked.withLock { $0 += 1 }
      return server.deviceToken(for: id, ttl: 600)
    }
    for _ in 0..<3 { try await carillon.sync() }
    #expect(asked.withLock { $0 } == 1)
    device.clock.advance(by: 599)
    try await carillon.sync()
    #expect(asked.withLock { $0 } == 1)
    device.clock.advance(by: 1)
    try await carillon.sync()
    #expect(asked.withLock { $0 } == 2)
    server.endDeviceTokens()
    try await carillon.sync()
    #expect(asked.withLock { $0 } == 3)
    #expect(Set(tokens(server)).count == 3)
  }

  /// One that is refused right after it was given is not asked for a third time.
  @Test func aRequestAsksForANewTokenOnce() async throws {
    let device = TestDevice()
    device.server.checkCredentials()
    let asked = Mutex(0)
    let carillon = carillon(device) { _ in "never-good-\(asked.withLock { $0 += 1; return $0 })" }
    let error = await #expect(throws: CarillonError.self) { try await carillon.sync() }
    #expect(error?.problem?.code == "invalidCredential")
    #expect(tokens(device.server) == ["never-good-1", "never-good-2"])
    // The next call begins with a new one.
    await #expect(throws: CarillonError.self) { try await carillon.sync() }
    #expect(tokens(device.server).count == 4 && Set(tokens(device.server)).count == 4)
  }

  /// The app asks its backend for a new one when its user is another; the SDK finds out by the refusal.
  @Test func aTokenOfAnotherUserIsAskedForAnew() async throws {
    let device = TestDevice()
    let server = device.server
    server.checkCredentials()
    let backend = TenantClient(transport: server, key: "ck_test", effects: device.clock.effects)
    let user = Mutex<String?>("ann")
    let session = Mutex<String?>("ann")
    let asked = Mutex(0)
    let carillon = Carillon(
      configuration: .init(
        server: FakeServer.url,
        device: {
          var info = DeviceInfo()
          info.timeZone = "Europe/Madrid"
          info.userId = user.withLock { $0 }
          return info
        }, effects: device.clock.effects), center: device.center, transport: server, store: device.store
    ) { id in
      asked.withLock { $0 += 1 }
      return try await backend.mintToken(for: id, user: session.withLock { $0 }).token
    }
    try await carillon.sync()
    for next in ["bob", ""] {
      user.withLock { $0 = next }
      session.withLock { $0 = next }
      try await carillon.sync()
      _ = try await carillon.inbox()
    }
    #expect(asked.withLock { $0 } == 3)
    // Who only says to be another is refused, and asks no third time.
    user.withLock { $0 = "ann" }
    let error = await #expect(throws: CarillonError.self) { try await carillon.sync() }
    #expect(error?.problem?.code == "wrongUser" && asked.withLock { $0 } == 4)
  }

  @Test func thoseWhoNeedATokenAtTheSameTimeShareTheAsking() async throws {
    let device = TestDevice()
    let server = device.server
    server.checkCredentials()
    let asked = Mutex(0)
    let gate = Gate()
    let carillon = carillon(device) { id in
      asked.withLock { $0 += 1 }
      await gate.wait()
      return server.deviceToken(for: id)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { _ = try await carillon.sync() }
      for _ in 0..<10 { group.addTask { _ = try? await carillon.primingStep(after: "x") } }
      while asked.withLock({ $0 }) == 0 { await Task.yield() }
      gate.open()
      try await group.waitForAll()
    }
    #expect(asked.withLock { $0 } == 1)
  }

  @Test func aForksTokenServesWithoutTheApp() async throws {
    let device = TestDevice()
    let server = device.server
    server.checkCredentials()
    let asked = Mutex<[DeviceID]>([])
    let first = carillon(device, deviceKey: "phone 1") { id in server.deviceToken(for: id) }
    try await first.sync()
    // The same store on another phone.
    let copy = TestDevice(clock: device.clock, server: server)
    let second = carillon(copy, deviceKey: "phone 2") { id in
      asked.withLock { $0.append(id) }
      return server.deviceToken(for: id)
    }
    try await second.sync()
    let forked = try await second.deviceId()
    #expect(forked != device.id)
    try await second.sync()
    #expect(asked.withLock { $0 } == [device.id])
  }

  @Test func aBackendMintsAndErases() async throws {
    let device = TestDevice()
    let server = device.server
    server.checkCredentials()
    let tenant = TenantClient(transport: server, key: "ck_test", effects: device.clock.effects)
    let minted = try await tenant.mintToken(for: device.id, ttl: 60)
    #expect(minted.expiresAt == device.clock.now.adding(seconds: 60))
    let carillon = carillon(device) { _ in minted.token }
    try await carillon.sync()
    try await tenant.erase(device.id)
    let error = await #expect(throws: CarillonError.self) { try await tenant.erase(device.id) }
    #expect(error?.problem?.code == "deviceNotFound")
    // A token reaches neither.
    let thief = TenantClient(transport: server, key: minted.token, effects: device.clock.effects)
    let refused = await #expect(throws: CarillonError.self) { try await thief.mintToken(for: device.id) }
    #expect(refused?.problem?.code == "insufficientScope")
  }

  /// What will not pass by itself is not waited for.
  @Test func aServerWithoutTokensIsNotAskedAgain() async throws {
    let device = TestDevice()
    device.server.inject(
      .answers(
        TransportResponse(
          status: 503, headers: [TransportHeader("Content-Type", Problem.contentType)],
          body: Problem(.deviceTokensUnavailable, "Set it.").json)))
    let error = await #expect(throws: CarillonError.self) { try await device.carillon.sync() }
    #expect(error?.problem?.code == "deviceTokensUnavailable" && device.server.requests.count == 1)
  }
}

/// Holds everyone until it is opened.
private final class Gate: Sendable {
  private let waiting = Mutex<(isOpen: Bool, waiters: [CheckedContinuation<Void, Never>])>((false, []))

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = waiting.withLock { state in
        if !state.isOpen { state.waiters.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }

  func open() {
    let waiters = waiting.withLock { state in
      state.isOpen = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
