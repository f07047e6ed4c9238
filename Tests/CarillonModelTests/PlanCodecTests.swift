import CarillonModel
import TestSupport
import Testing

@Suite("Plans as they are stored")
struct PlanCodecTests {
  private static func randomPlans(_ count: Int, seed: UInt64) -> [Plan] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { _ in RandomModel.plan(&random) }.filter { plan in
      plan.held.allSatisfy { request in
        if case .success = decodeTrigger(canonicalText(request.trigger)) { true } else { false }
      }
    }
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max), 1])
  func theyReadBackEqual(seed: UInt64) throws {
    let plans = Self.randomPlans(300, seed: seed)
    #expect(plans.count > 100, "seed \(seed)")
    for plan in plans { #expect(try PlanCodec.decode(PlanCodec.encode(plan)) == plan, "seed \(seed)") }
  }

  @Test func anEmptyOneReadsBackEqual() throws {
    #expect(try PlanCodec.decode(PlanCodec.encode(Plan())) == Plan())
  }

  @Test(arguments: [0, 1, 17, Int(Int32.max), Int.max])
  func anotherVersionChangesNothingElse(version: Int) throws {
    for plan in Self.randomPlans(20, seed: 2) {
      var other = plan
      other.version = version
      #expect(PlanCodec.encoded(PlanCodec.encode(plan), version: version) == PlanCodec.encode(other))
    }
  }

  /// Equal plans are the same bytes, in whatever order their evictions were counted: a digest of them tells.
  @Test func equalPlansAreEqualBytes() {
    let types = (0..<40).map { "type\($0)" }
    var (one, other) = (Plan(), Plan())
    for type in types { one.evictionsByType[type] = 1 }
    for type in types.reversed() { other.evictionsByType[type] = 1 }
    #expect(PlanCodec.encode(one) == PlanCodec.encode(other))
  }

  @Test func everyCutIsRefused() {
    for plan in Self.randomPlans(5, seed: 3) {
      let bytes = PlanCodec.encode(plan)
      for count in 0..<bytes.count {
        #expect(throws: StoredFormError.self) { try PlanCodec.decode(Array(bytes[..<count])) }
      }
      #expect(throws: StoredFormError.self) { try PlanCodec.decode(bytes + [0]) }
      #expect(throws: StoredFormError.self) { try PlanCodec.decode([2] + bytes.dropFirst()) }
    }
  }

  /// Whatever is read of damaged bytes can be written, and is then what it seems.
  @Test(arguments: [UInt64.random(in: 0 ... .max), 4])
  func damagedOnesAreRefusedOrRead(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for plan in Self.randomPlans(20, seed: seed) {
      let stored = PlanCodec.encode(plan)
      for _ in 0..<100 {
        var bytes = stored
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        guard let read = try? PlanCodec.decode(bytes) else { continue }
        #expect((try? PlanCodec.decode(PlanCodec.encode(read))) == read, "seed \(seed)")
      }
    }
  }
}
