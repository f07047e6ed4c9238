import CarillonAPI
import CarillonClient
import CarillonTesting
import Testing

/// The way to permission through the SDK.
@Suite struct PrimingTests {
  private func makeDevice(_ number: UInt64 = 1) -> TestDevice {
    let device = TestDevice(number: number)
    set(.notDetermined, device)
    return device
  }

  private func set(_ status: AuthorizationStatus, _ device: TestDevice) {
    device.center.change(
      settings: CenterSettings(
        authorizationStatus: status, settings: CenterSettings.everythingEnabled.settings))
  }

  @Test func theWholeWay() async throws {
    let device = makeDevice()
    let carillon = device.carillon
    #expect(try await carillon.sync().priming.step == .none)
    #expect(try await carillon.record(.valueAction, name: "reminder.created").priming.step == .showPrimer)
    try await carillon.record(.primingShown)
    try await carillon.record(.primingPostponed)
    let wait = try await carillon.primingStep(after: "reminder.created")
    #expect(wait.step == .wait && wait.retryAt == device.clock.now.adding(seconds: 604_800))
    device.clock.advance(by: 604_800)
    #expect(try await carillon.primingStep(after: "reminder.created").step == .showPrimer)
    try await carillon.record(.primingAccepted)
    #expect(try await carillon.primingStep(after: "reminder.created").step == .showDialog)
    set(.denied, device)
    try await carillon.record(.dialogShown)
    #expect(try await carillon.primingStep(after: "reminder.created").step == .none)
    let degraded = try await carillon.primingStep(after: nil, context: PrimingQuestion.featureDegraded)
    #expect(degraded == PrimingDecision(.openSettings, .denied))
  }

  /// An event that could not be sent is told before the next question is asked.
  @Test func whatWaitsIsToldFirst() async throws {
    let device = makeDevice()
    try await device.carillon.sync()
    device.server.inject(.losesRequest, .losesRequest, .losesRequest, .losesRequest, .losesRequest)
    await #expect(throws: CarillonError.self) { try await device.carillon.record(.primingPostponed) }
    // A new process finds it where the old one left it.
    let restarted = TestDevice(clock: device.clock, server: device.server, store: device.store)
    set(.notDetermined, restarted)
    #expect(try await restarted.carillon.primingStep(after: "reminder.created").step == .wait)
    let told = device.server.reports.flatMap(\.events).filter { $0.kind == .primingPostponed }
    #expect(Set(told.map(\.id)).count == 1)
  }

  /// The answer that carried the step was followed by another, which confirms what changed on the device.
  @Test func aStepIsNotLostToAConfirmation() async throws {
    let device = TestDevice()
    set(.provisional, device)
    device.server.put(reminder("z", after: 60), for: device.id)
    device.server.put(reminder("a", after: 3600), for: device.id)
    // Nothing was shown yet that could be tapped.
    try await device.carillon.record(.tapped, notification: "z")
    #expect(try await device.carillon.primingStep(after: "reminder.created").reason == .noTapYet)
    device.clock.advance(by: 60)
    try await device.carillon.record(.tapped, notification: "z")
    device.server.put(reminder("b", after: 3600), for: device.id)
    let outcome = try await device.carillon.record(.valueAction, name: "reminder.created")
    #expect(outcome.reports == 2 && outcome.priming.step == .showPrimer)
    #expect(outcome.priming.evidence?.taps == 1)
  }
}
