import CarillonModel
import CarillonStore
import TestSupport
import Testing

@Suite struct SteadySyncTests {
  @Test func aRepetitionIsAnsweredAndKeptTrackOf() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(sequence: 1), tenant: tenant, device: device)
      let answer = try await store.confirmUnchanged(
        tenant: tenant, device: device, sequence: 2, digest: 7, now: Sample.later(60))
      #expect(answer == SteadyAnswer(planVersion: 1, answer: Sample.bytes("answer")))
      let stored = try #require(try await store.device(tenant: tenant, device: device))
      #expect(stored.sequence == 2)
      #expect(stored.seenAt == Sample.later(60))
      #expect(stored.rowVersion == 1)
    }
  }

  struct LongWay: Sendable, CustomTestStringConvertible {
    var why: String
    var sequence: Int64 = 2
    var digest: UInt64 = 7
    var seconds: Int64 = 60
    var device: UInt64 = 1
    var testDescription: String { why }
  }

  @Test(arguments: [
    LongWay(why: "the report says something else", digest: 8),
    LongWay(why: "the report is as old as the last", sequence: 1),
    LongWay(why: "the report is older", sequence: 0),
    LongWay(why: "the plan's time is over", seconds: 3_600),
    LongWay(why: "the device is not known", device: 2),
  ])
  func newsTakesTheLongWay(_ row: LongWay) async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(sequence: 1), tenant: tenant, device: device)
      let answer = try await store.confirmUnchanged(
        tenant: tenant, device: Sample.device(row.device), sequence: row.sequence, digest: row.digest,
        now: Sample.later(row.seconds))
      #expect(answer == nil)
      let stored = try #require(try await store.device(tenant: tenant, device: device))
      #expect(stored.sequence == 1)
      #expect(stored.seenAt == Sample.start)
    }
  }

  @Test func aNewPolicyTakesTheLongWay() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(sequence: 1), tenant: tenant, device: device)
      _ = try await store.putPolicy(
        tenant: tenant, document: Sample.bytes("{}"), expectedVersion: nil, at: Sample.start)
      func confirm(_ sequence: Int64) async throws -> SteadyAnswer? {
        try await store.confirmUnchanged(
          tenant: tenant, device: device, sequence: sequence, digest: 7, now: Sample.later(1))
      }
      #expect(try await confirm(2) == nil)
      var planned = DeviceChange(expectedRowVersion: 1, now: Sample.later(1))
      planned.steady = Sample.steady(policyVersion: 1)
      _ = try await store.apply(planned, tenant: tenant, device: device)
      #expect(try await confirm(2) != nil)
    }
  }

  @Test func aDigestUsesAllItsBits() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      var change = Sample.firstReport(sequence: 1)
      change.steady = Sample.steady(digest: UInt64.max)
      _ = try await store.apply(change, tenant: tenant, device: device)
      let answer = try await store.confirmUnchanged(
        tenant: tenant, device: device, sequence: 2, digest: UInt64.max, now: Sample.start)
      #expect(answer != nil)
    }
  }

  @Test func aChangeWithoutAnAnswerEndsTheLast() async throws {
    try await withStore { world in
      let (store, tenant, device) = (world.store, world.tenant, Sample.device(1))
      _ = try await store.apply(Sample.firstReport(sequence: 1), tenant: tenant, device: device)
      _ = try await store.apply(
        DeviceChange(expectedRowVersion: 1, now: Sample.later(1)), tenant: tenant, device: device)
      let answer = try await store.confirmUnchanged(
        tenant: tenant, device: device, sequence: 2, digest: 7, now: Sample.later(2))
      #expect(answer == nil)
    }
  }

  /// Many requests share batches: none gets another's answer, in either tenant.
  @Test func manyAtOnceAreAnsweredEachItsOwn() async throws {
    try await withStore { world in
      let store = world.store
      let tenants = [world.tenant, world.otherTenant]
      for index in 0..<40 {
        var change = Sample.firstReport(sequence: 1)
        change.steady = Sample.steady(digest: UInt64(index))
        change.steady?.answer = Sample.bytes("\(index)")
        _ = try await store.apply(
          change, tenant: tenants[index % 2], device: Sample.device(UInt64(index / 2)))
      }
      let answers = try await concurrently(40, on: world.loop) { index in
        try await store.confirmUnchanged(
          tenant: tenants[index % 2], device: Sample.device(UInt64(index / 2)), sequence: 2,
          digest: UInt64(index), now: Sample.later(1))
      }
      #expect(
        answers.map { $0.map { String(decoding: $0.answer, as: UTF8.self) } } == (0..<40).map(String.init))
    }
  }
}
