import CarillonModel
import CarillonPlanner
import Testing

/// How what was tapped, and what was too much, changes priorities and caps.
@Suite struct EngagementTests {
  private static func input(_ engagement: [TypeEngagement], priority: Int = 2, maxShift: Int = 1) -> PlanInput
  {
    var policy = Policy()
    policy.types = [
      NotificationType(name: "tips", prefixes: ["tips"], priority: priority),
      NotificationType(name: "news", prefixes: ["news"], priority: 2),
    ]
    policy.types?[0].adaptive = true
    policy.adaptivePriority = AdaptivePriority()
    policy.adaptivePriority?.maxShift = maxShift
    var input = PlanInput.test(
      now: "2026-01-01T00:00Z", policy: policy,
      queue: [.test("tips", .instant(instant("2026-01-01T12:00Z")))])
    input.engagement = engagement
    return input
  }

  struct Row: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var delivered = 100.0
    var tapped: Double
    var priority = 2
    var maxShift = 1
    var expected: Int
  }

  @Test(arguments: [
    Row(testDescription: "far more taps than others: one step up", tapped: 60, expected: 1),
    Row(testDescription: "far fewer: one step down", tapped: 0, expected: 3),
    Row(testDescription: "as many: none", tapped: 10, expected: 2),
    Row(testDescription: "too few samples: none", delivered: 19, tapped: 19, expected: 2),
    Row(testDescription: "never among what the user set", tapped: 90, priority: 1, maxShift: 3, expected: 1),
    Row(testDescription: "what the user set stays", tapped: 0, priority: 0, expected: 0),
  ])
  func adapts(_ row: Row) {
    let engagement = [
      TypeEngagement(type: "tips", delivered: row.delivered, tapped: row.tapped),
      TypeEngagement(type: "news", delivered: 400, tapped: 40),
    ]
    let input = Self.input(engagement, priority: row.priority, maxShift: row.maxShift)
    #expect(input.planned().plan.held.map(\.priority) == [row.expected])
  }

  @Test("a tired device gets half of the cap, for as long as it takes to recover") func fatigue() {
    var policy = Policy()
    policy.types = [NotificationType(name: "tips", prefixes: ["tips"], priority: 2)]
    policy.frequencyCaps = [FrequencyCap(limit: 2, per: .rolling(seconds: 3600))]
    policy.fatigue = FatigueRule()
    let queue = ["tips1", "tips2"].map { NotificationHead.test($0, .instant(instant("2026-01-20T12:00Z"))) }
    var input = PlanInput.test(now: "2026-01-10T00:00Z", policy: policy, queue: queue)
    let noon = instant("2026-01-20T12:00Z")
    #expect(input.planned().plan.held.map(\.fireAt) == [noon, noon])
    input.fatiguedAt = instant("2026-01-01T00:00Z")
    #expect(input.planned().plan.held.map(\.fireAt) == [noon, noon.adding(seconds: 3600)])
    input.now = instant("2026-01-15T00:00Z")
    #expect(input.planned().plan.held.map(\.fireAt) == [noon, noon])
    policy.types?[0].priority = 1
    input.policy = CompiledPolicy(policy)
    input.now = instant("2026-01-10T00:00Z")
    #expect(input.planned().plan.held.map(\.fireAt) == [noon, noon])
  }
}
