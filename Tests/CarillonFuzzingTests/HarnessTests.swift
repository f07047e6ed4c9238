import CarillonFuzzing
import CarillonModel
import CarillonPlanner
import TestSupport
import Testing

/// A harness that cannot find anything proves nothing: damaged plans must be findings.
@Suite("Fuzzing harness")
struct HarnessTests {
  struct Damage: CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (inout PlanResult) -> Void
  }

  static let damages = [
    Damage(testDescription: "one more held than fit") { $0.plan.capacity = $0.plan.held.count - 1 },
    Damage(testDescription: "held for the past") { $0.plan.held[0].fireAt = Instant(seconds: 0) },
    Damage(testDescription: "held out of order") { $0.plan.held.swapAt(0, 1) },
    Damage(testDescription: "an id in two lists") {
      $0.plan.withheld.append(WithheldRequest(id: $0.plan.held[0].id, reason: .capped))
    },
    Damage(testDescription: "an entry lost") { $0.plan.queued.removeLast() },
    Damage(testDescription: "nobody comes back") { $0.plan.refreshBy = nil },
    Damage(testDescription: "evictions that do not add up") { $0.plan.evictionsByType = [:] },
    Damage(testDescription: "a slot left free") {
      let request = $0.plan.held.removeLast()
      $0.plan.queued.append(
        QueuedRequest(
          id: request.id, type: request.type, fireAt: request.fireAt, rank: 99, reason: .noSlot))
      $0.plan.evictionsByType[request.type, default: 0] += 1
    },
    Damage(testDescription: "removed and held") { $0.diff.remove = [$0.plan.held[0].id] },
  ]

  @Test(arguments: damages) func aDamagedPlanIsAFinding(_ damage: Damage) throws {
    let input = Self.input
    var result = Planner.plan(input, zones: NoZones())
    #expect(PlanChecks(input: input, result: result).finding == nil)
    damage.change(&result)
    #expect(PlanChecks(input: input, result: result).finding != nil)
  }

  /// More than fits: five of which three are held.
  private static var input: PlanInput {
    var policy = Policy()
    policy.slots = 3
    var input = PlanInput(
      policy: CompiledPolicy(policy), policyVersion: 1,
      device: PlanningDevice(
        authorizationStatus: .authorized, settings: NotificationSettings(), zone: .utc),
      now: Instant(seconds: 1_780_000_000))
    input.queue = (1...5).map { number in
      QueueEntry(
        head: NotificationHead(
          id: NotificationID(unchecked: "n\(number)"),
          trigger: .instant(input.now.adding(seconds: Int64(number) * 3600)),
          summary: ContentSummary(
            hasText: true, hasSound: false, hasBadge: false, interruptionLevel: .active, hash: 1)),
        acceptedAt: input.now)
    }
    return input
  }

  private struct NoZones: ZoneLookup {
    let version = "none"
    func zone(named name: String) -> ZoneTable? { nil }
  }

  @Test func theMutatorRepeatsItselfBySeed() {
    let mutator = Mutator(corpus: [[1, 2, 3], [4, 5]], words: [[9, 9]])
    func inputs(_ seed: UInt64) -> [[UInt8]] {
      var random = SeededGenerator(seed: seed)
      return (0..<50).map { _ in mutator.next(using: &random) }
    }
    #expect(inputs(1) == inputs(1))
    #expect(inputs(1) != inputs(2))
    #expect(Set(inputs(1)).count > 25)
  }
}
