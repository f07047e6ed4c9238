import CarillonModel
import CarillonPlanner
import CarillonZones

extension NaivePlanner {
  private func ranksBefore(_ left: Request, _ right: Request) -> Bool {
    if left.form == .location {
      if left.priority != right.priority { return left.priority < right.priority }
      return left.distance != right.distance
        ? left.distance < right.distance : Self.precedes(left.id, right.id)
    }
    if policy.order == .soonestFirst, left.fire != right.fire { return left.fire! < right.fire! }
    if left.priority != right.priority { return left.priority < right.priority }
    return left.fire != right.fire ? left.fire! < right.fire! : Self.precedes(left.id, right.id)
  }

  mutating func select() {
    plan.policyVersion = input.policyVersion
    plan.zoneData = zones.version
    plan.slots = policy.slots
    plan.foreign = max(input.foreign.count, (input.pending ?? []).count { !isOurs($0) })
    plan.capacity = max(0, policy.slots - plan.foreign)
    let free =
      plan.capacity - input.stillRinging.count { id in (input.pending ?? []).contains { $0.id == id } }

    var locations = requests.filter { $0.form == .location }.sorted(by: ranksBefore)
    var others = requests.filter { $0.form != .location }.sorted(by: ranksBefore)
    func taken(_ type: String? = nil) -> Int {
      (locations + others).count { $0.slot != nil && (type == nil || $0.type.name == type) }
    }
    func isFull(_ type: NotificationType) -> Bool { type.limit.map { taken(type.name) >= $0 } ?? false }

    let regions = min(policy.locationSlots, 20 - input.foreign.regions)
    for index in locations.indices {
      if isFull(locations[index].type) {
        locations[index].isAtLimit = true
      } else if taken() < regions, taken() < free {
        locations[index].slot = .location
      }
    }
    let byPriority = policy.typesInForce.enumerated().sorted {
      ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
    }
    for (_, type) in byPriority {
      for _ in 0..<(type.reserve ?? 0) where taken() < free && !isFull(type) {
        if let next = others.firstIndex(where: { $0.type.name == type.name && $0.slot == nil }) {
          others[next].slot = .reserve
        }
      }
    }
    for index in others.indices where others[index].slot == nil {
      if isFull(others[index].type) {
        others[index].isAtLimit = true
      } else if taken() < free {
        others[index].slot = .rank
      }
    }
    writeHeld(
      locations.filter { $0.slot != nil }.sorted { Self.precedes($0.id, $1.id) },
      others.filter { $0.slot != nil }.sorted {
        $0.fire != $1.fire ? $0.fire! < $1.fire! : Self.precedes($0.id, $1.id)
      })
    writeQueued(locations, others)
    writeRest()
  }

  // MARK: Writing

  private mutating func writeHeld(_ locations: [Request], _ others: [Request]) {
    var badge = input.unread
    for request in locations + others {
      var number: Int?
      if request.form == .once, request.head.summary.hasBadge {
        badge += 1
        number = badge
      }
      plan.held.append(
        HeldRequest(
          id: request.id, source: request.head.id, type: request.type.name, priority: request.priority,
          fireAt: request.fire.map { Instant(milliseconds: $0) },
          revision: revision(request, badge: number), trigger: request.trigger, reach: reach(request.head),
          unmetNeeds: unmet(request.head.needs), moves: Moves(request.moves), slot: request.slot!,
          badge: number,
          digestCount: request.digestCount))
    }
    if plan.held.isEmpty || plan.held.count < plan.capacity { return }
    plan.starved = (locations + others).allSatisfy { request in
      if case .location(let place) = request.head.trigger {
        place.repeats
      } else {
        request.form == .repeating
      }
    }
  }

  private mutating func writeQueued(_ locations: [Request], _ others: [Request]) {
    for list in [locations, others] {
      for (place, request) in list.enumerated() where request.slot == nil {
        plan.queued.append(
          QueuedRequest(
            id: request.id, type: request.type.name,
            fireAt: request.fire.map { Instant(milliseconds: $0) }, rank: place + 1,
            reason: request.isAtLimit ? .typeLimit : .noSlot))
        plan.evictionsByType[request.type.name, default: 0] += 1
      }
    }
    plan.starved = plan.starved && plan.queued.contains { $0.reason == .noSlot }
    plan.refreshBy = (cuts + plan.queued.compactMap(\.fireAt)).min()
    if !plan.queued.isEmpty {
      plan.coversUntil = others.filter { $0.slot != nil && $0.form != .repeating }.compactMap(\.fire).max()
        .map { Instant(milliseconds: $0) }
    }
    for (member, digest) in digested {
      plan.queued.append(
        QueuedRequest(
          id: member.id, type: member.type.name, fireAt: member.wish.map { Instant(milliseconds: $0) },
          rank: others.firstIndex { $0.id == digest }! + 1, reason: .digest))
    }
    if !digested.isEmpty {
      plan.queued.sort { $0.rank != $1.rank ? $0.rank < $1.rank : Self.precedes($0.id, $1.id) }
    }
  }

  private mutating func writeRest() {
    plan.rejected.sort { Self.precedes($0.id, $1.id) }
    plan.withheld.sort { Self.precedes($0.id, $1.id) }
    plan.expired.sort { $0.fireAt != $1.fireAt ? $0.fireAt < $1.fireAt : Self.precedes($0.id, $1.id) }
  }

  /// FNV-1a over the trigger's bytes, the badge's digits and a digest's number, going on from the content's.
  private func revision(_ request: Request, badge: Int?) -> String {
    var trigger = request.trigger
    if case .location(var place) = trigger {
      place.distance = nil
      trigger = .location(place)
    }
    let tail = (badge.map(String.init) ?? "") + (request.digestCount.map { "#\($0)" } ?? "")
    var hash = request.head.summary.hash
    for byte in trigger.canonicalBytes + Array(tail.utf8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  // MARK: The way there

  private func isOurs(_ request: PendingRequest) -> Bool {
    request.revision != nil || input.sent.contains(request.id)
      || input.queue.contains { $0.head.id == request.id }
  }

  func diff() -> PlanDiff {
    var diff = PlanDiff()
    let pending = input.pending ?? input.sent.map { PendingRequest(id: $0) }
    diff.remove = pending.filter { request in
      isOurs(request) && !input.stillRinging.contains(request.id)
        && !plan.held.contains { $0.id == request.id }
    }.map(\.id).sorted(by: Self.precedes)
    diff.add = plan.held.indices.filter { index in
      !pending.contains { $0.id == plan.held[index].id && $0.revision == plan.held[index].revision }
    }
    return diff
  }
}
