import CarillonClient
import CarillonTesting
import Testing

/// Calls may overlap as they like; the work runs one piece after the other.
@Suite struct OverlappingCallTests {
  @Test func aHundredSchedulesEndInTheRightPlan() async throws {
    let device = TestDevice()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1...100 {
        group.addTask {
          try await device.carillon.schedule(reminder("a.\(number)", after: Int64(number) * 60))
        }
      }
      try await group.waitForAll()
    }
    #expect(device.server.queue(of: device.id).count == 100)
    #expect(device.center.pendingIDs == Set((1...64).map { "a.\($0)" }))
    #expect(device.center.pendingIDs == device.planned)
    #expect(device.center.highWater == 64 && device.center.dropped.isEmpty)
    // Those that waited went together, and no report overtook another.
    let sequences = device.server.reports.map(\.sequence)
    #expect(sequences == sequences.sorted() && Set(sequences).count == sequences.count)
    #expect(sequences.count < 100)
    #expect(device.store.current?.outbox.isEmpty == true)
  }

  @Test func schedulesAndCancelsOfOneIdEndWithTheLast() async throws {
    let device = TestDevice()
    async let first = device.carillon.schedule(reminder("a", after: 3600, title: "first"))
    _ = try await first
    async let second = device.carillon.schedule(reminder("a", after: 7200, title: "second"))
    _ = try await second
    try await device.carillon.cancel("b")
    #expect(device.center.pending.map(\.content.title) == ["second"])
    try await device.carillon.cancel("a")
    #expect(device.center.pending.isEmpty && device.server.queue(of: device.id).isEmpty)
  }

  @Test func oneRefusedNotificationLeavesTheOthers() async throws {
    let device = TestDevice()
    let bad = Carillon.Notification(
      id: "bad", content: NotificationContent(title: "bad"),
      trigger: .interval(IntervalTrigger(seconds: 5, repeats: true)))
    async let good = device.carillon.schedule(reminder("good", after: 3600))
    let error = await #expect(throws: CarillonError.self) { try await device.carillon.schedule(bad) }
    #expect(error?.code == .notificationRefused && error?.fault?.pointer == "/trigger/seconds")
    _ = try await good
    #expect(device.center.pendingIDs == ["good"])
  }

  @Test func aCancelledCallStopsWaitingAndItsWishIsDone() async throws {
    let device = TestDevice()
    let call = Task { try await device.carillon.schedule(reminder("a", after: 3600)) }
    call.cancel()
    let result = await call.result
    // Whoever came first, the cancellation or the answer: the wish itself is not lost.
    if case .failure(let error) = result { #expect((error as? CarillonError)?.code == .cancelled) }
    try await device.carillon.sync()
    #expect(device.center.pendingIDs == ["a"])
  }
}
