import CarillonModel
import CarillonPlanner

/// What holds in every plan.
public struct PlanChecks {
  private let input: PlanInput
  private let result: PlanResult

  public init(input: PlanInput, result: PlanResult) {
    self.input = input
    self.result = result
  }

  /// What does not hold; nil when all does.
  public var finding: Finding? {
    do throws(Finding) {
      try check()
      return nil
    } catch {
      return error
    }
  }

  private var plan: Plan { result.plan }
  private var policy: Policy { input.policy.policy }

  func check() throws(Finding) {
    try capacity()
    try times()
    try sorted()
    try ids()
    try everyEntryHasItsPlace()
    try limitsAndReserves()
    try whatWaits()
    try diff()
  }

  private func capacity() throws(Finding) {
    try expect(plan.capacity == max(0, plan.slots - plan.foreign), "the capacity is not slots less foreign")
    try expect(plan.held.count <= plan.capacity, "\(plan.held.count) held, capacity \(plan.capacity)")
  }

  private func times() throws(Finding) {
    for request in plan.held {
      if let fire = request.fireAt {
        try expect(fire > input.now, "\(request.id) is held for \(fire), now is \(input.now)")
      }
      try expect(
        (request.slot == .location) == (request.fireAt == nil), "\(request.id): a place and a time, or none")
      for move in request.moves { try expect(move.from < move.to, "\(request.id) is moved back: \(move)") }
      for (first, second) in zip(request.moves, request.moves.dropFirst()) {
        try expect(first.to == second.from, "\(request.id): the moves are no chain: \(request.moves)")
      }
      if let last = request.moves.last {
        try expect(last.to == request.fireAt, "\(request.id) is not held for where it was moved")
      }
    }
    for request in plan.queued {
      if let fire = request.fireAt, request.reason != .digest {
        try expect(fire > input.now, "\(request.id) is queued for \(fire), now is \(input.now)")
      }
    }
  }

  private func sorted() throws(Finding) {
    try inOrder(plan.held, "held") { left, right in
      guard let first = left.fireAt else { return right.fireAt != nil || left.id < right.id }
      guard let second = right.fireAt else { return false }
      return first != second ? first < second : left.id < right.id
    }
    // Places first, each kind by its own ranks; members of a digest share a rank.
    for kind in [true, false] {
      try inOrder(plan.queued.filter { ($0.fireAt == nil) == kind }, "queued") { left, right in
        left.rank != right.rank
          ? left.rank < right.rank : (left.reason == .digest || right.reason == .digest) && left.id < right.id
      }
    }
    try inOrder(plan.withheld, "withheld") { $0.id < $1.id }
    try inOrder(plan.rejected, "rejected") { $0.id < $1.id }
    try inOrder(plan.expired, "expired") { left, right in
      left.fireAt != right.fireAt ? left.fireAt < right.fireAt : left.id < right.id
    }
  }

  private func inOrder<Item>(
    _ items: [Item], _ list: String, _ precedes: (Item, Item) -> Bool
  ) throws(Finding) {
    for (left, right) in zip(items, items.dropFirst()) {
      try expect(precedes(left, right), "\(list) is not in order: \(left), then \(right)")
    }
  }

  private var allIDs: [NotificationID] {
    plan.held.map(\.id) + plan.queued.map(\.id) + plan.withheld.map(\.id) + plan.expired.map(\.id)
      + plan.rejected.map(\.id)
  }

  private func ids() throws(Finding) {
    var seen: Set<NotificationID> = []
    for id in allIDs { try expect(seen.insert(id).inserted, "\(id) stands in the plan twice") }
  }

  /// Nothing that was asked for is lost without a word.
  private func everyEntryHasItsPlace() throws(Finding) {
    let named = allIDs + plan.held.map(\.source)
    for entry in input.queue {
      let occurrence = entry.head.id.text + "@"
      try expect(
        named.contains { $0 == entry.head.id || $0.text.utf8.starts(with: occurrence.utf8) },
        "\(entry.head.id) stands in no list: \(entry.head)")
    }
  }

  private func limitsAndReserves() throws(Finding) {
    let places = plan.held.filter { $0.slot == .location }
    try expect(
      places.count <= max(0, min(policy.locationSlots, 20 - input.foreign.regions)), "too many places")
    let reserves = policy.typesInForce.reduce(0) { $0 + ($1.reserve ?? 0) }
    for type in policy.typesInForce {
      let held = plan.held.filter { $0.type == type.name }
      try expect(held.count <= type.limit ?? .max, "\(held.count) of \(type.name) held, over the limit")
      // Where foreign requests squeeze the reserves, the lesser ones go short.
      guard let reserve = type.reserve, places.count + reserves <= plan.capacity else { continue }
      let own = held.filter { $0.slot == .location }.count
      let waiting = plan.queued.filter { $0.type == type.name && $0.fireAt != nil && $0.reason != .digest }
      let wanted = min(reserve, (type.limit ?? .max) - own, held.count - own + waiting.count)
      try expect(held.count - own >= wanted, "\(held.count - own) of \(type.name) held, reserved \(reserve)")
    }
  }

  private func whatWaits() throws(Finding) {
    let waiting = plan.queued.filter { $0.reason != .digest }
    if waiting.contains(where: { $0.reason == .noSlot && $0.fireAt != nil }) {
      try expect(plan.held.count == plan.capacity, "one waits for a slot and slots are free")
    }
    for request in waiting where request.reason == .typeLimit {
      let limit = policy.typesInForce.first { $0.name == request.type }?.limit
      let held = plan.held.filter { $0.type == request.type }.count
      try expect(held == limit, "\(request.id) waits for the limit of \(request.type), which has room")
    }
    if let first = waiting.compactMap(\.fireAt).min() {
      try expect(plan.refreshBy.map { $0 <= first } ?? false, "nobody comes back before \(first)")
    }
    try expect(
      plan.evictionsByType.values.reduce(0, +) == waiting.count, "the evictions do not add up")
    if waiting.isEmpty { try expect(plan.coversUntil == nil, "all is held, and yet coversUntil") }
    if plan.starved {
      try expect(waiting.contains { $0.reason == .noSlot }, "starved, though nothing waits for a slot")
    }
  }

  private func diff() throws(Finding) {
    let heldIDs = Set(plan.held.map(\.id))
    for id in result.diff.remove { try expect(!heldIDs.contains(id), "\(id) is removed and held") }
    try inOrder(result.diff.remove, "remove") { $0 < $1 }
    try inOrder(result.diff.add, "add") { $0 < $1 }
    let queued = Set(input.queue.map(\.head.id))
    for request in input.pending ?? []
    where request.revision == nil && !input.sent.contains(request.id) && !queued.contains(request.id) {
      try expect(!result.diff.remove.contains(request.id), "\(request.id) is not ours and is removed")
    }
  }
}
