import CarillonModel

/// Writes down what was selected: the plan's lists in their orders, and what follows from them.
struct PlanWriter {
  let input: PlanInput
  let gathered: Gathered
  let selection: Selection
  let reachability: Reachability
  let capacity: Int

  init(
    _ input: PlanInput, _ gathered: Gathered, _ selection: Selection, _ reachability: Reachability,
    capacity: Int
  ) {
    self.capacity = capacity
    self.input = input
    self.gathered = gathered
    self.selection = selection
    self.reachability = reachability
  }

  func plan() -> Plan {
    var plan = Plan()
    plan.policyVersion = input.policyVersion
    plan.slots = input.policy.policy.slots
    plan.held = held()
    plan.queued = queued()
    plan.rejected = gathered.rejected.sorted { $0.id.precedes($1.id) }
    plan.withheld = gathered.withheld.sorted { $0.id.precedes($1.id) }
    plan.expired = gathered.expired.sorted {
      $0.fireAt != $1.fireAt ? $0.fireAt < $1.fireAt : $0.id.precedes($1.id)
    }
    plan.evictionsByType = evictions()
    let firstWaiting = firstWaitingFire().map { Instant(milliseconds: $0) }
    let cut = gathered.horizonCut.map { Instant(milliseconds: $0) }
    plan.refreshBy = [firstWaiting, cut].compactMap(\.self).min()
    if plan.queued.contains(where: { $0.reason != .digest }) { plan.coversUntil = lastOneTimeFire() }
    plan.starved = isStarved(plan)
    return plan
  }

  private func id(_ index: Int32) -> NotificationID {
    gathered.id(of: gathered.candidates[Int(index)], in: input.queue)
  }

  private func evictions() -> [String: Int] {
    var counts = [Int](repeating: 0, count: input.policy.types.count)
    for (candidate, state) in zip(gathered.candidates, selection.states)
    where state == .waiting || state == .atLimit {
      counts[Int(candidate.type)] += 1
    }
    var evictions: [String: Int] = [:]
    for (type, count) in counts.enumerated() where count > 0 {
      evictions[input.policy.names[type]] = count
    }
    return evictions
  }

  private func firstWaitingFire() -> Int64? {
    var first: Int64?
    for (candidate, state) in zip(gathered.candidates, selection.states)
    where (state == .waiting || state == .atLimit) && candidate.form != .location {
      first = min(first ?? candidate.fire, candidate.fire)
    }
    return first
  }

  // MARK: Held

  private func held() -> [HeldRequest] {
    var locations = selection.locations.filter { selection.states[Int($0)] == .location }
    locations.sort { id($0).precedes(id($1)) }
    var others = selection.ranked.filter {
      selection.states[Int($0)] == .rank || selection.states[Int($0)] == .reserve
    }
    others.sort {
      let (left, right) = (gathered.candidates[Int($0)].fire, gathered.candidates[Int($1)].fire)
      return left != right ? left < right : id($0).precedes(id($1))
    }
    var requests: [HeldRequest] = []
    requests.reserveCapacity(locations.count + others.count)
    var badge = input.unread
    for index in locations + others { requests.append(request(index, &badge)) }
    return requests
  }

  /// - Parameter badge: the number the last one showed; grows with each that shows one.
  private func request(_ index: Int32, _ badge: inout Int) -> HeldRequest {
    let candidate = gathered.candidates[Int(index)]
    let head = input.queue[Int(candidate.entry)].head
    let trigger: Trigger =
      switch candidate.trigger {
      case .original: head.trigger
      case .instant: .instant(Instant(milliseconds: candidate.fire))
      case .local(let wall): .local(LocalDateTime(wallSeconds: Int64(wall)))
      }
    var number: Int?
    if head.summary.hasBadge, candidate.form == .single {
      badge += 1
      number = badge
    }
    let digestCount = candidate.digestCount > 0 ? Int(candidate.digestCount) : nil
    return HeldRequest(
      id: id(index), source: head.id, type: input.policy.names[Int(candidate.type)],
      priority: Int(candidate.priority),
      fireAt: candidate.form == .location ? nil : Instant(milliseconds: candidate.fire),
      revisionHash: revision(head, trigger, candidate, badge: number), trigger: trigger,
      reach: candidate.reach, unmetNeeds: reachability.unmet(head.needs),
      moves: gathered.moves(of: candidate), slot: slot(index),
      badge: number,
      digestCount: digestCount)
  }

  private func slot(_ index: Int32) -> HeldRequest.Slot {
    switch selection.states[Int(index)] {
    case .location: .location
    case .reserve: .reserve
    case .rank, .waiting, .atLimit: .rank
    }
  }

  // MARK: What waits

  private func queued() -> [QueuedRequest] {
    var requests: [QueuedRequest] = []
    requests.reserveCapacity(gathered.candidates.count)
    for order in [selection.locations, selection.ranked] {
      for (place, index) in order.enumerated() {
        let state = selection.states[Int(index)]
        guard state == .waiting || state == .atLimit else { continue }
        let candidate = gathered.candidates[Int(index)]
        requests.append(
          QueuedRequest(
            id: id(index), type: input.policy.names[Int(candidate.type)],
            fireAt: candidate.form == .location ? nil : Instant(milliseconds: candidate.fire),
            rank: place + 1,
            reason: state == .atLimit ? .typeLimit : .noSlot))
      }
    }
    if gathered.digested.isEmpty { return requests }
    requests += digested()
    return requests.sorted { $0.rank != $1.rank ? $0.rank < $1.rank : $0.id.precedes($1.id) }
  }

  /// The members of digests, at the rank of the digest that stands for them.
  private func digested() -> [QueuedRequest] {
    var ranks: [Int32: Int] = [:]
    for (place, index) in selection.ranked.enumerated() {
      let candidate = gathered.candidates[Int(index)]
      if candidate.digestCount > 0 { ranks[candidate.occurrence] = place + 1 }
    }
    return gathered.digested.map { member in
      QueuedRequest(
        id: member.id, type: input.policy.names[Int(member.type)],
        fireAt: Instant(milliseconds: member.fire), rank: ranks[member.digest] ?? 0, reason: .digest)
    }
  }

  /// Of content, trigger, badge and the number of a digest's members. How far away a
  /// place was last seen does not make it another request.
  private func revision(
    _ head: NotificationHead, _ trigger: Trigger, _ candidate: Candidate, badge: Int?
  ) -> UInt64 {
    let hash: UInt64
    if case .location(var place) = trigger, place.distance != nil {
      place.distance = nil
      hash = Revision.hash(of: .location(place), summary: head.summary)
    } else if candidate.trigger == .original {
      hash = head.wishHash
    } else {
      hash = Revision.hash(of: trigger, summary: head.summary)
    }
    return Revision.hash(
      hash, badge: badge, digestCount: candidate.digestCount > 0 ? Int(candidate.digestCount) : nil)
  }

  private func lastOneTimeFire() -> Instant? {
    var last: Int64?
    for (candidate, state) in zip(gathered.candidates, selection.states)
    where (state == .rank || state == .reserve)
      && (candidate.form == .single || candidate.form == .occurrence)
    {
      last = max(last ?? candidate.fire, candidate.fire)
    }
    return last.map { Instant(milliseconds: $0) }
  }

  /// Whether something waits for a slot and all are taken by requests that never leave.
  private func isStarved(_ plan: Plan) -> Bool {
    guard plan.held.count > 0, plan.held.count == capacity,
      plan.queued.contains(where: { $0.reason == .noSlot })
    else { return false }
    return zip(gathered.candidates, selection.states).allSatisfy { candidate, state in
      switch state {
      case .waiting, .atLimit: true
      case .rank, .reserve: candidate.form == .repeating
      case .location:
        if case .location(let trigger) = input.queue[Int(candidate.entry)].head.trigger {
          trigger.repeats
        } else {
          false
        }
      }
    }
  }
}
