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
    Row(testDescription: "just enough samples", delivered: 20, tapped: 20, expected: 1),
    Row(
      testDescription: "a few taps of few deliveries are smoothed away", delivered: 20, tapped: 3, expected: 2
    ),
    Row(
      testDescription: "more than twice the taps, less than four times", tapped: 90, priority: 5, maxShift: 2,
      expected: 4),
    Row(testDescription: "not more than are allowed", tapped: 0, priority: 5, maxShift: 1, expected: 6),
    Row(testDescription: "none where none are allowed", tapped: 90, maxShift: 0, expected: 2),
    Row(testDescription: "never beyond the last", tapped: 0, priority: 99, maxShift: 3, expected: 99),
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

  /// Added up in some orders the rate of tips is twice that of all by the last bit, in others it is less.
  @Test("the order in which types are told of makes no difference") func anyOrder() {
    let tips = TypeEngagement(type: "tips", delivered: 20.6, tapped: 7.333333333333335)
    let news = TypeEngagement(type: "news", delivered: 29.1, tapped: 0.9)
    let gone = TypeEngagement(type: "gone", delivered: 37.9, tapped: 3.6)
    let priorities = Set(
      [
        [tips, news, gone], [tips, gone, news], [news, tips, gone], [news, gone, tips], [gone, tips, news],
        [gone, news, tips],
      ].map { Self.input($0).planned().plan.held.map(\.priority) })
    #expect(priorities.count == 1)
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
    #expect(input.planned().plan.refreshBy == instant("2026-01-15T00:00Z"))
    input.now = instant("2026-01-15T00:00Z")
    #expect(input.planned().plan.held.map(\.fireAt) == [noon, noon])
    #expect(input.planned().plan.refreshBy == nil)
    policy.types?[0].priority = 1
    input.policy = CompiledPolicy(policy)
    input.now = instant("2026-01-10T00:00Z")
    #expect(input.planned().plan.held.map(\.fireAt) == [noon, noon])
  }

  @Test("a type that does not adapt stays, and its taps still weigh in the common rate") func others() {
    let engagement = [
      TypeEngagement(type: "tips", delivered: 100, tapped: 60),
      TypeEngagement(type: "news", delivered: 100, tapped: 60),
    ]
    var input = Self.input(engagement)
    input.queue.append(
      QueueEntry(head: .test("news", .instant(instant("2026-01-01T13:00Z"))), acceptedAt: input.now))
    #expect(input.planned().plan.held.map(\.priority) == [2, 2])
  }

  @Test("a step for each doubling, as far as is allowed", arguments: [(1, 4), (2, 3), (3, 2), (9, 1)])
  func doublings(maxShift: Int, expected: Int) {
    let engagement = [
      TypeEngagement(type: "tips", delivered: 100, tapped: 100),
      TypeEngagement(type: "news", delivered: 8_000, tapped: 80),
    ]
    let input = Self.input(engagement, priority: 5, maxShift: maxShift)
    #expect(input.planned().plan.held.map(\.priority) == [expected])
  }

  @Test("a shifted priority decides who waits, who goes first under a cap, and is in the plan") func effect()
  {
    var policy = Policy()
    policy.slots = 1
    policy.order = .priorityFirst
    policy.types = ["tips", "news"].map { NotificationType(name: $0, prefixes: [$0], priority: 2) }
    policy.types?[0].adaptive = true
    policy.adaptivePriority = AdaptivePriority()
    policy.frequencyCaps = [FrequencyCap(limit: 1, per: .rolling(seconds: 3600))]
    let queue = ["news", "tips"].map { NotificationHead.test($0, .instant(instant("2026-01-01T12:00Z"))) }
    var input = PlanInput.test(now: "2026-01-01T00:00Z", policy: policy, queue: queue)
    #expect(input.planned().plan.heldIDs == ["news"])
    input.engagement = [
      TypeEngagement(type: "tips", delivered: 100, tapped: 60),
      TypeEngagement(type: "news", delivered: 400, tapped: 40),
    ]
    let plan = input.planned().plan
    #expect(plan.heldIDs == ["tips"])
    #expect(plan.held.map(\.fireAt) == [instant("2026-01-01T12:00Z")])
    #expect(plan.queued.map(\.fireAt) == [instant("2026-01-01T13:00Z")])
  }

  struct Tired: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var scale = 0.5
    var limit = 4
    var minPriority = 2
    var now = "2026-01-10T00:00Z"
    /// How many of six ring at once.
    var atOnce: Int
  }

  @Test(arguments: [
    Tired(testDescription: "half of four", atOnce: 2),
    Tired(testDescription: "half of five, rounded down", limit: 5, atOnce: 2),
    Tired(testDescription: "half of one is one: a cap never closes for good", limit: 1, atOnce: 1),
    Tired(testDescription: "a scale of nothing leaves one", scale: 0, atOnce: 1),
    Tired(testDescription: "a scale of one changes nothing", scale: 1, atOnce: 4),
    Tired(testDescription: "what matters more is spared", minPriority: 3, atOnce: 4),
    Tired(testDescription: "to the last second", now: "2026-01-14T23:59:59Z", atOnce: 2),
    Tired(testDescription: "and no longer", now: "2026-01-15T00:00Z", atOnce: 4),
  ])
  func tired(_ row: Tired) {
    var policy = Policy()
    policy.types = [NotificationType(name: "tips", prefixes: ["tips"], priority: 2)]
    policy.frequencyCaps = [FrequencyCap(limit: row.limit, per: .rolling(seconds: 3600))]
    policy.fatigue = FatigueRule()
    policy.fatigue?.capScale = row.scale
    policy.fatigue?.minPriority = row.minPriority
    let noon = instant("2026-01-20T12:00Z")
    var input = PlanInput.test(
      now: row.now, policy: policy, queue: (0..<6).map { .test("tips\($0)", .instant(noon)) })
    input.fatiguedAt = instant("2026-01-01T00:00Z")
    #expect(input.planned().plan.held.count { $0.fireAt == noon } == row.atOnce)
  }
}
