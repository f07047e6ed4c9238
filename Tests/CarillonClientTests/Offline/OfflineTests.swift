import CarillonClient
import CarillonTesting
import Testing

/// The SDK while its server cannot be reached, and after.
@Suite struct OfflineTests {
  /// Nothing arrives until it is told to.
  private func cut(_ device: TestDevice, requests: Int = 1) {
    for _ in 0..<requests { device.server.inject(.losesRequest) }
  }

  @Test func whatIsScheduledOnAPlaneRings() async throws {
    let device = TestDevice(retry: .never)
    device.server.put(reminder("there", after: 7200), for: device.id)
    try await device.carillon.sync()
    let events = device.carillon.events
    cut(device)
    let outcome = try await device.carillon.schedule(reminder("new", after: 3600))
    #expect(outcome.applied.added == ["new"] && outcome.slots.held == 2 && outcome.reports == 0)
    #expect(device.center.pendingIDs == ["there", "new"])
    var told: [Carillon.Event.Kind] = []
    for await event in events {
      told.append(event.kind)
      if told.count == 2 { break }
    }
    guard case .device(let error) = outcome.confirmation else {
      Issue.record("nobody confirmed it: \(outcome.confirmation)")
      return
    }
    #expect(told == [.postponed(error), .plannedHere(outcome.applied)])
    device.clock.advance(by: 4000)
    #expect(device.center.delivered.map(\.id) == ["new"])
  }

  /// The server would plan it just so: its answer changes nothing on the device.
  @Test func theNextSyncConfirmsIt() async throws {
    let device = TestDevice(retry: .never)
    device.server.put(reminder("there", after: 7200), for: device.id)
    device.server.put(reminder("gone", after: 9000), for: device.id)
    try await device.carillon.sync()
    cut(device, requests: 3)
    try await device.carillon.schedule(reminder("new", after: 3600))
    try await device.carillon.cancel("gone")
    try await device.carillon.schedule(reminder("there", after: 1800, title: "sooner"))
    let held = device.center.pending
    #expect(held.map(\.id) == ["there", "new"])
    let adds = device.center.calls.count
    let outcome = try await device.carillon.sync()
    #expect(outcome.confirmation == .server && outcome.applied.isEmpty && outcome.slots.held == 2)
    #expect(device.center.pending == held && device.planned == ["there", "new"])
    let changes = device.center.calls.dropFirst(adds).filter { call in
      switch call {
      case .add, .remove: true
      default: false
      }
    }
    #expect(changes.isEmpty)
    let state = try #require(device.store.current)
    #expect(state.outbox.isEmpty && state.plannedHere.isEmpty)
    #expect(Set(state.plan.map(\.id)) == ["there", "new"])
  }

  @Test func aSyncStillSaysThatItFailed() async throws {
    let device = TestDevice(retry: .never)
    cut(device, requests: 2)
    try await device.carillon.schedule(reminder("a", after: 3600))
    // Lost by the system meanwhile: the next failing sync puts it back.
    await device.center.removePendingRequests(withIdentifiers: ["a"])
    let error = await #expect(throws: CarillonError.self) { try await device.carillon.sync() }
    #expect(error?.code == .unreachable && device.center.pendingIDs == ["a"])
  }

  @Test(arguments: [
    TransportResponse(status: 503, body: Problem(.databaseUnavailable, "Later.").json),
    TransportResponse(status: 502, body: Array("<html>Bad gateway</html>".utf8)),
    TransportResponse(status: 200, body: Array("<html>Sign in to the network</html>".utf8)),
    TransportResponse(status: 429, headers: [TransportHeader("Retry-After", "900")]),
  ])
  func aServerThatCannotAnswerIsOneThatCannotBeReached(answer: TransportResponse) async throws {
    let device = TestDevice(retry: .never)
    device.server.inject(.answers(answer))
    let outcome = try await device.carillon.schedule(reminder("a", after: 3600))
    #expect(outcome.confirmation != .server && device.center.pendingIDs == ["a"])
  }

  @Test func aRefusalIsNotMistakenForIt() async throws {
    let device = TestDevice(retry: .never)
    device.server.inject(
      .answers(TransportResponse(status: 403, body: Problem(.insufficientScope, "No.").json)))
    let error = await #expect(throws: CarillonError.self) {
      try await device.carillon.schedule(reminder("a", after: 3600))
    }
    #expect(error?.code == .refused && device.center.pending.isEmpty)
    // What only happened is not planned: it is told later.
    cut(device)
    await #expect(throws: CarillonError.self) { try await device.carillon.record(.tapped, notification: "a") }
  }

  @Test func thePolicyIsKeptAndAskedForOnce() async throws {
    let device = TestDevice(retry: .never)
    var policy = Policy()
    policy.quietHours = try Policy(
      parsing: Array(#"{"quietHours": {"windows": [{"from": "11:30", "to": "15:00"}]}}"#.utf8)
    ).quietHours
    device.server.setPolicy(policy)
    try await device.carillon.sync()
    #expect(device.server.reports.map(\.policyVersion) == [0] && device.store.current?.policy?.version == 1)
    // Another process, the same file. 12:00 in Madrid lies in the window.
    let restarted = TestDevice(
      clock: device.clock, server: device.server, retry: .never, store: device.store)
    cut(restarted)
    try await restarted.carillon.schedule(reminder("a", after: 3600))
    let fires = try await plan(of: restarted).entries.map(\.fireAt)
    #expect(fires == [TestDevice.start.adding(seconds: 4 * 3600)])
    try await restarted.carillon.sync()
    #expect(restarted.server.reports.last?.policyVersion == 1)
    #expect(restarted.server.plan(of: restarted.id)?.held.map(\.fireAt) == fires)
  }

  /// By the device's own planning.
  private func plan(of device: TestDevice) async throws -> Carillon.Plan {
    cut(device)
    return try await device.carillon.plan()
  }

  @Test func thePlanComesFromTheServerAndElseFromTheDevice() async throws {
    let device = TestDevice(retry: .never)
    device.server.put(reminder("a", after: 3600), for: device.id)
    try await device.carillon.sync()
    let told = try await device.carillon.plan()
    #expect(told.source == .server && told.entries.map(\.content.title) == ["a"])
    // The same again is 304, and no body.
    #expect(try await device.carillon.plan() == told)
    let conditions = device.server.requests.filter { $0.target.hasSuffix("/plan") }.map { request in
      request.headers.contains { $0.name == "If-None-Match" }
    }
    #expect(conditions == [false, true])
    // What waits is told first.
    cut(device)
    try await device.carillon.schedule(reminder("b", after: 1800))
    let own = try await plan(of: device)
    #expect(own.source != .server && own.entries.map(\.id) == ["b", "a"])
    let confirmed = try await device.carillon.plan()
    #expect(confirmed.source == .server && confirmed.entries == own.entries)
  }

  @Test func theDevicesPlanIsTheServersWhereNothingHasChanged() async throws {
    let device = TestDevice(retry: .never)
    let components = CalendarComponents(hour: 8, minute: 30)
    device.server.put(
      .init(
        id: "daily", content: NotificationContent(title: "daily"),
        trigger: .calendar(CalendarTrigger(components: components, repeats: true))), for: device.id)
    device.server.put(
      .init(
        id: "every.third", content: NotificationContent(title: "third"),
        trigger: .recurrence(
          RecurrenceTrigger(
            start: LocalDateTime(wallSeconds: 1_796_112_000), rule: "FREQ=DAILY;INTERVAL=3"))),
      for: device.id)
    for number in 1...70 {
      device.server.put(reminder("a.\(number)", after: Int64(number) * 7200), for: device.id)
    }
    try await device.carillon.sync()
    let told = try await device.carillon.plan()
    #expect(told.entries.count == 64)
    #expect(try await plan(of: device).entries == told.entries)
    // An occurrence goes with what it comes from.
    cut(device)
    let outcome = try await device.carillon.cancel("every.third")
    #expect(!outcome.applied.removed.isEmpty)
    #expect(outcome.applied.removed.allSatisfy { $0.text.hasPrefix("every.third@") })
  }
}
