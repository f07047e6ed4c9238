import CarillonJSON
import CarillonModel
import CarillonPlanner
import TestSupport
import Testing

/// Two real queues that overflow the 64: the article's on priority budgets, and a month of prayers.
@Suite(.enabled(if: SharedData.folder("data/queues") != nil, "the shared queues are not beside the package"))
struct RealQueueTests {
  static let folder = SharedData.folder("data/queues")

  private func queue(_ name: String, acceptedAt: Instant) throws -> [QueueEntry] {
    let bytes = try SharedData.bytes(of: "\(Self.folder!)/\(name)")
    var entries: [QueueEntry] = []
    try JSONReader.read(bytes) { (reader) throws(JSONError) in
      try Notification.readEach(from: &reader, pointer: "") { item in
        if case .success(let notification) = item {
          entries.append(QueueEntry(head: notification.head, acceptedAt: acceptedAt))
        }
      }
    }
    return entries
  }

  @Test func article() throws {
    let bytes = try SharedData.bytes(of: "\(Self.folder!)/article-policy.json")
    let policy = try JSONReader.read(bytes) { (reader) throws(JSONError) in try Policy(from: &reader) }
    var input = PlanInput.test(now: "2026-03-04T00:00Z", zone: "Europe/Istanbul", policy: policy)
    input.queue = try queue("article-66.json", acceptedAt: input.now)
    #expect(input.queue.count == 66)
    let plan = input.planned().plan
    #expect(plan.held.count == 64)
    #expect(plan.queued.map(\.type) == ["inactivity", "inactivity"])
    #expect(plan.queued.map(\.fireAt) == ["2026-03-11T05:00Z", "2026-03-11T06:00Z"].map(instant))
    #expect(plan.evictionsByType == ["inactivity": 2])
  }

  @Test("of five at one instant the least important go") func article5() throws {
    let bytes = try SharedData.bytes(of: "\(Self.folder!)/article-policy.json")
    var policy = try JSONReader.read(bytes) { (reader) throws(JSONError) in try Policy(from: &reader) }
    policy.slots = 3
    let names = [
      "habitReminder.1", "habitReminder.2", "depletionReminder.1", "inactivityReminder.1",
      "inactivityReminder.2",
    ]
    let queue = names.reversed().map {
      NotificationHead.test("com.example.\($0)", .local(wall("2026-03-05T08:00")))
    }
    let plan = PlanInput.test(now: "2026-03-04T00:00Z", policy: policy, queue: queue).planned().plan
    #expect(Set(plan.heldIDs) == Set(names.prefix(3).map { "com.example.\($0)" }))
    #expect(plan.evictionsByType == ["inactivity": 2])
  }

  @Test func prayers() throws {
    var input = PlanInput.test(now: "2026-12-01T00:00Z", zone: "Europe/Istanbul")
    input.queue = try queue("prayer-times-istanbul-2026-12.json", acceptedAt: input.now)
    #expect(input.queue.count == 155)
    let plan = input.planned().plan
    #expect(plan.held.count == 64)
    #expect(plan.queued.count == 91)
    #expect(plan.refreshBy == plan.queued[0].fireAt)
    #expect(plan.queued.map(\.rank) == Array(65...155))
    #expect(plan.coversUntil == plan.held.last?.fireAt)
  }

  @Test("a month of prayers rings whole on a phone that comes back when it is told to") func month() throws {
    var input = PlanInput.test(now: "2026-11-30T21:00:00Z", zone: "Europe/Istanbul")
    input.queue = try queue("prayer-times-istanbul-2026-12.json", acceptedAt: input.now)
    input.pending = []
    var rung: [NotificationID] = []
    var syncs = 0
    while let refreshBy = input.planned().plan.refreshBy {
      let plan = input.planned().plan
      syncs += 1
      // It comes a second before the first that waits.
      input.now = refreshBy.adding(seconds: -1)
      let due = plan.held.filter { $0.fireAt! <= input.now }
      #expect(due.count == 64)
      rung += due.map(\.id)
      input.history += due.map { PastDelivery(id: $0.id, type: $0.type, at: $0.fireAt!) }
    }
    rung += input.planned().plan.held.map(\.id)
    #expect(syncs == 2)
    #expect(rung.count == 155 && Set(rung).count == 155)
  }

  @Test("the article's queue, most important first: the last of the least important wait")
  func articleByPriority()
    throws
  {
    let bytes = try SharedData.bytes(of: "\(Self.folder!)/article-policy.json")
    var policy = try JSONReader.read(bytes) { (reader) throws(JSONError) in try Policy(from: &reader) }
    policy.order = .priorityFirst
    for slots in [64, 40, 20, 1] {
      policy.slots = slots
      var input = PlanInput.test(now: "2026-03-04T00:00Z", zone: "Europe/Istanbul", policy: policy)
      input.queue = try queue("article-66.json", acceptedAt: input.now)
      let plan = input.planned().plan
      let all =
        plan.held.map { ($0.priority, $0.fireAt!) }
        + plan.queued.map { request in
          (policy.types!.first { $0.name == request.type }!.priority, request.fireAt!)
        }
      #expect(plan.held.count == slots && all.count == 66)
      let worstHeld = plan.held.map { ($0.priority, $0.fireAt!) }.max { $0 < $1 }!
      #expect(all.sorted { $0 < $1 }.prefix(slots).last! == worstHeld)
    }
  }
}
