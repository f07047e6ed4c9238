import CarillonModel
import CarillonPlanner
import CarillonZones

extension NaivePlanner {
  /// - Returns: nil where it gave up.
  static func plan(_ input: PlanInput) -> PlanResult? {
    var planner = NaivePlanner(input)
    planner.gather()
    planner.place()
    if planner.gaveUp { return nil }
    return planner.select()
  }

  private func ranksBefore(_ left: Request, _ right: Request) -> Bool {
    let bySoonest = policy.order == .soonestFirst
    if left.fire == nil {
      if left.type.priority != right.type.priority { return left.type.priority < right.type.priority }
      return left.distance != right.distance
        ? left.distance < right.distance : Self.precedes(left.id, right.id)
    }
    if bySoonest, left.fire != right.fire { return left.fire! < right.fire! }
    if left.type.priority != right.type.priority { return left.type.priority < right.type.priority }
    return left.fire != right.fire ? left.fire! < right.fire! : Self.precedes(left.id, right.id)
  }

  private mutating func select() -> PlanResult {
    plan.policyVersion = input.policyVersion
    plan.zoneData = zones.version
    plan.slots = policy.slots
    let strangers = (input.pending ?? []).filter { !isOurs($0) }
    plan.foreign = max(input.foreign.count, strangers.count)
    plan.capacity = max(0, policy.slots - plan.foreign)

    var locations = requests.filter { $0.fire == nil }.sorted(by: ranksBefore)
    var others = requests.filter { $0.fire != nil }.sorted(by: ranksBefore)
    let regions = max(0, min(policy.locationSlots, 20 - input.foreign.regions))
    func taken(_ type: String? = nil) -> Int {
      (locations + others).count { $0.slot != nil && (type == nil || $0.type.name == type) }
    }
    func isFull(_ type: NotificationType) -> Bool { type.limit.map { taken(type.name) >= $0 } ?? false }
    for index in locations.indices {
      if isFull(locations[index].type) {
        locations[index].isAtLimit = true
      } else if taken() < min(regions, plan.capacity) {
        locations[index].slot = .location
      }
    }
    let types = (policy.types ?? []).enumerated().sorted {
      ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
    }
    for (_, type) in types {
      for _ in 0..<(type.reserve ?? 0) where taken() < plan.capacity && !isFull(type) {
        guard let next = others.firstIndex(where: { $0.type.name == type.name && $0.slot == nil }) else {
          break
        }
        others[next].slot = .reserve
      }
    }
    for index in others.indices where others[index].slot == nil {
      if isFull(others[index].type) {
        others[index].isAtLimit = true
      } else if taken() < plan.capacity {
        others[index].slot = .rank
      }
    }
    write(locations, others)
    return PlanResult(plan: plan, diff: diff())
  }

  private mutating func write(_ locations: [Request], _ others: [Request]) {
    let held =
      locations.filter { $0.slot != nil }.sorted { Self.precedes($0.id, $1.id) }
      + others.filter { $0.slot != nil }.sorted {
        $0.fire! != $1.fire! ? $0.fire! < $1.fire! : Self.precedes($0.id, $1.id)
      }
    var badge = input.unread
    for request in held {
      var number: Int?
      if request.head.summary.hasBadge, request.mayMove {
        badge += 1
        number = badge
      }
      var trigger = request.trigger
      if case .location(var place) = trigger {
        place.distance = nil
        trigger = .location(place)
      }
      let revision = Revision.text(
        hash: Revision.hash(of: trigger, summary: request.head.summary), badge: number,
        digestCount: request.digestCount)
      plan.held.append(
        HeldRequest(
          id: request.id, source: request.head.id, type: request.type.name, priority: request.type.priority,
          fireAt: request.fire.map { Instant(seconds: $0) }, revision: revision, trigger: request.trigger,
          reach: reach(request.head), moves: request.moves, slot: request.slot!, badge: number,
          digestCount: request.digestCount))
    }
    for list in [locations, others] {
      for (place, request) in list.enumerated() where request.slot == nil {
        plan.queued.append(
          QueuedRequest(
            id: request.id, type: request.type.name, fireAt: request.fire.map { Instant(seconds: $0) },
            rank: place + 1, reason: request.isAtLimit ? .typeLimit : .noSlot))
      }
    }
    let waiting = plan.queued
    for request in waiting { plan.evictionsByType[request.type, default: 0] += 1 }
    plan.refreshBy = ([plan.refreshBy] + waiting.map(\.fireAt)).compactMap(\.self).min()
    if !waiting.isEmpty {
      plan.coversUntil = held.filter { $0.fire != nil && !$0.repeats }.compactMap(\.fire).max()
        .map { Instant(seconds: $0) }
    }
    for (member, digest) in digested {
      plan.queued.append(
        QueuedRequest(
          id: member.id, type: member.type.name, fireAt: member.fire.map { Instant(seconds: $0) },
          rank: others.firstIndex { $0.id == digest }! + 1, reason: .digest))
    }
    if !digested.isEmpty {
      plan.queued.sort { $0.rank != $1.rank ? $0.rank < $1.rank : Self.precedes($0.id, $1.id) }
    }
    plan.starved =
      !held.isEmpty && waiting.contains { $0.reason == .noSlot }
      && held.allSatisfy { request in
        if case .location(let place) = request.head.trigger { place.repeats } else { request.repeats }
      }
    plan.withheld.sort { Self.precedes($0.id, $1.id) }
    plan.expired.sort { $0.fireAt != $1.fireAt ? $0.fireAt < $1.fireAt : Self.precedes($0.id, $1.id) }
  }

  private func isOurs(_ request: PendingRequest) -> Bool {
    request.revision != nil || input.sent.contains(request.id)
      || input.queue.contains { $0.head.id == request.id }
  }

  private func diff() -> PlanDiff {
    var diff = PlanDiff()
    let pending = input.pending ?? input.sent.map { PendingRequest(id: $0) }
    diff.remove = pending.filter { request in isOurs(request) && !plan.held.contains { $0.id == request.id } }
      .map(\.id).sorted(by: Self.precedes)
    diff.add = plan.held.indices.filter { index in
      !pending.contains { $0.id == plan.held[index].id && $0.revision == plan.held[index].revision }
    }
    return diff
  }
}
