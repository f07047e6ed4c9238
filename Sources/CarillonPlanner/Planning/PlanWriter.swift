import CarillonModel

/// Writes down what was selected: the plan's lists in their orders, and what follows from them.
struct PlanWriter {
  private let frame: Frame
  private let gathered: Gathered
  private let selection: Selection
  private let capacity: Int
  private let unread: Int

  /// - Parameter unread: inbox items, which badges count on from.
  init(_ frame: Frame, _ gathered: Gathered, _ selection: Selection, capacity: Int, unread: Int) {
    self.frame = frame
    self.gathered = gathered
    self.selection = selection
    self.capacity = capacity
    self.unread = unread
  }

  func plan() -> Plan {
    var plan = Plan()
    plan.slots = frame.policy.policy.slots
    plan.capacity = capacity
    plan.held = held()
    plan.queued = queued()
    plan.rejected = gathered.rejected.sorted { $0.id.precedes($1.id) }
    plan.withheld = gathered.withheld.sorted { $0.id.precedes($1.id) }
    plan.expired = gathered.expired.sorted {
      $0.fireAt != $1.fireAt ? $0.fireAt < $1.fireAt : $0.id.precedes($1.id)
    }
    summarize(&plan)
    return plan
  }

  /// What follows from who waits and who does not.
  private func summarize(_ plan: inout Plan) {
    var evictions = [Int](repeating: 0, count: frame.policy.rules.count)
    var firstWaiting: Int64?
    var lastHeld: Int64?
    var allHeldStay = true
    for (candidate, state) in zip(gathered.candidates, selection.states) {
      switch state {
      case .waiting, .atLimit:
        evictions[Int(candidate.type)] += 1
        if candidate.form != .location { firstWaiting = min(firstWaiting ?? candidate.fire, candidate.fire) }
      case .rank, .reserve:
        if candidate.form != .repeating {
          lastHeld = max(lastHeld ?? candidate.fire, candidate.fire)
          allHeldStay = false
        }
      case .location:
        allHeldStay = allHeldStay && staysAfterFiring(candidate)
      }
    }
    for (type, count) in evictions.enumerated() where count > 0 {
      plan.evictionsByType[frame.policy.names[type]] = count
    }
    let refreshBy = [firstWaiting, gathered.horizonCut].compactMap(\.self).min()
    plan.refreshBy = refreshBy.map { Instant(milliseconds: $0) }
    guard !plan.evictionsByType.isEmpty else { return }
    plan.coversUntil = lastHeld.map { Instant(milliseconds: $0) }
    // Something waits for a slot, and all are taken by requests that never leave.
    plan.starved =
      capacity > 0 && plan.held.count == capacity && allHeldStay && selection.states.contains(.waiting)
  }

  private func staysAfterFiring(_ candidate: Candidate) -> Bool {
    guard case .location(let trigger) = frame.queue[Int(candidate.entry)].head.trigger else { return false }
    return trigger.repeats
  }

  private func id(_ candidate: Candidate) -> NotificationID { gathered.id(of: candidate, in: frame.queue) }

  private func fireAt(_ candidate: Candidate) -> Instant? {
    candidate.form == .location ? nil : Instant(milliseconds: candidate.fire)
  }

  // MARK: Held

  private func held() -> [HeldRequest] {
    var order = selection.locations.filter { selection.isHeld(Int($0)) }
    order.sort { id(gathered.candidates[Int($0)]).precedes(id(gathered.candidates[Int($1)])) }
    let start = order.count
    for index in selection.ranked where selection.isHeld(Int(index)) { order.append(index) }
    sortByFire(&order, from: start)
    var writer = HeldWriter(frame, gathered, unread: unread)
    var requests: [HeldRequest] = []
    requests.reserveCapacity(order.count)
    for index in order {
      let slot = selection.slot(of: Int(index)) ?? .rank
      requests.append(writer.request(gathered.candidates[Int(index)], slot: slot))
    }
    return requests
  }

  /// By (fire, id). They come by rank, which is nearly the same or quite another order.
  private func sortByFire(_ order: inout [Int32], from start: Int) {
    func precedes(_ left: Int32, _ right: Int32) -> Bool {
      let (one, other) = (gathered.candidates[Int(left)], gathered.candidates[Int(right)])
      return one.fire != other.fire ? one.fire < other.fire : id(one).precedes(id(other))
    }
    guard frame.policy.bySoonest else { return order[start...].sort(by: precedes) }
    for index in order.indices.dropFirst(start + 1) {
      var place = index
      while place > start, precedes(order[place], order[place - 1]) {
        order.swapAt(place, place - 1)
        place -= 1
      }
    }
  }

  // MARK: What waits

  private func queued() -> [QueuedRequest] {
    var requests: [QueuedRequest] = []
    requests.reserveCapacity(gathered.candidates.count)
    append(selection.locations, to: &requests)
    append(selection.ranked, to: &requests)
    if gathered.digested.isEmpty { return requests }
    requests += digested()
    return requests.sorted { $0.rank != $1.rank ? $0.rank < $1.rank : $0.id.precedes($1.id) }
  }

  private func append(_ order: [Int32], to requests: inout [QueuedRequest]) {
    for (place, index) in order.enumerated() {
      let state = selection.states[Int(index)]
      guard state == .waiting || state == .atLimit else { continue }
      let candidate = gathered.candidates[Int(index)]
      requests.append(
        QueuedRequest(
          id: id(candidate), type: frame.policy.names[Int(candidate.type)], fireAt: fireAt(candidate),
          rank: place + 1, reason: state == .atLimit ? .typeLimit : .noSlot))
    }
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
        id: member.id, type: frame.policy.names[Int(member.type)],
        fireAt: Instant(milliseconds: member.fire), rank: ranks[member.digest] ?? 0, reason: .digest)
    }
  }
}
