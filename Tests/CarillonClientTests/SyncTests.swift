import CarillonClient
import CarillonJSON
import CarillonTesting
import Testing

/// The SDK against the real planner behind an in-process server.
@Suite struct SyncTests {
  @Test func aDeviceComesToHoldItsPlan() async throws {
    let device = TestDevice()
    for number in 1...3 { device.server.put(reminder("a.\(number)", after: 3600), for: device.id) }
    let outcome = try await device.carillon.sync()
    #expect(device.center.pendingIDs == ["a.1", "a.2", "a.3"])
    #expect(outcome.applied.added.count == 3 && outcome.slots.held == 3 && outcome.refreshBy == nil)
    // The change was confirmed: the server knows what the device holds.
    #expect(outcome.reports == 2)
    #expect(device.server.reports.last?.pending?.map(\.id.text) == ["a.1", "a.2", "a.3"])
    #expect(device.server.reports.map(\.sequence) == [1, 2])
  }

  @Test func nothingNewIsOneReportAndNoChange() async throws {
    let device = TestDevice()
    device.server.put(reminder("a", after: 3600), for: device.id)
    try await device.carillon.sync()
    let adds = device.center.calls.count
    let outcome = try await device.carillon.sync()
    #expect(outcome.reports == 1 && outcome.applied.isEmpty)
    let later = device.center.calls.dropFirst(adds)
    #expect(later.allSatisfy { if case .add = $0 { false } else { true } })
  }

  @Test func aReportTellsHowThingsStandWhenItIsSent() async throws {
    let device = TestDevice()
    device.server.put(reminder("a", after: 3600), for: device.id)
    try await device.carillon.sync()
    device.center.change(
      settings: CenterSettings(
        authorizationStatus: .denied, settings: CenterSettings.everythingEnabled.settings))
    let outcome = try await device.carillon.sync()
    #expect(device.server.reports.last?.authorizationStatus == .denied)
    #expect(outcome.applied.removed == ["a"] && device.center.pending.isEmpty)
    // Case 18: allowed again, the plan is there again without anybody's doing.
    device.center.change(settings: .everythingEnabled)
    try await device.carillon.sync()
    #expect(device.center.pendingIDs == ["a"])
  }

  @Test func theAppsOwnRequestsAreCountedAndLeftAlone() async throws {
    let device = TestDevice()
    for number in 1...10 {
      try await device.center.add(
        CenterRequest(
          id: NotificationID(unchecked: "own.\(number)"), content: NotificationContent(title: "own"),
          trigger: .interval(seconds: 3600, repeats: true)))
    }
    for number in 1...64 {
      device.server.put(reminder("a.\(number)", after: 3600 + Int64(number)), for: device.id)
    }
    let outcome = try await device.carillon.sync()
    #expect(outcome.slots.foreign == 10 && outcome.slots.held == 54 && outcome.slots.queued == 10)
    #expect(device.center.pending.count == 64)
    #expect(device.center.pendingIDs.filter { $0.hasPrefix("own.") }.count == 10)
    #expect(device.center.highWater == 64 && device.center.dropped.isEmpty)
    #expect(
      device.server.reports.allSatisfy { $0.pending?.allSatisfy { $0.id.text.hasPrefix("a.") } ?? true })
  }

  /// Case 2, B: with 64 held, one that matters more takes the place of the last, and the count never shows 65.
  @Test(arguments: [0.0, 0.2]) func swapAtTheLimit(removalDelay: Double) async throws {
    let device = TestDevice(removalDelay: removalDelay)
    var policy = Policy()
    policy.order = .priorityFirst
    policy.types = [
      NotificationType(name: "med", prefixes: ["med"], priority: 0),
      NotificationType(name: "tip", prefixes: ["tip"], priority: 5),
    ]
    device.server.setPolicy(policy)
    for number in 1...64 {
      device.server.put(reminder("tip.\(number)", after: Int64(number) * 60), for: device.id)
    }
    try await device.carillon.sync()
    #expect(device.center.pending.count == 64)
    device.server.put(reminder("med.1", after: 65 * 60), for: device.id)
    let outcome = try await device.carillon.sync()
    #expect(outcome.applied.removed == ["tip.64"] && outcome.applied.added == ["med.1"])
    #expect(device.center.highWater == 64 && device.center.dropped.isEmpty)
    #expect(device.center.pendingIDs == device.planned)
  }

  /// Case 2, A: what waits moves up as time passes, and nothing is removed for it.
  @Test func whatWaitsMovesUp() async throws {
    let device = TestDevice(timeZone: "Europe/Madrid")
    for day in 1...109 {
      device.server.put(reminder("n\(day)", after: Int64(day) * 86_400 - 3600), for: device.id)
    }
    let first = try await device.carillon.sync()
    #expect(first.slots.held == 64 && first.slots.queued == 45)
    #expect(first.refreshBy == TestDevice.start.adding(seconds: 65 * 86_400 - 3600))
    device.clock.advance(by: 10 * 86_400)
    let second = try await device.carillon.sync()
    #expect(second.applied.removed.isEmpty)
    #expect(second.applied.added.map(\.text) == (65...74).map { "n\($0)" })
    #expect(device.center.pending.count == 64)
    #expect(Set(device.server.reports.last?.delivered?.map(\.text) ?? []) == Set((1...10).map { "n\($0)" }))
  }

  /// Case 25: a changed id is one add; removes take effect before adds, however late the center applies them.
  @Test(arguments: [0.0, 0.2]) func removeAndAddNeverRace(removalDelay: Double) async throws {
    let device = TestDevice(removalDelay: removalDelay)
    device.server.put(reminder("med.1", after: 8 * 3600), for: device.id)
    device.server.put(reminder("med.2", after: 9 * 3600), for: device.id)
    try await device.carillon.sync()
    let before = device.center.calls.count
    device.server.put(reminder("med.1", after: 10 * 3600), for: device.id)
    device.server.put(reminder("med.3", after: 11 * 3600), for: device.id)
    device.server.cancel("med.2", for: device.id)
    let outcome = try await device.carillon.sync()
    #expect(outcome.applied.removed == ["med.2"] && outcome.applied.added == ["med.1", "med.3"])
    let changes = device.center.calls.dropFirst(before).compactMap { call -> String? in
      switch call {
      case .remove(let ids): "remove \(ids.map(\.text).joined())"
      case .add(let id, _): "add \(id.text)"
      default: nil
      }
    }
    #expect(changes == ["remove med.2", "add med.1", "add med.3"])
    device.clock.advance(by: 1)
    #expect(device.center.pendingIDs == ["med.1", "med.3"])
    #expect(device.server.reports.last?.pending?.count == 2)
  }

  /// Case 12: a one-time interval whose moment passed between the plan and the call.
  @Test func anIntervalThatPassedIsReportedExpired() async throws {
    let device = TestDevice()
    let content = NotificationContent(title: "soon")
    let trigger = Trigger.interval(IntervalTrigger(seconds: 20, repeats: false, anchor: TestDevice.start))
    device.server.put(.init(id: "soon", content: content, trigger: trigger), for: device.id)
    let slow = SlowAnswers(server: device.server, clock: device.clock, seconds: 25)
    let carillon = Carillon(
      configuration: .init(server: FakeServer.url, effects: device.clock.effects), center: device.center,
      transport: slow, store: device.store, credential: { _ in "token" })
    let outcome = try await carillon.sync()
    #expect(outcome.applied.expired == ["soon"] && device.center.pending.isEmpty)
    #expect(device.center.calls.allSatisfy { if case .add = $0 { false } else { true } })
  }

  /// Case 45: badges count up in the order of the fires, and the later ones are added again when one leaves.
  @Test func badgesFollowTheOrderOfTheFires() async throws {
    let device = TestDevice()
    for number in 1...3 {
      var content = NotificationContent(title: "n\(number)")
      content.badge = 1
      device.server.put(
        .init(
          id: NotificationID(unchecked: "n\(number)"), content: content,
          trigger: .instant(TestDevice.start.adding(seconds: Int64(number) * 3600))), for: device.id)
    }
    try await device.carillon.sync()
    #expect(device.center.pending.map(\.content.badge) == [1, 2, 3])
    device.server.cancel("n1", for: device.id)
    let outcome = try await device.carillon.sync()
    #expect(outcome.applied.removed == ["n1"] && outcome.applied.added == ["n2", "n3"])
    #expect(device.center.pending.map(\.content.badge) == [1, 2])
  }

  /// What iOS dropped is missing in the confirming report, and comes back as soon as there is room.
  @Test func whatWasLostIsHealed() async throws {
    let device = TestDevice()
    for number in 1...5 { device.server.put(reminder("a.\(number)", after: 3600), for: device.id) }
    try await device.carillon.sync()
    await device.center.removePendingRequests(withIdentifiers: ["a.2", "a.4"])
    let outcome = try await device.carillon.sync()
    #expect(outcome.applied.added == ["a.2", "a.4"] && device.center.pending.count == 5)
  }
}

/// A network on which answers take their time.
private struct SlowAnswers: Transport {
  let server: FakeServer
  let clock: ManualClock
  let seconds: Double

  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let answer = try await server.send(request)
    clock.advance(by: seconds)
    return answer
  }
}
