import CarillonModel
import CarillonPlanner
import Testing

/// Who gets a slot: the field cases about the 64, about locations and about the diff.
@Suite struct SlotCases {
  private func dailyOneShots(_ prefix: String, _ range: ClosedRange<Int>, from: String) -> [NotificationHead]
  {
    range.map { number in
      .test(
        "\(prefix)\(number)",
        .instant(instant(from).adding(seconds: Int64(number - range.lowerBound) * 86_400)))
    }
  }

  /// What a device that did as told would report.
  private func pending(_ plan: Plan) -> [PendingRequest] {
    plan.held.map { PendingRequest(id: $0.id, revision: $0.revision) }
  }

  @Test("2A the overflow waits and refills") func refill() {
    var input = PlanInput.test(
      now: "2026-01-01T00:00Z", queue: dailyOneShots("n", 1...109, from: "2026-01-01T12:00Z"))
    input.pending = []
    let first = input.planned()
    #expect(first.plan.heldIDs == (1...64).map { "n\($0)" })
    #expect(first.plan.held.last?.fireAt == instant("2026-03-05T12:00Z"))
    #expect(first.plan.refreshBy == instant("2026-03-06T12:00Z"))
    #expect(first.plan.coversUntil == instant("2026-03-05T12:00Z"))

    input.now = instant("2026-01-11T00:00Z")
    input.pending = pending(first.plan).suffix(54)
    let second = input.planned()
    #expect(second.plan.expired.map(\.id.text) == (1...10).map { "n\($0)" })
    #expect(second.diff.remove.isEmpty)
    #expect(second.diff.add.map { second.plan.held[$0].id.text } == (65...74).map { "n\($0)" })
    #expect(second.plan.held.count == 64)
  }

  @Test("2B a more important one takes the last one's slot") func displacement() {
    var policy = Policy()
    policy.order = .priorityFirst
    policy.types = [
      NotificationType(name: "med", prefixes: ["med"], priority: 0),
      NotificationType(name: "tip", prefixes: ["tip"], priority: 5),
    ]
    var input = PlanInput.test(
      now: "2026-01-01T00:00Z", policy: policy,
      queue: dailyOneShots("tip.", 1...64, from: "2026-01-01T12:00Z"))
    input.pending = []
    input.pending = pending(input.planned().plan)
    #expect(input.planned().diff.isEmpty)

    input.queue.append(
      QueueEntry(head: .test("med.1", .instant(instant("2026-06-01T12:00Z"))), acceptedAt: input.now))
    let result = input.planned()
    #expect(result.diff.remove.map(\.text) == ["tip.64"])
    #expect(result.diff.add.map { result.plan.held[$0].id.text } == ["med.1"])
    #expect(result.plan.held.count == 64)

    policy.types?[0].priority = 5
    input.policy = CompiledPolicy(policy)
    let equal = input.planned()
    #expect(equal.diff.isEmpty)
    #expect(equal.plan.queuedIDs == ["med.1"])
  }

  @Test("3 a repeating request takes one slot and ranks by its next fire") func repeating() {
    var queue = dailyOneShots("d", 1...62, from: "2026-01-02T12:00Z")
    queue.append(.test("rA", .calendar(CalendarTrigger(components: daily(9), repeats: true))))
    queue.append(.test("rB", .calendar(CalendarTrigger(components: daily(21), repeats: true))))
    let monday = components { ($0.weekday, $0.hour) = (2, 8) }
    queue.append(.test("rW", .calendar(CalendarTrigger(components: monday, repeats: true))))
    let plan = PlanInput.test(now: "2026-01-01T00:00Z", queue: queue).planned().plan
    #expect(Set(plan.heldIDs) == Set(["rA", "rB", "rW"] + (1...61).map { "d\($0)" }))
    #expect(plan.queuedIDs == ["d62"])
    #expect(!plan.starved)
  }

  @Test(
    "5 locations have a smaller limit of their own",
    arguments: [(0, 20, 44), (8, 12, 50), (20, 0, 50)])
  func locations(foreignRegions: Int, locations: Int, others: Int) {
    var queue = dailyOneShots("t", 1...50, from: "2026-01-02T12:00Z")
    for number in 1...30 {
      let region = LocationTrigger(latitude: 1, longitude: 2, radius: 100, distance: Double(number) * 10)
      queue.append(.test("L\(number)", .location(region)))
    }
    var input = PlanInput.test(now: "2026-01-01T00:00Z", queue: queue)
    input.foreign = ForeignRequests(count: 0, regions: foreignRegions)
    let plan = input.planned().plan
    let held = plan.held.map(\.id.text)
    #expect(Set(held.prefix(locations)) == Set((1...30).prefix(locations).map { "L\($0)" }))
    #expect(Array(held.dropFirst(locations)) == (1...others).map { "t\($0)" })
  }

  @Test("25 a changed request is one add, and removes name only what leaves") func change() {
    var input = PlanInput.test(
      now: "2026-01-01T00:00Z",
      queue: [
        .test("med.1", .instant(instant("2026-01-01T10:00Z"))),
        .test("med.3", .instant(instant("2026-01-01T11:00Z"))),
      ])
    input.pending = [
      PendingRequest(id: NotificationID(unchecked: "med.1"), revision: "0000000000000001"),
      PendingRequest(id: NotificationID(unchecked: "med.2"), revision: "0000000000000002"),
      PendingRequest(id: NotificationID(unchecked: "other.app")),
    ]
    let result = input.planned()
    #expect(result.diff.remove.map(\.text) == ["med.2"])
    #expect(result.diff.add.map { result.plan.held[$0].id.text } == ["med.1", "med.3"])
    #expect(result.plan.foreign == 1)
    #expect(result.plan.capacity == 63)
  }

  @Test("45 badges count on from the unread, in fire order") func badges() {
    func head(_ id: String, _ at: String) -> NotificationHead {
      .test(id, .instant(instant(at)), hasBadge: true)
    }
    var input = PlanInput.test(
      now: "2026-01-01T00:00Z",
      queue: [
        head("n3", "2026-01-01T12:00Z"), head("n1", "2026-01-01T10:00Z"), head("n2", "2026-01-01T11:00Z"),
        .test("r", .calendar(CalendarTrigger(components: daily(9), repeats: true)), hasBadge: true),
      ])
    input.unread = 2
    input.pending = []
    let first = input.planned()
    #expect(first.plan.heldIDs == ["r", "n1", "n2", "n3"])
    #expect(first.plan.held.map(\.badge) == [nil, 3, 4, 5])

    input.pending = pending(first.plan)
    input.queue.removeAll { $0.head.id.text == "n1" }
    let second = input.planned()
    #expect(second.diff.remove.map(\.text) == ["n1"])
    #expect(second.diff.add.map { second.plan.held[$0].id.text } == ["n2", "n3"])
    #expect(second.plan.held.map(\.badge) == [nil, 3, 4])

    input.unread = 0
    input.pending = []
    input.queue = dailyOneShots("x", 1...62, from: "2026-01-02T12:00Z").map { head in
      var head = head
      head.summary.hasBadge = true
      return QueueEntry(head: head, acceptedAt: input.now)
    }
    #expect(input.planned().plan.held.first?.badge == 1)
  }
}
