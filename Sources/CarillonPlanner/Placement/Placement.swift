import CarillonModel

extension Gathered {
  /// Moves the one-time requests to where quiet hours and caps let them ring, merges digests, and decides what has
  /// passed for good.
  mutating func place(_ frame: Frame, fatigue: FatigueRule?) {
    guard frame.policy.moves else { return }
    // What may move, most important first.
    let order = Ranking.order(self, bySoonest: false, frame: frame) { $0 == .single }
    var placer = Placer(frame, repeaters, fatigue: fatigue)
    let digests = Digests(order, candidates, frame, &placer)
    for index in order {
      let index = Int(index)
      if let digest = digests.digest(of: index) {
        if digest.leader == index { place(digest, &placer, frame) }
      } else {
        place(index, &placer, frame)
      }
    }
    candidates.removeAll { $0.isGone }
  }

  // MARK: One by one

  private mutating func place(_ index: Int, _ placer: inout Placer, _ frame: Frame) {
    let candidate = candidates[index]
    let entry = Int(candidate.entry)
    let wish = candidate.fire
    let level = frame.queue[entry].head.summary.interruptionLevel
    switch placer.place(type: candidate.type, priority: candidate.priority, level: level, wish: wish) {
    case .withheld(let reason):
      if wish > frame.now { withhold(index, reason, frame) } else { expire(index, frame) }
    case .placed(let time):
      guard time > frame.now else { return placeLate(index, level, &placer, frame) }
      let isOver = wish <= frame.now && Self.wasDigested(candidate, frame, &placer)
      guard !isOver, !frame.isPast(expiryOf: entry, time) else { return expire(index, frame) }
      placer.take(time, type: candidate.type)
      if time != wish { move(index, to: time, placer.moves, frame) }
    }
  }

  /// Its own place has passed as well: it is delivered now, as soon as quiet hours and caps allow, or expires.
  private mutating func placeLate(
    _ index: Int, _ level: InterruptionLevel, _ placer: inout Placer, _ frame: Frame
  ) {
    let candidate = candidates[index]
    let entry = Int(candidate.entry)
    guard let due = Overdue(frame.queue[entry].head, at: frame.now),
      !Self.wasDigested(candidate, frame, &placer)
    else { return expire(index, frame) }
    switch placer.place(
      type: candidate.type, priority: candidate.priority, level: level, wish: due.time)
    {
    case .withheld(let reason): withhold(index, reason, frame)
    case .placed(let time):
      guard !frame.isPast(expiryOf: entry, time) else { return expire(index, frame) }
      placer.take(time, type: candidate.type)
      move(index, to: time, placer.moves, frame)
      if time == due.time {
        candidates[index].trigger = .instant
        candidates[index].moveCount = 1
        moves.append(due.move(from: candidate.fire))
      } else {
        // From the wish, so that the plan does not change with every second that passes.
        moves[Int(candidates[index].firstMove)].from = Instant(milliseconds: candidate.fire)
      }
    }
  }

  /// A digest that stood for it has been delivered.
  private static func wasDigested(_ candidate: Candidate, _ frame: Frame, _ placer: inout Placer) -> Bool {
    guard !frame.history.isEmpty,
      let end = Digests.end(of: candidate.fire, candidate, frame, &placer), end <= frame.now,
      !frame.isPast(expiryOf: Int(candidate.entry), end)
    else { return false }
    let id = frame.digestID(of: frame.queue[Int(candidate.entry)].head.group ?? "", end: end)
    return frame.history.contains { $0.id.isSame(as: id) }
  }

  // MARK: Digests

  private mutating func place(_ digest: Digests.Digest, _ placer: inout Placer, _ frame: Frame) {
    let leader = candidates[digest.leader]
    let level = frame.queue[Int(leader.entry)].head.summary.interruptionLevel
    switch placer.place(type: leader.type, priority: leader.priority, level: level, wish: digest.end) {
    case .withheld(let reason):
      for member in digest.members {
        if candidates[member].fire > frame.now {
          withhold(member, reason, frame)
        } else {
          expire(member, frame)
        }
      }
    case .placed(let time):
      placer.take(time, type: leader.type)
      for member in digest.members {
        let candidate = candidates[member]
        candidates[member].isGone = member != digest.leader
        digested.append(
          Digested(
            id: frame.queue[Int(candidate.entry)].head.id, type: candidate.type, fire: candidate.fire,
            digest: Int32(occurrenceIDs.count)))
      }
      let wished = Move(
        by: "quietHours", from: Instant(milliseconds: leader.fire), to: Instant(milliseconds: digest.end))
      move(digest.leader, to: time, placer.moves, frame, first: wished)
      candidates[digest.leader].occurrence = Int32(occurrenceIDs.count)
      candidates[digest.leader].digestCount = Int32(digest.members.count)
      occurrenceIDs.append(frame.digestID(of: digest.group, end: digest.end))
    }
  }

  // MARK: Outcomes

  private mutating func move(
    _ index: Int, to time: Int64, _ steps: [Move], _ frame: Frame, first: Move? = nil
  ) {
    candidates[index].fire = time
    candidates[index].firstMove = Int32(moves.count)
    candidates[index].moveCount = Int32(steps.count + (first == nil ? 0 : 1))
    if let first { moves.append(first) }
    moves.append(contentsOf: steps)
    candidates[index].trigger = frame.heldTrigger(ofEntry: Int(candidates[index].entry), at: time)
  }

  private mutating func withhold(_ index: Int, _ reason: WithheldRequest.Reason, _ frame: Frame) {
    let entry = Int(candidates[index].entry)
    withheld.append(WithheldRequest(id: frame.queue[entry].head.id, reason: reason))
    candidates[index].isGone = true
  }

  private mutating func expire(_ index: Int, _ frame: Frame) {
    let entry = Int(candidates[index].entry)
    expired.append(
      ExpiredRequest(
        id: frame.queue[entry].head.id, fireAt: Instant(milliseconds: candidates[index].fire)))
    candidates[index].isGone = true
  }
}

extension Frame {
  /// A moved wall time stays one, so that travel keeps it, unless the clock shows it twice; a moved instant stays
  /// an instant.
  fileprivate func heldTrigger(ofEntry entry: Int, at time: Int64) -> Candidate.HeldTrigger {
    switch queue[entry].head.trigger {
    case .local: break
    case .calendar(let trigger) where trigger.timeZone == nil: break
    default: return .instant
    }
    let wall = Int(time / 1000) + zone.offset(at: Int(time / 1000))
    return time % 1000 == 0 && zone.rawReading(wall).kind == .unique ? .local(wall: wall) : .instant
  }

  /// The one request that stands for all of a group that the end of a window brings together.
  ///
  /// - Parameter end: milliseconds since 1970.
  fileprivate func digestID(of group: String, end: Int64) -> NotificationID {
    let seconds = Int(end / 1000)
    return NotificationID(unchecked: "digest.\(group)").occurrence(atWall: seconds + zone.offset(at: seconds))
  }

  /// - Parameter time: milliseconds since 1970.
  func isPast(expiryOf entry: Int, _ time: Int64) -> Bool {
    queue[entry].head.expiresAt.map { time > $0.milliseconds } ?? false
  }
}
