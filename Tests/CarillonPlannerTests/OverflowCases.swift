import CarillonModel
import CarillonPlanner
import Testing

/// More than fits: what waits, who gives way, and how the queue refills. The kinds behind the field cases 2, 3 and 5.
@Suite struct OverflowCases {
  /// A device that does as it is told, and what iOS does to its requests.
  struct Phone {
    var pending: [PendingRequest] = []
    var mostPending = 0

    mutating func apply(_ result: PlanResult) {
      pending.removeAll { result.diff.remove.contains($0.id) }
      mostPending = max(mostPending, pending.count)
      for index in result.diff.add {
        let request = result.plan.held[index]
        pending.removeAll { $0.id == request.id }
        pending.append(PendingRequest(id: request.id, revision: request.revision))
        mostPending = max(mostPending, pending.count)
      }
    }
  }

  private func days(_ prefix: String, _ count: Int, from: String) -> [NotificationHead] {
    (0..<count).map {
      .test("\(prefix)\($0 + 1)", .instant(instant(from).adding(seconds: Int64($0) * 86_400)))
    }
  }

  @Test("2 every one of 109 rings once, however often the device comes back", arguments: [1, 7, 10, 30, 63])
  func everyOneRings(daysBetween: Int) {
    var input = PlanInput.test(
      now: "2026-01-01T00:00Z", queue: days("n", 109, from: "2026-01-01T12:00Z"))
    var phone = Phone()
    var rung: [String] = []
    while input.now < instant("2026-04-25T00:00Z") {
      input.pending = phone.pending
      let result = input.planned()
      #expect(result.diff.remove.isEmpty)
      #expect(result.plan.held.count + result.plan.queued.count + result.plan.expired.count == 109)
      #expect(result.plan.held.count == min(64, 109 - result.plan.expired.count))
      phone.apply(result)
      // Until the next sync iOS shows what is due.
      let next = input.now.adding(seconds: Int64(daysBetween) * 86_400)
      let due = result.plan.held.filter { $0.fireAt! <= next }
      rung += due.map(\.id.text)
      phone.pending.removeAll { request in due.contains { $0.id == request.id } }
      input.history += due.map { PastDelivery(id: $0.id, type: $0.type, at: $0.fireAt!) }
      input.now = next
    }
    #expect(rung == (1...109).map { "n\($0)" })
    #expect(phone.mostPending <= 64)
  }

  @Test("2 a device that was away for long refills with what is still to come") func longAway() {
    var input = PlanInput.test(
      now: "2026-01-01T00:00Z", queue: days("n", 109, from: "2026-01-01T12:00Z"))
    input.pending = []
    let first = input.planned().plan
    #expect(first.refreshBy == instant("2026-03-06T12:00Z"))
    // Five days too late: five were missed, and nothing of what is left waits any more.
    input.now = instant("2026-03-11T00:00Z")
    input.pending = []
    input.history = first.held.map { PastDelivery(id: $0.id, type: $0.type, at: $0.fireAt!) }
    let late = input.planned()
    #expect(late.plan.expired.count == 69)
    #expect(late.plan.heldIDs == (70...109).map { "n\($0)" })
    #expect(late.diff.remove.isEmpty && late.plan.refreshBy == nil && late.plan.coversUntil == nil)
  }

  struct Newcomer: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var order: RankOrder
    var id: String
    var at: String
    var removed: String?
  }

  @Test(arguments: [
    Newcomer(
      testDescription: "2B more important and last", order: .priorityFirst, id: "med",
      at: "2026-06-01T12:00Z",
      removed: "tip64"),
    Newcomer(
      testDescription: "2B as important and last", order: .priorityFirst, id: "tipX", at: "2026-06-01T12:00Z"),
    Newcomer(
      testDescription: "2B as important and first", order: .priorityFirst, id: "tipX",
      at: "2026-01-01T06:00Z", removed: "tip64"),
    Newcomer(
      testDescription: "2B less important and first", order: .priorityFirst, id: "ad", at: "2026-01-01T06:00Z"
    ),
    Newcomer(
      testDescription: "2B soonest first: more important and last", order: .soonestFirst, id: "med",
      at: "2026-06-01T12:00Z"),
    Newcomer(
      testDescription: "2B soonest first: less important and first", order: .soonestFirst, id: "ad",
      at: "2026-01-01T06:00Z", removed: "tip64"),
    Newcomer(
      testDescription: "2B soonest first: more important at the time of the last", order: .soonestFirst,
      id: "med", at: "2026-03-05T12:00Z", removed: "tip64"),
    Newcomer(
      testDescription: "2B equal in all but the id, which comes later", order: .soonestFirst, id: "tip65",
      at: "2026-03-05T12:00Z"),
    Newcomer(
      testDescription: "2B equal in all but the id, which comes first", order: .soonestFirst, id: "tip0",
      at: "2026-03-05T12:00Z", removed: "tip64"),
  ])
  func newcomer(_ row: Newcomer) {
    var policy = Policy()
    policy.order = row.order
    policy.types = [("med", 0), ("tip", 5), ("ad", 9)].map {
      NotificationType(name: $0.0, prefixes: [$0.0], priority: $0.1)
    }
    var input = PlanInput.test(
      now: "2026-01-01T00:00Z", policy: policy, queue: days("tip", 64, from: "2026-01-01T12:00Z"))
    var phone = Phone()
    input.pending = []
    phone.apply(input.planned())
    input.pending = phone.pending
    input.queue.append(QueueEntry(head: .test(row.id, .instant(instant(row.at))), acceptedAt: input.now))
    let result = input.planned()
    phone.apply(result)
    #expect(phone.mostPending == 64)
    #expect(result.diff.remove.map(\.text) == [row.removed].compactMap(\.self))
    #expect(result.diff.add.map { result.plan.held[$0].id.text } == (row.removed == nil ? [] : [row.id]))
    #expect(result.plan.queuedIDs == [row.removed ?? row.id])
  }

  @Test(
    "2 foreign requests push ours out, the last first, and let them in again", arguments: [0, 1, 3, 64, 70])
  func foreign(count: Int) {
    var input = PlanInput.test(now: "2026-01-01T00:00Z", queue: days("n", 64, from: "2026-01-01T12:00Z"))
    var phone = Phone()
    input.pending = []
    phone.apply(input.planned())
    input.pending = phone.pending
    input.foreign.count = count
    let squeezed = input.planned()
    let left = max(0, 64 - count)
    #expect(squeezed.plan.heldIDs == (1...64).prefix(left).map { "n\($0)" })
    #expect(Set(squeezed.diff.remove.map(\.text)) == Set((1...64).dropFirst(left).map { "n\($0)" }))
    #expect(squeezed.diff.add.isEmpty && !squeezed.plan.starved)
    phone.apply(squeezed)
    input.pending = phone.pending
    input.foreign.count = 0
    #expect(input.planned().diff.add.count == min(count, 64))
  }

  // MARK: 3

  static let repeaters: [Trigger] = [
    .calendar(CalendarTrigger(components: daily(9), repeats: true)),
    .calendar(CalendarTrigger(components: components { ($0.weekday, $0.hour) = (2, 8) }, repeats: true)),
    .calendar(CalendarTrigger(components: components { ($0.day, $0.hour) = (15, 8) }, repeats: true)),
    .calendar(CalendarTrigger(components: components { ($0.month, $0.day) = (6, 1) }, repeats: true)),
    .calendar(CalendarTrigger(components: components { $0.minute = 30 }, repeats: true)),
    .interval(IntervalTrigger(seconds: 3600, repeats: true)),
  ]

  @Test("3 each kind of repeating request takes one place", arguments: repeaters)
  func onePlace(trigger: Trigger) throws {
    let queue = [.test("r", trigger)] + days("d", 64, from: "2026-12-01T12:00Z")
    let plan = PlanInput.test(now: "2026-01-01T00:00Z", queue: queue).planned().plan
    #expect(plan.heldIDs == ["r"] + (1...63).map { "d\($0)" })
    #expect(plan.queuedIDs == ["d64"])
    #expect(plan.held[0].trigger == trigger && !plan.starved)
    #expect(plan.coversUntil == plan.held.last?.fireAt)
  }

  @Test(
    "3 it ranks by its next fire, also right after it rang",
    arguments: [
      ("2026-01-01T08:59:59Z", "2026-01-01T09:00Z"), ("2026-01-01T09:00:00Z", "2026-01-02T09:00Z"),
      ("2026-01-01T09:00:01Z", "2026-01-02T09:00Z"),
    ])
  func nextFire(now: String, fire: String) {
    let queue: [NotificationHead] = [
      .test("r", Self.repeaters[0]), .test("d", .instant(instant("2026-01-01T12:00Z"))),
    ]
    var policy = Policy()
    policy.slots = 1
    let plan = PlanInput.test(now: now, policy: policy, queue: queue).planned().plan
    let isFirst = instant(fire) < instant("2026-01-01T12:00Z")
    #expect(plan.heldIDs == [isFirst ? "r" : "d"])
    #expect((isFirst ? plan.held[0].fireAt : plan.queued[0].fireAt) == instant(fire))
  }

  @Test(
    "3 repeating requests in all places starve what waits", arguments: [(64, true), (63, false), (70, true)])
  func starved(repeating: Int, isStarved: Bool) {
    let queue =
      (0..<repeating).map { number in
        NotificationHead.test(
          "r\(number + 10)", .calendar(CalendarTrigger(components: daily(9, number % 60), repeats: true)))
      } + days("d", 2, from: "2026-02-01T12:00Z")
    let plan = PlanInput.test(now: "2026-01-01T00:00Z", queue: queue).planned().plan
    #expect(plan.held.count == 64)
    #expect(plan.starved == isStarved)
    #expect(plan.coversUntil == (isStarved ? nil : instant("2026-02-01T12:00Z")))
  }

  @Test("3 nothing is starved while a place is free, though a region waits") func notStarved() {
    var policy = Policy()
    policy.locationSlots = 0
    let region = LocationTrigger(latitude: 1, longitude: 2, radius: 100)
    let queue: [NotificationHead] = [.test("r", Self.repeaters[0]), .test("L", .location(region))]
    let plan = PlanInput.test(now: "2026-01-01T00:00Z", policy: policy, queue: queue).planned().plan
    #expect(plan.queuedIDs == ["L"] && !plan.starved)
  }

  // MARK: 5

  @Test(
    "5 regions share 20 with the app's own, and the 64 with everything",
    arguments: [(20, 0, 20), (5, 0, 5), (20, 8, 12), (20, 20, 0), (20, 25, 0), (5, 18, 2), (0, 0, 0)])
  func regions(budget: Int, foreignRegions: Int, held: Int) {
    var policy = Policy()
    policy.locationSlots = budget
    let queue = (1...30).map { number in
      NotificationHead.test(
        "L\(number)",
        .location(
          LocationTrigger(
            latitude: 1, longitude: 2, radius: 100, repeats: number % 2 == 0, distance: Double(31 - number))))
    }
    var input = PlanInput.test(now: "2026-01-01T00:00Z", policy: policy, queue: queue)
    input.foreign = ForeignRequests(count: 0, regions: foreignRegions)
    let plan = input.planned().plan
    #expect(Set(plan.heldIDs) == Set((0..<held).map { "L\(30 - $0)" }))
    #expect(plan.queuedIDs == (held..<30).map { "L\(30 - $0)" })
    #expect(plan.queued.map(\.rank) == Array(held..<30).map { $0 + 1 })
    #expect(plan.refreshBy == nil)
    input.foreign.count = 63
    #expect(input.planned().plan.held.count == min(held, 1))
  }

  @Test("5 the more important type first, then the nearest, an unknown distance last, then the id")
  func nearest() {
    func head(_ id: String, _ distance: Double?) -> NotificationHead {
      .test(id, .location(LocationTrigger(latitude: 1, longitude: 2, radius: 100, distance: distance)))
    }
    let queue = [
      head("inactivity.near", 1), head("habit.far", 9_000), head("habit.unknown", nil), head("habit.b", 50),
      head("habit.a", 50),
    ]
    let expected = ["habit.a", "habit.b", "habit.far", "habit.unknown", "inactivity.near"]
    for slots in 0...5 {
      var policy = Policy()
      policy.locationSlots = slots
      let plan = PlanInput.test(now: "2026-01-01T00:00Z", policy: policy, queue: queue).planned().plan
      #expect(Set(plan.heldIDs) == Set(expected.prefix(slots)))
      #expect(plan.queuedIDs == Array(expected.dropFirst(slots)))
    }
  }

  @Test("5 a region that was not registered is not held: it is added again; its distance changes nothing")
  func registration() {
    func queue(_ distance: Double) -> [NotificationHead] {
      [.test("L", .location(LocationTrigger(latitude: 1, longitude: 2, radius: 100, distance: distance)))]
    }
    var input = PlanInput.test(now: "2026-01-01T00:00Z", queue: queue(10))
    input.sent = [NotificationID(unchecked: "L")]
    input.pending = []
    let plan = input.planned()
    #expect(plan.diff.add == [0])
    input = PlanInput.test(now: "2026-01-01T00:00Z", queue: queue(99))
    input.pending = [PendingRequest(id: plan.plan.held[0].id, revision: plan.plan.held[0].revision)]
    #expect(input.planned().diff.isEmpty)
  }
}
