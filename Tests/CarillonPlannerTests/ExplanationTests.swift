import CarillonModel
import CarillonPlanner
import Testing

/// Each notification's story, told from the same run that makes the plan.
@Suite struct ExplanationTests {
  private func input(_ ids: [(String, String)], slots: Int, types: [NotificationType]? = nil) -> PlanInput {
    var policy = Policy()
    policy.slots = slots
    policy.types = types
    var input = PlanInput.test(now: "2026-01-01Z", zone: "UTC", policy: policy)
    input.queue = ids.map { id, at in
      QueueEntry(head: .test(id, .instant(instant(at))), acceptedAt: input.now)
    }
    return input
  }

  private func explain(_ id: String, _ input: PlanInput) -> Explanation {
    Planner.explain(NotificationID(unchecked: id), in: input, zones: zones)
  }

  @Test func whatIsHeldNamesTheOneThatWouldGetItsSlot() {
    let input = input(
      [("a", "2026-01-02T08:00Z"), ("b", "2026-01-03T08:00Z"), ("c", "2026-01-04T08:00Z")], slots: 2)
    let held = explain("a", input)
    #expect(held.state == .held && held.rank == 1 && held.slot == .rank && held.runnerUp?.id.text == "c")
    #expect(held.summary.contains("'c' would get its slot"))
    let waiting = explain("c", input)
    #expect(waiting.state == .queued && waiting.reason == "noSlot" && waiting.rank == 3)
    #expect(waiting.tookSlot?.id.text == "b" && waiting.tookSlot?.rank == 2 && waiting.waitingBefore == 0)
    #expect(waiting.slots.capacity == 2 && waiting.slots.held == 2 && waiting.slots.queued == 1)
  }

  @Test func aTypeAtItsLimitNamesTheLastOfItsType() {
    var type = NotificationType(name: "tip", prefixes: ["tip."], priority: 3)
    type.limit = 1
    let input = input(
      [("tip.1", "2026-01-02T08:00Z"), ("x", "2026-01-03T08:00Z"), ("tip.2", "2026-01-04T08:00Z")], slots: 9,
      types: [type])
    let waiting = explain("tip.2", input)
    #expect(waiting.reason == "typeLimit" && waiting.tookSlot?.id.text == "tip.1")
    #expect(waiting.type == Explanation.TypeReason(name: "tip", by: .prefix, prefix: "tip."))
    #expect(explain("tip.1", input).runnerUp?.id.text == "tip.2")
    #expect(explain("x", input).runnerUp == nil)
    #expect(explain("x", input).type == Explanation.TypeReason(name: "unknown", by: .none))
  }

  @Test func eachMoveIsTold() throws {
    var input = input([("a", "2026-01-01T22:30Z"), ("b", "2026-01-01T22:40Z")], slots: 9)
    var policy = Policy()
    policy.quietHours = QuietHours()
    policy.quietHours?.windows = [QuietWindow(from: 22 * 3600, to: 7 * 3600)]
    policy.frequencyCaps = [FrequencyCap(limit: 1, per: .rolling(seconds: 3600))]
    input.policy = CompiledPolicy(policy)
    let moved = explain("b", input)
    #expect(moved.requestedAt == instant("2026-01-01T22:40Z"))
    #expect(moved.fireAt == instant("2026-01-02T08:00Z"))
    #expect(moved.moves.map(\.by) == ["quietHours", "frequencyCaps"])
    #expect(moved.summary.contains("moved to 2026-01-02T08:00:00Z by quietHours and frequencyCaps"))
  }

  @Test func aDigestTellsOfItsMembers() {
    var type = NotificationType(name: "news", prefixes: ["news."], priority: 3)
    type.digest = true
    var input = input([("news.1", "2026-01-01T22:30Z"), ("news.2", "2026-01-01T23:30Z")], slots: 9)
    for index in input.queue.indices { input.queue[index].head.group = "g" }
    var policy = Policy()
    policy.types = [type]
    policy.quietHours = QuietHours()
    policy.quietHours?.windows = [QuietWindow(from: 22 * 3600, to: 7 * 3600)]
    input.policy = CompiledPolicy(policy)
    let member = explain("news.2", input)
    #expect(member.state == .queued && member.reason == "digest")
    #expect(member.digest?.text == "digest.g@20260102T0700" && member.fireAt == instant("2026-01-02T07:00Z"))
    #expect(explain("digest.g@20260102T0700", input).state == .held)
  }

  @Test func anExpandedOneListsItsOccurrences() {
    var input = input([], slots: 2)
    input.queue = [
      QueueEntry(
        head: .test(
          "standup",
          .recurrence(
            RecurrenceTrigger(start: wall("2026-01-01T09:00"), rule: "FREQ=DAILY;COUNT=3"))),
        acceptedAt: input.now)
    ]
    let whole = explain("standup", input)
    #expect(whole.state == .held && whole.occurrences.map(\.state) == [.held, .held, .queued])
    let last = explain("standup@20260103T0900", input)
    #expect(last.state == .queued && last.notification?.text == "standup")
    #expect(last.occurrences.map(\.id.text) == ["standup@20260103T0900"])
  }

  @Test func whatCompetesForNoSlotIsToldToo() {
    var input = input([("past", "2025-12-31T08:00Z"), ("next", "2026-01-02T08:00Z")], slots: 9)
    #expect(explain("past", input).state == .expired)
    #expect(explain("past", input).requestedAt == instant("2025-12-31T08:00Z"))
    #expect(explain("nobody", input).state == .unknown && explain("nobody", input).notification == nil)
    input.device.authorizationStatus = .denied
    let denied = explain("next", input)
    #expect(denied.state == .withheld && denied.reason == "denied")
    #expect(denied.requestedAt == instant("2026-01-02T08:00Z") && denied.fireAt == nil)
  }

  @Test func theEffectivePriorityComesWithItsReasons() {
    var type = NotificationType(name: "tip", prefixes: ["tip."], priority: 3)
    type.adaptive = true
    var policy = Policy()
    policy.types = [type]
    policy.adaptivePriority = AdaptivePriority()
    policy.fatigue = FatigueRule()
    var input = input([("tip.1", "2026-01-02T08:00Z")], slots: 9)
    input.policy = CompiledPolicy(policy)
    #expect(explain("tip.1", input).priority?.reasons.map(\.code) == ["type", "tooFewSamples"])
    input.engagement = [
      TypeEngagement(type: "tip", delivered: 100, tapped: 60),
      TypeEngagement(type: "other", delivered: 900, tapped: 60),
    ]
    input.fatiguedAt = input.now
    let priority = explain("tip.1", input).priority
    #expect(priority?.base == 3 && priority?.effective == 2)
    #expect(priority?.reasons.map(\.code) == ["type", "tapRate", "fatigued"])
  }

  /// Somebody gave another notification the very id that planning would make.
  @Test func aMadeIDNeverMeetsAGivenOne() {
    var type = NotificationType(name: "news", prefixes: ["news."], priority: 3)
    type.digest = true
    var policy = Policy()
    policy.types = [type]
    policy.quietHours = QuietHours()
    policy.quietHours?.windows = [QuietWindow(from: 22 * 3600, to: 7 * 3600)]
    var input = input(
      [
        ("x@20260102T0900", "2026-01-03T11:00Z"), ("digest.g@20260102T0700", "2026-01-03T12:00Z"),
        ("news.1", "2026-01-01T22:30Z"), ("news.2", "2026-01-01T23:30Z"),
      ], slots: 9)
    input.policy = CompiledPolicy(policy)
    for index in 2...3 { input.queue[index].head.group = "g" }
    let rule = RecurrenceTrigger(start: wall("2026-01-02T09:00"), rule: "FREQ=DAILY;COUNT=2")
    input.queue.append(QueueEntry(head: .test("x", .recurrence(rule)), acceptedAt: input.now))
    let plan = input.planned().plan
    #expect(
      plan.heldIDs == [
        "digest.g@20260102T0700~", "x@20260102T0900~", "x@20260103T0900", "x@20260102T0900",
        "digest.g@20260102T0700",
      ])
    input.pending = plan.held.map { PendingRequest(id: $0.id, revision: $0.revision) }
    #expect(input.planned().diff.isEmpty)
    #expect(explain("x@20260102T0900", input).fireAt == instant("2026-01-03T11:00Z"))
    #expect(explain("x@20260102T0900~", input).notification?.text == "x")
  }
}
