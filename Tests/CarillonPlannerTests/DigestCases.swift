import CarillonModel
import CarillonPlanner
import Testing

/// Digests whose time a cap has moved or that has passed. The kinds behind the field case 31.
@Suite struct DigestCases {
  /// `top` and `n` go under a cap of one in two hours, `free` does not; the night ends at 08:00, when `top` rings.
  private static func input(now: String = "2026-08-08T12:00Z", _ queue: [NotificationHead]) -> PlanInput {
    var policy = Policy()
    policy.types = ["top", "n", "free", "drop"].enumerated().map { priority, name in
      NotificationType(name: name, prefixes: [name], priority: priority)
    }
    for index in 1...3 { policy.types?[index].digest = true }
    policy.types?[3].cap = .drop
    policy.frequencyCaps = [
      FrequencyCap(limit: 1, per: .rolling(seconds: 7200), types: ["top", "n", "drop"])
    ]
    policy.quietHours = QuietHours()
    policy.quietHours?.windows = [QuietWindow(from: 22 * 3600, to: 8 * 3600)]
    return .test(now: now, policy: policy, queue: [.test("top", at("08:00"))] + queue)
  }

  private static func at(_ time: String) -> Trigger { .instant(instant("2026-08-09T\(time)Z")) }

  private static func member(
    _ id: String, _ time: String, until: String? = nil, late: Bool = false
  ) -> NotificationHead {
    var head = NotificationHead.test(id, at(time))
    head.group = "g"
    head.expiresAt = until.map { instant("2026-08-09T\($0)Z") }
    if late { head.overdue = .deliverNow }
    return head
  }

  private static let digest = "digest.g@20260809T0800"

  @Test("31C a cap moves a digest past a member's end: it expires, and is not counted")
  func expiry() {
    let queue = [
      Self.member("n1", "01:00"), Self.member("n2", "02:00", until: "09:59:59"),
      Self.member("n3", "03:00", until: "10:00"),
    ]
    let plan = Self.input(queue).planned().plan
    #expect(plan.heldIDs == ["top", Self.digest])
    #expect(plan.held[1].fireAt == instant("2026-08-09T10:00Z"))
    #expect(plan.held[1].source.text == "n1" && plan.held[1].digestCount == 2)
    #expect(plan.queuedIDs == ["n1", "n3"])
    #expect(plan.expired.map(\.id.text) == ["n2"])
  }

  @Test("31C when the first of a digest ends before it, the next one leads") func leaderExpires() {
    let queue = [
      Self.member("n1", "01:00", until: "09:00"), Self.member("n2", "02:00"), Self.member("n3", "03:00"),
    ]
    let plan = Self.input(queue).planned().plan
    #expect(plan.heldIDs == ["top", Self.digest])
    #expect(plan.held[1].source.text == "n2" && plan.held[1].digestCount == 2)
    #expect(plan.held[1].moves.first?.from == instant("2026-08-09T02:00Z"))
    #expect(plan.expired.map(\.id.text) == ["n1"])
  }

  @Test("31C one that is left of a digest rings as itself") func oneIsLeft() {
    let queue = [Self.member("n1", "01:00"), Self.member("n2", "02:00", until: "09:00")]
    let plan = Self.input(queue).planned().plan
    #expect(plan.heldIDs == ["top", "n1"])
    #expect(plan.held[1].fireAt == instant("2026-08-09T10:00Z") && plan.held[1].digestCount == nil)
    #expect(plan.queued.isEmpty && plan.expired.map(\.id.text) == ["n2"])
  }

  @Test("31C one that its digest would deliver too late rings alone where it still can") func ringsAlone() {
    let queue = [
      Self.member("n1", "01:00"), Self.member("n2", "02:00"),
      Self.member("free1", "02:00", until: "09:00"), Self.member("free2", "03:00", until: "09:00"),
    ]
    let plan = Self.input(queue).planned().plan
    #expect(plan.heldIDs == ["free1", "free2", "top", Self.digest])
    #expect(plan.held.map(\.digestCount) == [nil, nil, nil, 2])
    #expect(plan.expired.isEmpty)
  }

  @Test("31C a member that its cap drops takes no other with it") func dropped() {
    var input = Self.input([
      Self.member("drop1", "01:00"), Self.member("n1", "01:00"), Self.member("n2", "02:00"),
    ])
    var policy = input.policy.policy
    policy.types?[3].priority = 0
    input.policy = CompiledPolicy(policy)
    input.queue.removeAll { $0.head.id.text == "top" }
    for now in ["2026-08-08T12:00Z", "2026-08-09T01:30Z", "2026-08-09T09:00Z"] {
      input.now = instant(now)
      input.history = [PastDelivery(id: "top0", type: "top", at: instant("2026-08-09T07:59Z"))]
      let plan = input.planned().plan
      #expect(plan.heldIDs == [Self.digest], "\(now)")
      #expect(plan.held.first?.digestCount == 2)
      #expect(plan.held.first?.fireAt == instant("2026-08-09T09:59Z"))
    }
  }

  @Test("31C a digest that nobody delivered comes late as one, of those that are wanted late") func late() {
    let queue = [
      Self.member("n1", "01:00"), Self.member("n2", "02:00", late: true),
      Self.member("n3", "03:00", late: true),
      Self.member("n4", "03:00", until: "12:00", late: true),
    ]
    var input = Self.input(now: "2026-08-09T10:30Z", queue)
    var plan = input.planned().plan
    #expect(plan.heldIDs == [Self.digest])
    #expect(plan.held[0].source.text == "n2" && plan.held[0].digestCount == 3)
    #expect(plan.held[0].trigger == .instant(instant("2026-08-09T10:30:01Z")))
    #expect(
      plan.held[0].moves == [
        Move(by: "overdue", from: instant("2026-08-09T02:00Z"), to: instant("2026-08-09T10:30:01Z"))
      ])
    #expect(plan.expired.map(\.id.text) == ["n1", "top"])
    // A cap holds it until 12:29: too late for the last of them.
    input.history = [PastDelivery(id: "other", type: "top", at: instant("2026-08-09T10:29Z"))]
    plan = input.planned().plan
    #expect(plan.heldIDs == [Self.digest])
    #expect(plan.held[0].fireAt == instant("2026-08-09T12:29Z") && plan.held[0].digestCount == 2)
    #expect(plan.expired.map(\.id.text) == ["n1", "n4", "top"])
    #expect(plan.held[0].moves.map(\.from) == [instant("2026-08-09T02:00Z")])
    // It stays the same plan until then.
    let fire = plan.held[0].fireAt
    for second in stride(from: Int64(0), through: 7_000, by: 500) {
      input.now = instant("2026-08-09T10:30Z").adding(seconds: second)
      let again = input.planned().plan
      #expect(again.held == plan.held && again.held[0].fireAt == fire)
    }
    // Delivered is delivered.
    input.history.append(PastDelivery(id: plan.held[0].id, type: "n", at: instant("2026-08-09T12:29Z")))
    input.now = instant("2026-08-09T12:45Z")
    #expect(input.planned().plan.held.isEmpty)
  }

  @Test("31C when the time of a digest is over, what its members would find alone counts no more")
  func over() {
    // The cap would give the others 10:00, but the digest was to ring at 08:00.
    let queue = [Self.member("free1", "01:00"), Self.member("n1", "02:00"), Self.member("n2", "03:00")]
    var input = Self.input(now: "2026-08-08T12:00Z", queue)
    var policy = input.policy.policy
    policy.types?[2].priority = 0
    input.policy = CompiledPolicy(policy)
    #expect(input.planned().plan.heldIDs == [Self.digest, "top"])
    input.now = instant("2026-08-09T09:00Z")
    input.history = [PastDelivery(id: "top", type: "top", at: instant("2026-08-09T08:00Z"))]
    for _ in 1...2 {
      let plan = input.planned().plan
      #expect(plan.held.isEmpty && plan.expired.count == 4)
      input.expired = Set(plan.expired.map(\.id))
    }
  }

  @Test("31C what a digest that rang stood for is over, also where nobody could notice it any more")
  func rangBeforeTheDeviceFellSilent() {
    var input = Self.input(now: "2026-08-09T12:00Z", [Self.member("free1", "01:00", late: true)])
    input.device.settings.alert = .disabled
    input.device.settings.lockScreen = .disabled
    input.device.settings.notificationCenter = .disabled
    input.device.settings.sound = .disabled
    #expect(input.planned().plan.withheld.map(\.id.text) == ["free1"])
    input.history = [
      PastDelivery(
        id: NotificationID(unchecked: Self.digest), type: "free", at: instant("2026-08-09T08:00Z"))
    ]
    let plan = input.planned().plan
    #expect(plan.withheld.isEmpty)
    #expect(plan.expired.map(\.id.text).contains("free1"))
  }
}
