import CarillonModel
import CarillonPlanner

/// How often each rule came into play, so that a run which exercises nothing cannot pass.
struct WorldTally {
  private(set) var counts: [String: Int] = [:]

  static let expected: [String] =
    HeldRequest.Slot.allCases.map { "slot \($0)" } + Reach.allCases.map { "reach \($0)" }
    + QueuedRequest.Reason.allCases.map { "queued \($0)" }
    + WithheldRequest.Reason.allCases.map { "withheld \($0)" }
    + Need.allCases.map { "unmet \($0)" }
    + [
      "moved by quietHours", "moved by frequencyCaps", "moved by overdue", "moved twice or more",
      "moved from a wish that has passed", "held as local", "held as instant", "held as put",
      "held repeating", "held occurrence", "held digest", "held digest of a passed wish", "held badge",
      "priority shifted up", "priority shifted down", "tired", "expired", "expired, delivered",
      "expired, delivered in a digest", "expired by its move", "rejected", "starved", "no capacity",
      "foreign",
      "refreshBy without a queue", "refreshBy", "coversUntil", "remove", "add", "kept", "nothing to do",
    ]

  var missing: [String] { Self.expected.filter { counts[$0] == nil } }

  var text: String {
    counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
  }

  private mutating func add(_ name: String, if happened: Bool = true) {
    if happened { counts[name, default: 0] += 1 }
  }

  mutating func add(_ world: RandomWorld, _ result: PlanResult) {
    let plan = result.plan
    for request in plan.held { add(request, world) }
    for request in plan.queued { add("queued \(request.reason)") }
    for request in plan.withheld { add("withheld \(request.reason)") }
    for request in plan.expired { add(request, world) }
    add("rejected", if: !plan.rejected.isEmpty)
    add("starved", if: plan.starved)
    add("no capacity", if: plan.capacity == 0)
    add("foreign", if: plan.foreign > 0)
    add("refreshBy", if: plan.refreshBy != nil)
    add("refreshBy without a queue", if: plan.refreshBy != nil && plan.queued.isEmpty)
    add("coversUntil", if: plan.coversUntil != nil)
    add("remove", if: !result.diff.remove.isEmpty)
    add("add", if: !result.diff.add.isEmpty)
    add("kept", if: result.diff.add.count < plan.held.count)
    add("nothing to do", if: !plan.held.isEmpty && result.diff.isEmpty)
    if let rule = world.policy.fatigue, let since = world.fatiguedAt, !world.policy.frequencyCaps.isEmpty {
      add("tired", if: world.now < since.adding(seconds: Int64(rule.recoveryDays) * 86_400))
    }
  }

  private mutating func add(_ request: HeldRequest, _ world: RandomWorld) {
    let head = world.entries.first { $0.notification.head.id == request.source }!.notification.head
    add("slot \(request.slot)")
    add("reach \(request.reach)")
    for need in request.unmetNeeds { add("unmet \(need)") }
    for move in request.moves { add("moved by \(move.by)") }
    add("moved twice or more", if: request.moves.count > 1)
    if let first = request.moves.first, first.from <= world.now {
      add("moved from a wish that has passed")
      add("held digest of a passed wish", if: request.digestCount != nil)
    }
    add("held as put", if: request.trigger == head.trigger)
    if case .local = request.trigger { add("held as local", if: request.trigger != head.trigger) }
    if case .instant = request.trigger { add("held as instant", if: request.trigger != head.trigger) }
    add("held digest", if: request.digestCount != nil)
    add("held badge", if: request.badge != nil)
    if request.digestCount == nil { add("held occurrence", if: request.id != request.source) }
    switch request.trigger {
    case .calendar(let trigger): add("held repeating", if: trigger.repeats)
    case .interval(let trigger): add("held repeating", if: trigger.repeats)
    default: break
    }
    if let type = world.policy.types?.first(where: { $0.name == request.type }) {
      add("priority shifted up", if: request.priority < type.priority)
      add("priority shifted down", if: request.priority > type.priority)
    }
  }

  private mutating func add(_ request: ExpiredRequest, _ world: RandomWorld) {
    add("expired")
    add("expired by its move", if: request.fireAt > world.now)
    let group = world.entries.first { $0.notification.head.id == request.id }?.notification.head.group
    add("expired, delivered", if: world.history.contains { $0.id == request.id && $0.at >= request.fireAt })
    if let group {
      add(
        "expired, delivered in a digest",
        if: world.history.contains { $0.id.text.hasPrefix("digest.\(group)@") && $0.at > request.fireAt })
    }
  }
}
