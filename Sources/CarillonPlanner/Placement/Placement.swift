import CarillonModel

extension Gathered {
  /// Moves the one-time requests to where quiet hours and caps let them ring, and merges digests.
  mutating func place(_ input: PlanInput, _ reachability: Reachability) {
    let policy = input.policy.policy
    guard policy.quietHours != nil || !policy.frequencyCaps.isEmpty else { return }
    var placer = Placer(input, self, reachability)
    let order = placementOrder(input)
    let digests = Digests(order, candidates, input, placer)
    var isGone = [Bool](repeating: false, count: candidates.count)
    for index in order {
      if let digest = digests.digest(of: index) {
        if digest.leader == index { place(digest, &placer, &isGone) }
      } else {
        place(index, &placer, &isGone)
      }
    }
    if isGone.contains(true) {
      candidates = zip(candidates, isGone).compactMap { $1 ? nil : $0 }
    }
  }

  /// What may move, most important first.
  private func placementOrder(_ input: PlanInput) -> [Int] {
    let moving = candidates.indices.lazy.filter { candidates[$0].form == .single }.map { Int32($0) }
    let keys = RankKeys(candidates, bySoonest: false, now: input.now.milliseconds)
    return keys.sorted(Array(moving)) { input.queue[Int(candidates[Int($0)].entry)].head.id }.map { Int($0) }
  }

  private mutating func place(_ index: Int, _ placer: inout Placer, _ isGone: inout [Bool]) {
    let candidate = candidates[index]
    let entry = Int(candidate.entry)
    switch placer.place(candidate, wish: candidate.fire) {
    case .withheld(let reason):
      isGone[index] = true
      withheld.append(WithheldRequest(id: placer.input.queue[entry].head.id, reason: reason))
    case .placed(let time, let moved):
      if let expiry = placer.input.queue[entry].head.expiresAt, time > expiry.milliseconds {
        isGone[index] = true
        expired.append(
          ExpiredRequest(id: placer.input.queue[entry].head.id, fireAt: Instant(milliseconds: candidate.fire))
        )
        return
      }
      placer.take(time, type: candidate.type)
      if !moved.isEmpty { move(index, to: time, moved, placer) }
    }
  }

  private mutating func place(_ digest: Digests.Digest, _ placer: inout Placer, _ isGone: inout [Bool]) {
    let leader = candidates[digest.leader]
    let ids = digest.members.map { placer.input.queue[Int(candidates[$0].entry)].head.id }
    switch placer.place(leader, wish: digest.end) {
    case .withheld(let reason):
      for (member, id) in zip(digest.members, ids) {
        isGone[member] = true
        withheld.append(WithheldRequest(id: id, reason: reason))
      }
    case .placed(let time, let moved):
      placer.take(time, type: leader.type)
      for (member, id) in zip(digest.members, ids) {
        isGone[member] = member != digest.leader
        digested.append(
          Digested(
            id: id, type: candidates[member].type, fire: candidates[member].fire,
            digest: Int32(occurrenceIDs.count)))
      }
      let wished = Move(
        by: "quietHours", from: Instant(milliseconds: leader.fire), to: Instant(milliseconds: digest.end))
      move(digest.leader, to: time, [wished] + moved, placer)
      let wall = digest.end / 1000 + Int64(placer.zone.offset(at: Int(digest.end / 1000)))
      candidates[digest.leader].occurrence = Int32(occurrenceIDs.count)
      candidates[digest.leader].digestCount = Int32(digest.members.count)
      occurrenceIDs.append(NotificationID(unchecked: "digest.\(digest.group)").occurrence(atWall: Int(wall)))
    }
  }

  private mutating func move(_ index: Int, to time: Int64, _ moved: [Move], _ placer: Placer) {
    let earlier = candidates[index].moves < 0 ? [] : moves[Int(candidates[index].moves)]
    candidates[index].fire = time
    candidates[index].moves = Int32(moves.count)
    moves.append(earlier + moved)
    candidates[index].trigger = placer.heldTrigger(candidates[index], at: time)
  }
}

extension Placer {
  /// A moved wall time stays one, so that travel keeps it, unless the clock shows it twice; a moved instant stays
  /// an instant.
  fileprivate func heldTrigger(_ candidate: Candidate, at time: Int64) -> Candidate.HeldTrigger {
    switch input.queue[Int(candidate.entry)].head.trigger {
    case .local: break
    case .calendar(let trigger) where trigger.timeZone == nil: break
    default: return .instant
    }
    let wall = Int(time / 1000) + zone.offset(at: Int(time / 1000))
    return time % 1000 == 0 && zone.rawReading(wall).kind == .unique ? .local(wall: wall) : .instant
  }
}
