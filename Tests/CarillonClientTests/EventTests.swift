import CarillonClient
import CarillonTesting
import Testing

/// What an app is told of its installation.
@Suite struct EventTests {
  private func take(_ count: Int, of stream: AsyncStream<Carillon.Event>) async -> [Carillon.Event] {
    var events: [Carillon.Event] = []
    for await event in stream {
      events.append(event)
      if events.count == count { break }
    }
    return events
  }

  @Test func aSyncTellsWhatItBrought() async throws {
    let device = TestDevice()
    let (first, second) = (device.carillon.events, device.carillon.events)
    let outcome = try await device.carillon.schedule(reminder("a", after: 3600))
    let told: [Carillon.Event.Kind] = [
      .applied(outcome.applied), .synced(planVersion: outcome.planVersion),
    ]
    #expect(outcome.applied.added == ["a"])
    #expect(await take(2, of: first).map(\.kind) == told)
    #expect(await take(2, of: second).map(\.kind) == told)
  }

  @Test func whatIsPostponedAndWhatFailsIsTold() async throws {
    let device = TestDevice(retry: .never)
    let stream = device.carillon.events
    device.server.inject(.losesRequest, .answers(TransportResponse(status: 200, body: Array("<html>".utf8))))
    for _ in 0..<2 { _ = try? await device.carillon.settingsDidChange() }
    let codes = await take(2, of: stream).map { event in
      switch event.kind {
      case .postponed(let error): "postponed \(error.code)"
      case .failed(let error): "failed \(error.code)"
      default: "\(event.kind)"
      }
    }
    #expect(codes == ["postponed unreachable", "failed unexpectedAnswer"])
  }

  @Test func theNewest32WaitAndTheLostAreCounted() async throws {
    let device = TestDevice()
    let stream = device.carillon.events
    for _ in 0..<40 { try await device.carillon.sync() }
    let events = await take(Carillon.eventLimit, of: stream)
    #expect(events.map(\.dropped) == [8] + Array(repeating: 0, count: 31))
    try await device.carillon.sync()
    #expect(await take(1, of: stream).map(\.dropped) == [0])
  }

  @Test func aStreamEndsWithItsTaskAndWithTheSDK() async throws {
    var device: TestDevice? = TestDevice()
    let stream = try #require(device?.carillon.events)
    let endless = try #require(device?.carillon.events)
    let listener = Task { await take(1, of: endless).count }
    listener.cancel()
    #expect(await listener.value == 0)
    try await device?.carillon.sync()
    device = nil
    #expect(await take(2, of: stream).count == 1)
  }

  @Test func aValueActionIsRecordedAndAnswered() async throws {
    let device = TestDevice()
    try await device.carillon.priming.record(action: "reminder.created")
    let events = device.server.reports.flatMap(\.events)
    #expect(events.map(\.name) == ["reminder.created"] && events.map(\.kind) == [.valueAction])
  }
}
