import CarillonClient
import CarillonTesting
import Testing

// What stands between the marks stands in the articles too, word for word.

// sample: device
extension DeviceInfo {
  static var madrid: DeviceInfo {
    var info = DeviceInfo()
    info.timeZone = "Europe/Madrid"
    return info
  }
}
// end

@Suite struct TestingSamples {
  // sample: rings
  @Test func aReminderRings() async throws {
    let clock = ManualClock(Instant("2026-12-01T06:30:00Z")!)
    let center = InMemoryNotificationCenter(timeZone: "Europe/Madrid", now: { clock.now })
    let server = FakeServer(effects: clock.effects)
    let carillon = Carillon(
      configuration: .init(server: FakeServer.url, device: { .madrid }, effects: clock.effects),
      center: center, transport: server, store: InMemoryStateStore(), credential: { _ in "token" })

    try await carillon.schedule(
      .init(
        id: "habit.stretch", content: NotificationContent(title: "Stretch"),
        trigger: .local(LocalDateTime("2026-12-01T08:00:00")!)))
    #expect(center.delivered.isEmpty)

    clock.advance(to: Instant("2026-12-01T07:00:00Z")!)
    #expect(center.delivered.map(\.id) == ["habit.stretch"])
  }
  // end

  @Test func notificationsSwitchedOff() async throws {
    let phone = SamplePhone()
    let (carillon, center, server) = (phone.carillon, phone.center, phone.server)
    try await carillon.schedule(
      .init(
        id: "habit.stretch", content: NotificationContent(title: "Stretch"),
        trigger: .calendar(CalendarTrigger(components: .init(hour: 8, minute: 0), repeats: true))))
    #expect(center.pending.count == 1)
    // sample: faults
    var settings = CenterSettings.everythingEnabled
    settings.authorizationStatus = .denied
    center.change(settings: settings)
    server.inject(.losesAnswer)
    try await carillon.sync()
    #expect(server.plan(of: try await carillon.deviceId())?.held.isEmpty == true)
    // end
  }
}
