import CarillonClient
import CarillonTesting
import Testing

@Suite struct FakeServerCapTests {
  /// What rang before a sync counts, though nothing of it is queued any more.
  @Test func whatHasRungCountsTowardsACap() async throws {
    let device = TestDevice()
    var policy = Policy()
    policy.frequencyCaps = [FrequencyCap(limit: 2, per: .calendarDay)]
    device.server.setPolicy(policy)
    for index in 1...3 {
      try await device.carillon.schedule(reminder("r\(index)", after: Int64(index) * 600))
    }
    #expect(device.center.pending.count == 3)
    device.clock.advance(by: 1_250)
    #expect(device.center.delivered.map(\.id) == ["r1", "r2"])
    try await device.carillon.sync()
    device.clock.advance(by: 600)
    #expect(device.center.delivered.map(\.id) == ["r1", "r2"])
    // The third waits for the next day.
    #expect(device.planned == ["r3"])
  }
}
