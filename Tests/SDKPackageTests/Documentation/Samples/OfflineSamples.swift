import CarillonClient
import CarillonTesting
import Testing

// What stands between the marks stands in the articles too, word for word.

@Suite struct OfflineSamples {
  @Test func aReminderMadeOnAPlaneRingsOnThePlane() async throws {
    let phone = SamplePhone(retry: .never)
    let carillon = phone.carillon
    try await carillon.sync()
    phone.server.inject(.losesRequest)
    // sample: schedule
    let outcome = try await carillon.schedule(
      .init(
        id: "tea", content: NotificationContent(title: "The tea is ready"),
        trigger: .interval(IntervalTrigger(seconds: 240, repeats: false))))
    switch outcome.confirmation {
    case .server: print("the server knows")
    case .device(let error): print("planned here, for now: \(error.detail)")
    }
    // end
    guard case .device = outcome.confirmation else {
      Issue.record("it was \(outcome.confirmation)")
      return
    }
    phone.clock.advance(by: 240)
    #expect(phone.center.delivered.map(\.id) == ["tea"])
    #expect(phone.server.queue(of: try await carillon.deviceId()).isEmpty)
    try await carillon.sync()
    // It was told, and does not ring again.
    #expect(phone.server.queue(of: try await carillon.deviceId()).map(\.head.id) == ["tea"])
    #expect(phone.center.pending.isEmpty)

    // sample: errors
    do {
      try await carillon.cancel("tea")
    } catch {
      switch error.code {
      case .notificationRefused, .tooLarge: print("this one cannot be: \(error.detail)")
      case .outboxFull: print("too much waits to be sent: \(error.detail)")
      case .stateUnavailable: print("the storage cannot be written: \(error.detail)")
      default: print("kept for the next sync: \(error)")
      }
    }
    // end
  }
}
