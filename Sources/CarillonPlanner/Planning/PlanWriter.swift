import CarillonModel

/// Writes down what was selected: the plan's lists in their orders, and what follows from them.
struct PlanWriter {
  let frame: Frame
  let list: CandidateList
  let capacity: Int

  /// - Parameter unread: inbox items, which badges count on from.
  func plan(_ gathered: Gathered, _ selection: Selection, unread: Int) -> Plan {
    var plan = Plan()
    plan.slots = frame.policy.policy.slots
    plan.capacity = capacity
    plan.held = held(selection, unread: unread)
    plan.queued = queued(selection, held: plan.held.count, gathered.digested)
    if !gathered.rejected.isEmpty { plan.rejected = gathered.rejected.sorted { $0.id.precedes($1.id) } }
    if !gathered.withheld.isEmpty { plan.withheld = gathered.withheld.sorted { $0.id.precedes($1.id) } }
    if !gathered.expired.isEmpty {
      plan.expired = gathered.expired.sorted {
        $0.fireAt != $1.fireAt ? $0.fireAt < $1.fireAt : $0.id.precedes($1.id)
      }
    }
    summarize(&plan, selection.states, horizonCut: gathered.horizonCut)
    return plan
  }

  /// What follows from who waits and who does not.
  private func summarize(_ plan: inout Plan, _ states: [Selection.State], horizonCut: Int64?) {
    var evictions = [Int](repeating: 0, count: frame.policy.rules.count)
    var firstWaiting = Int64.max
    var lastHeld = Int64.min
    var allHeldStay = true
    var somethingWaits = false
    var waitsForSlot = false
    states.withUnsafeBufferPointer { states in
      for index in 0..<list.count {
        let candidate = list.candidates.baseAddress! + index
        switch states[index] {
        case .waiting, .atLimit:
          evictions[Int(candidate.pointee.type)] &+= 1
          somethingWaits = true
          waitsForSlot = waitsForSlot || states[index] == .waiting
          if candidate.pointee.form != .location { firstWaiting = min(firstWaiting, candidate.pointee.fire) }
        case .rank, .reserve:
          if candidate.pointee.form != .repeating {
            lastHeld = max(lastHeld, candidate.pointee.fire)
            allHeldStay = false
          }
        case .location:
          allHeldStay = allHeldStay && staysAfterFiring(candidate.pointee)
        }
      }
    }
    let refreshBy = min(firstWaiting, horizonCut ?? .max)
    plan.refreshBy = refreshBy == .max ? nil : Instant(milliseconds: refreshBy)
    guard somethingWaits else { return }
    plan.evictionsByType.reserveCapacity(evictions.count { $0 > 0 })
    for (type, count) in evictions.enumerated() where count > 0 {
      plan.evictionsByType[frame.policy.names[type]] = count
    }
    plan.coversUntil = lastHeld == .min ? nil : Instant(milliseconds: lastHeld)
    // Something waits for a slot, and all are taken by requests that never leave.
    plan.starved = capacity > 0 && plan.held.count == capacity && allHeldStay && waitsForSlot
  }

  private func staysAfterFiring(_ candidate: Candidate) -> Bool {
    guard case .location(let trigger) = frame.queue[Int(candidate.entry)].head.trigger else { return false }
    return trigger.repeats
  }

  // MARK: Held

  private func held(_ selection: Selection, unread: Int) -> [HeldRequest] {
    var order: [Int32] = []
    order.reserveCapacity(min(list.count, capacity))
    if !selection.locations.isEmpty {
      order = selection.locations.filter { selection.isHeld(Int($0)) }
      order.sort { list.id(of: $0).precedes(list.id(of: $1)) }
    }
    let start = order.count
    for index in selection.ranked where selection.isHeld(Int(index)) { order.append(index) }
    sortByFire(&order, from: start)
    var writer = HeldWriter(frame, list, unread: unread)
    return [HeldRequest](unsafeUninitializedCapacity: order.count) { requests, filled in
      for index in order {
        let slot = selection.slot(of: Int(index)) ?? .rank
        requests.initializeElement(at: filled, to: writer.request(index, slot: slot))
        filled += 1
      }
    }
  }

  /// They come by rank, which is nearly the same or quite another order.
  private func sortByFire(_ order: inout [Int32], from start: Int) {
    guard frame.policy.bySoonest else { return order[start...].sort(by: list.precedesByFire) }
    order.withUnsafeMutableBufferPointer { order in
      for index in order.indices.dropFirst(start + 1) {
        var place = index
        while place > start, list.precedesByFire(order[place], order[place - 1]) {
          order.swapAt(place, place - 1)
          place -= 1
        }
      }
    }
  }

  // MARK: What waits

  private func queued(_ selection: Selection, held: Int, _ digested: [Digested]) -> [QueuedRequest] {
    guard list.count > held || !digested.isEmpty else { return [] }
    var requests = [QueuedRequest](unsafeUninitializedCapacity: list.count - held) { requests, filled in
      for order in [selection.locations, selection.ranked] {
        for place in order.indices {
          let index = order[place]
          let state = selection.states[Int(index)]
          guard state == .waiting || state == .atLimit else { continue }
          requests.initializeElement(at: filled, to: waiting(index, rank: place + 1, state))
          filled += 1
        }
      }
    }
    if digested.isEmpty { return requests }
    requests += members(digested, selection)
    return requests.sorted { $0.rank != $1.rank ? $0.rank < $1.rank : $0.id.precedes($1.id) }
  }

  @inline(__always)
  private func waiting(_ index: Int32, rank: Int, _ state: Selection.State) -> QueuedRequest {
    let candidate = list[index]
    return QueuedRequest(
      id: list.id(of: index), type: frame.policy.names[Int(candidate.type)],
      fireAt: candidate.form == .location ? nil : Instant(milliseconds: candidate.fire), rank: rank,
      reason: state == .atLimit ? .typeLimit : .noSlot)
  }

  /// The members of digests, at the rank of the digest that stands for them.
  private func members(_ digested: [Digested], _ selection: Selection) -> [QueuedRequest] {
    var ranks: [Int32: Int] = [:]
    for (place, index) in selection.ranked.enumerated() where list[index].digestCount > 0 {
      ranks[list[index].occurrence] = place + 1
    }
    return digested.map { member in
      QueuedRequest(
        id: member.id, type: frame.policy.names[Int(member.type)],
        fireAt: Instant(milliseconds: member.fire), rank: ranks[member.digest] ?? 0, reason: .digest)
    }
  }
}
