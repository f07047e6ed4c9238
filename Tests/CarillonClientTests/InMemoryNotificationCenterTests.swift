import CarillonClient
import CarillonTesting
import Testing

/// The in-memory center does what iOS does, its silences included.
@Suite struct InMemoryNotificationCenterTests {
  private let clock = ManualClock(TestDevice.start)

  private func center(
    _ overflow: InMemoryNotificationCenter.Overflow = .dropsNewest, removalDelay: Double = 0,
    timeZone: String = "Europe/Madrid"
  ) -> InMemoryNotificationCenter {
    let clock = clock
    return InMemoryNotificationCenter(
      timeZone: timeZone, overflow: overflow, removalDelay: removalDelay, now: { clock.now })
  }

  private func request(_ id: String, _ trigger: CenterTrigger) -> CenterRequest {
    CenterRequest(
      id: NotificationID(unchecked: id), content: NotificationContent(title: id), trigger: trigger)
  }

  private func once(_ id: String, in seconds: Double) -> CenterRequest {
    request(id, .interval(seconds: seconds, repeats: false))
  }

  @Test(arguments: [
    (InMemoryNotificationCenter.Overflow.dropsNewest, "n65"), (.dropsSoonest, "n1"),
  ])
  func theSixtyFifthMakesOneVanishSilently(
    overflow: InMemoryNotificationCenter.Overflow, lost: String
  ) async throws {
    let center = center(overflow)
    for number in 1...65 { try await center.add(once("n\(number)", in: Double(number) * 60)) }
    #expect(center.pending.count == 64 && center.dropped.map(\.id.text) == [lost])
    #expect(!center.pendingIDs.contains(lost))
  }

  @Test func anAddReplacesById() async throws {
    let center = center()
    try await center.add(once("a", in: 60))
    try await center.add(once("a", in: 120))
    #expect(center.pending.map(\.trigger) == [.interval(seconds: 120, repeats: false)])
  }

  /// Case 12 and 5: what iOS aborts on or quietly ignores is a typed error here.
  @Test(arguments: [
    (CenterTrigger.interval(seconds: 0, repeats: false), CenterError.Code.invalidTrigger),
    (.interval(seconds: -30, repeats: false), .invalidTrigger),
    (.interval(seconds: .nan, repeats: false), .invalidTrigger),
    (.interval(seconds: 59.999, repeats: true), .invalidTrigger),
    (.calendar(CalendarComponents(), timeZone: nil, repeats: true), .invalidTrigger),
    (.calendar(CalendarComponents(hour: 8), timeZone: "Mars/Base", repeats: true), .invalidTrigger),
    (.location(LocationTrigger(latitude: 91, longitude: 0, radius: 10)), .invalidTrigger),
  ])
  func refusesWhatWouldAbort(trigger: CenterTrigger, code: CenterError.Code) async {
    let center = center()
    let error = await #expect(throws: CenterError.self) { try await center.add(request("a", trigger)) }
    #expect(error?.code == code && center.pending.isEmpty)
  }

  @Test func aTwentyFirstRegionIsRefused() async throws {
    let center = center()
    func place(_ number: Int) -> CenterRequest {
      request("L\(number)", .location(LocationTrigger(latitude: Double(number), longitude: 0, radius: 50)))
    }
    for number in 1...20 { try await center.add(place(number)) }
    try await center.add(place(20))
    let error = await #expect(throws: CenterError.self) { try await center.add(place(21)) }
    #expect(error?.code == .tooManyRegions && center.pending.count == 20)
  }

  @Test func timeFiresOnceOrAgainAndAgain() async throws {
    let center = center()
    // 10:00Z is 11:00 in Madrid.
    try await center.add(once("once", in: 90))
    try await center.add(request("minute", .interval(seconds: 60, repeats: true)))
    try await center.add(
      request("noon", .calendar(CalendarComponents(hour: 12), timeZone: nil, repeats: true)))
    clock.advance(by: 3 * 60)
    #expect(center.delivered.map(\.id.text) == ["once", "minute"])
    #expect(center.delivered.last?.date == TestDevice.start.adding(seconds: 180))
    #expect(center.pendingIDs == ["minute", "noon"])
    clock.advance(by: 2 * 86_400)
    #expect(center.delivered.first { $0.id == "noon" }?.date == TestDevice.start.adding(seconds: 90_000))
  }

  @Test func aWallTimeTravelsWithTheDevice() async throws {
    let center = center(timeZone: "Europe/Madrid")
    let morning = CalendarComponents(year: 2026, month: 12, day: 1, hour: 8)
    try await center.add(request("local", .calendar(morning, timeZone: nil, repeats: false)))
    try await center.add(request("fixed", .calendar(morning, timeZone: "Europe/Madrid", repeats: false)))
    center.change(timeZone: "America/New_York")
    clock.advance(to: Instant(seconds: 1_796_108_400))  // 2026-12-01T07:00:00Z, 08:00 in Madrid
    #expect(center.delivered.map(\.id.text) == ["fixed"])
    clock.advance(to: Instant(seconds: 1_796_130_000))  // 13:00Z, 08:00 in New York
    #expect(center.delivered.map(\.id.text) == ["fixed", "local"])
  }

  @Test func aDateThatHasPassedNeverFires() async throws {
    let center = center()
    let past = CalendarComponents(year: 2026, month: 11, day: 29, hour: 8)
    try await center.add(request("past", .calendar(past, timeZone: nil, repeats: false)))
    #expect(center.pending.isEmpty && center.delivered.isEmpty && center.dropped.count == 1)
  }

  /// Case 25: a remove that comes late deletes whatever has the id by then.
  @Test func aLateRemoveHitsTheNewRequest() async throws {
    let center = center(removalDelay: 0.2)
    try await center.add(once("a", in: 60))
    await center.removePendingRequests(withIdentifiers: ["a"])
    #expect(center.pendingIDs == ["a"])
    try await center.add(once("a", in: 120))
    clock.advance(by: 0.2)
    #expect(center.pending.isEmpty)
  }

  @Test func deniedShowsNothing() async throws {
    let center = center()
    try await center.add(once("a", in: 60))
    center.change(
      settings: CenterSettings(
        authorizationStatus: .denied, settings: CenterSettings.everythingEnabled.settings))
    clock.advance(by: 60)
    #expect(center.pending.isEmpty && center.delivered.isEmpty)
  }

  @Test func aSnapshotGoesOnInTheNextProcess() async throws {
    let device = TestDevice()
    device.server.put(reminder("a", after: 60, title: "ä"), for: device.id)
    device.server.put(reminder("b", after: 3600), for: device.id)
    device.server.put(
      .init(
        id: "c", content: NotificationContent(title: "c"),
        trigger: .calendar(CalendarTrigger(components: .init(hour: 8, weekday: 2), repeats: true))),
      for: device.id)
    try await device.carillon.sync()
    device.clock.advance(by: 120)
    let snapshot = device.center.snapshot
    #expect(snapshot.pending.count == 2 && snapshot.delivered.count == 1)
    let restored = InMemoryNotificationCenter(timeZone: "Europe/Madrid", now: { device.clock.now })
    restored.restore(try CenterSnapshot(json: snapshot.json))
    #expect(restored.snapshot == snapshot)
  }
}
