import CarillonModel

/// Writes down what was selected: the plan's lists in their orders, and what follows from them.
struct PlanWriter {
  let frame: Frame
  let list: CandidateList
  let capacity: Int
  /// Of the queue.
  let ids: [NotificationID]

  /// - Parameter unread: inbox items, which badges count on from.
  func plan(_ gathered: Gathered, _ selection: Selection, unread: Int) -> Plan {
    var plan = Plan()
    plan.slots = frame.policy.policy.slots
    plan.capacity = capacity
    var tally = Tally(types: frame.policy.rules.count)
    plan.held = held(selection, unread: unread, &tally)
    plan.queued = queued(selection, held: plan.held.count, gathered, &tally)
    if !gathered.rejected.isEmpty { plan.rejected = gathered.rejected.sorted { $0.id.precedes($1.id) } }
    if !gathered.withheld.isEmpty { plan.withheld = gathered.withheld.sorted { $0.id.precedes($1.id) } }
    if !gathered.expired.isEmpty {
      plan.expired = gathered.expired.sorted {
        $0.fireAt != $1.fireAt ? $0.fireAt < $1.fireAt : $0.id.precedes($1.id)
      }
    }
    summarize(&plan, tally, horizonCut: gathered.horizonCut)
    return plan
  }

  /// What is learned on the way of who is held and who waits.
  private struct Tally {
    /// Of those that wait, by type.
    var evictions: [Int32]
    /// Milliseconds since 1970.
    var firstWaiting = Int64.max
    var lastHeld = Int64.min
    var allHeldStay = true
    var waitsForSlot = false

    init(types: Int) { evictions = [Int32](repeating: 0, count: types) }

    @inline(__always)
    mutating func hold(_ candidate: UnsafePointer<Candidate>) {
      guard candidate.pointee.form != .repeating else { return }
      lastHeld = max(lastHeld, candidate.pointee.fire)
      allHeldStay = false
    }
  }

  /// What follows from who waits and who does not.
  private func summarize(_ plan: inout Plan, _ tally: Tally, horizonCut: Int64?) {
    let refreshBy = min(tally.firstWaiting, horizonCut ?? .max)
    plan.refreshBy = refreshBy == .max ? nil : Instant(milliseconds: refreshBy)
    let types = tally.evictions.indices.filter { tally.evictions[$0] > 0 }
    guard !types.isEmpty else { return }
    plan.evictionsByType.reserveCapacity(types.count)
    for type in types { plan.evictionsByType[frame.policy.names[type]] = Int(tally.evictions[type]) }
    plan.coversUntil = tally.lastHeld == .min ? nil : Instant(milliseconds: tally.lastHeld)
    // Something waits for a slot, and all are taken by requests that never leave.
    plan.starved =
      capacity > 0 && plan.held.count == capacity && tally.allHeldStay && tally.waitsForSlot
  }

  private func staysAfterFiring(_ candidate: Candidate) -> Bool {
    guard case .location(let trigger) = frame.queue[Int(candidate.entry)].head.trigger else { return false }
    return trigger.repeats
  }

  // MARK: Held

  private func held(_ selection: Selection, unread: Int, _ tally: inout Tally) -> [HeldRequest] {
    let order = heldOrder(selection)
    var writer = HeldWriter(frame, list, order: order, unread: unread)
    return [HeldRequest](unsafeUninitializedCapacity: order.count) { requests, filled in
      selection.states.withUnsafeBufferPointer { states in
        for index in order {
          let candidate = list.candidates.baseAddress! + Int(index)
          let state = states[Int(index)]
          if state == .location {
            tally.allHeldStay = tally.allHeldStay && staysAfterFiring(candidate.pointee)
          } else {
            tally.hold(candidate)
          }
          let slot = state.slot ?? .rank
          (requests.baseAddress! + filled).initialize(to: writer.request(index, candidate, slot: slot))
          filled &+= 1
        }
      }
    }
  }

  /// Locations first, then by fire.
  private func heldOrder(_ selection: Selection) -> [Int32] {
    var order: [Int32] = []
    order.reserveCapacity(min(list.count, capacity))
    if !selection.locations.isEmpty {
      order = selection.locations.filter { selection.isHeld(Int($0)) }
      order.sort { list.id(of: $0).precedes(list.id(of: $1)) }
    }
    let start = order.count
    selection.states.withUnsafeBufferPointer { states in
      for index in selection.ranked where states[Int(index)] >= .rank { order.append(index) }
    }
    sortByFire(&order, from: start)
    return order
  }

  /// They come by rank, which is nearly the same or quite another order.
  private func sortByFire(_ order: inout [Int32], from start: Int) {
    guard frame.policy.bySoonest else { return order[start...].sort(by: list.precedesByFire) }
    order.withUnsafeMutableBufferPointer { order in
      for index in order.indices.dropFirst(start + 1) {
        var place = index
        while place > start, list.precedesByFire(order[place], order[place &- 1]) {
          order.swapAt(place, place - 1)
          place -= 1
        }
      }
    }
  }

  // MARK: What waits

  private func queued(
    _ selection: Selection, held: Int, _ gathered: Gathered, _ tally: inout Tally
  ) -> QueuedRequests {
    guard list.count > held || !gathered.digested.isEmpty else { return [] }
    let places = [QueuedRequests.Place](unsafeUninitializedCapacity: list.count - held) { places, filled in
      tally.evictions.withUnsafeMutableBufferPointer { evictions in
        if !selection.locations.isEmpty {
          write(selection.locations, selection, to: places, &filled, &tally.waitsForSlot, evictions)
        }
        tally.firstWaiting = write(
          selection.ranked, selection, to: places, &filled, &tally.waitsForSlot, evictions)
      }
    }
    let requests = QueuedRequests(
      places, ids: ids, made: gathered.occurrenceIDs, types: frame.policy.names)
    if gathered.digested.isEmpty { return requests }
    return QueuedRequests(
      (requests + members(gathered.digested, selection)).sorted {
        $0.rank != $1.rank ? $0.rank < $1.rank : $0.id.precedes($1.id)
      })
  }

  /// - Returns: the first fire of those that wait.
  @discardableResult
  private func write(
    _ order: [Int32], _ selection: Selection, to places: UnsafeMutableBufferPointer<QueuedRequests.Place>,
    _ filled: inout Int, _ waitsForSlot: inout Bool, _ evictions: UnsafeMutableBufferPointer<Int32>
  ) -> Int64 {
    var first = Int64.max
    guard let base = places.baseAddress else { return first }
    var next = base + filled
    order.withUnsafeBufferPointer { order in
      selection.states.withUnsafeBufferPointer { states in
        for position in 0..<order.count {
          let state = states[Int(order[position])]
          if state >= .rank { continue }
          let candidate = list.candidates.baseAddress! + Int(order[position])
          let occurrence = candidate.pointee.occurrence
          next.initialize(
            to: QueuedRequests.Place(
              id: occurrence < 0 ? candidate.pointee.entry : Int32(ids.count) &+ occurrence,
              type: candidate.pointee.type,
              fire: candidate.pointee.form == .location ? nil : candidate.pointee.fire,
              rank: Int32(truncatingIfNeeded: position &+ 1),
              reason: state == .atLimit ? .typeLimit : .noSlot))
          next += 1
          evictions[Int(candidate.pointee.type)] &+= 1
          if state == .waiting { waitsForSlot = true }
          first = min(first, candidate.pointee.fire)
        }
      }
    }
    filled = next - base
    return first
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
