import CarillonModel

extension Gathered {
  /// Moves the one-time requests to where quiet hours and caps let them ring, merges digests, and decides what has
  /// passed for good.
  ///
  /// - Parameters:
  ///   - ahead: the fires of what repeats, where they are known.
  ///   - fatigue: the policy's rule, when the device is tired.
  mutating func place(
    _ frame: Frame, _ compiled: CompiledQueue, _ ahead: FiresAhead?, fatigue: FatigueRule?
  ) {
    guard frame.policy.moves else { return }
    let order = Ranking.movable(self, frame, compiled)
    var placer = Placer(frame, repeaters, ahead, steps: steps, fatigue: fatigue)
    steps = []
    var digests = Digests(order, candidates, frame, &placer)
    // Taken out for as long as they are moved, so that nothing else holds them.
    var placing = candidates
    candidates = []
    placing.withUnsafeMutableBufferPointer { placing in
      compiled.entries.withUnsafeBufferPointer { entries in
        for index in order where !placing[Int(index)].isGone {
          let index = Int(index)
          if let digest = digests.digest(of: index) {
            guard digest.leader == index, !settle(digest, &digests, placing, &placer, frame) else { continue }
          }
          place(index, &placing[index], entries, &placer, frame)
        }
      }
    }
    if hasGone { placing.removeAll { $0.isGone } }
    candidates = placing
    steps = placer.steps
  }

  // MARK: One by one

  @inline(__always)
  private mutating func place(
    _ index: Int, _ candidate: inout Candidate, _ entries: UnsafeBufferPointer<CompiledQueue.Entry>,
    _ placer: inout Placer, _ frame: Frame
  ) {
    let entry = entries.baseAddress! + Int(candidate.compiled)
    let wish = candidate.fire
    let isAsCompiled = entry.pointee.fire == wish && entry.pointee.quietEnd != CompiledQueue.Entry.unknown
    switch placer.place(
      type: candidate.type, priority: candidate.priority, level: entry.pointee.level, wish: wish,
      quietEnd: isAsCompiled ? entry.pointee.quietEnd : nil)
    {
    case .withheld(let reason):
      if wish > frame.now { withhold(&candidate, reason, frame) } else { expire(&candidate, frame) }
    case .placed(let time):
      guard time > frame.now else { return placeLate(index, &candidate, entry.pointee.level, &placer, frame) }
      let isOver = wish <= frame.now && Self.wasDigested(candidate, frame, &placer)
      guard !isOver, time <= entry.pointee.expiry else { return expire(&candidate, frame) }
      placer.take(time, into: &candidate)
      if time == wish { return }
      move(&candidate, to: time, &placer)
      unsettled.append(Int32(truncatingIfNeeded: index))
    }
  }

  /// Its own place has passed as well: it is delivered now, as soon as quiet hours and caps allow, or expires.
  private mutating func placeLate(
    _ index: Int, _ candidate: inout Candidate, _ level: InterruptionLevel, _ placer: inout Placer,
    _ frame: Frame
  ) {
    let entry = Int(candidate.entry)
    let wish = candidate.fire
    guard let due = Overdue(frame.queue[entry].head, at: frame.now),
      !Self.wasDigested(candidate, frame, &placer)
    else { return expire(&candidate, frame) }
    switch placer.place(
      type: candidate.type, priority: candidate.priority, level: level, wish: due.time)
    {
    case .withheld(let reason): withhold(&candidate, reason, frame)
    case .placed(let time):
      guard !frame.isPast(expiryOf: entry, time) else { return expire(&candidate, frame) }
      if time == due.time {
        placer.lead(with: due.step(from: wish))
      } else {
        // From the wish, so that the plan does not change with every second that passes.
        placer.begin(at: wish)
      }
      placer.take(time, into: &candidate)
      move(&candidate, to: time, &placer)
      unsettled.append(Int32(truncatingIfNeeded: index))
      if time == due.time { candidate.trigger = .instant }
    }
  }

  /// A digest that stood for it has been delivered.
  private static func wasDigested(_ candidate: Candidate, _ frame: Frame, _ placer: inout Placer) -> Bool {
    guard !frame.history.isEmpty,
      let end = Digests.end(of: candidate.fire, candidate, frame, &placer), end <= frame.now,
      !frame.isPast(expiryOf: Int(candidate.entry), end)
    else { return false }
    return frame.wasDelivered(digestOf: frame.queue[Int(candidate.entry)].head.group ?? "", end: end)
  }

  // MARK: Digests

  /// Decides, in the turn of its most important member, what becomes of a digest.
  ///
  /// It has the place that this member finds from the window's end. A member that finds none, or none in time, goes
  /// by itself, and the others are a digest of their own in the turn of their most important. So it makes no
  /// difference whether such a member is still in the queue when the plan is made again.
  ///
  /// - Returns: false when the leader is to be placed by itself.
  private mutating func settle(
    _ digest: Digests.Digest, _ digests: inout Digests, _ placing: UnsafeMutableBufferPointer<Candidate>,
    _ placer: inout Placer, _ frame: Frame
  ) -> Bool {
    if frame.wasDelivered(digestOf: digest.group, end: digest.end) {
      for member in digest.members { expire(&placing[member], frame) }
      return true
    }
    let leader = placing[digest.leader]
    let level = frame.queue[Int(leader.entry)].head.summary.interruptionLevel
    guard
      case .placed(let time) = placer.place(
        type: leader.type, priority: leader.priority, level: level, wish: digest.end)
    else {
      digests.release(digest) { $0 == digest.leader }
      return false
    }
    if time > frame.now {
      placer.lead(with: Step(rule: .quietHours, from: leader.fire, to: digest.end))
      return join(digest, &digests, placing, at: time, &placer, frame)
    }
    // Its own time has passed as well: with those that still want it, it is late.
    for member in digest.members
    where Overdue(frame.queue[Int(placing[member].entry)].head, at: frame.now) == nil {
      expire(&placing[member], frame)
    }
    digests.release(digest) { placing[$0].isGone }
    guard !placing[digest.leader].isGone else { return true }
    guard let late = digests.digest(of: digest.leader) else { return false }
    return placeLate(late, &digests, placing, level, &placer, frame)
  }

  /// As ``placeLate(_:_:_:_:)`` for a digest of which all members are wanted late.
  private mutating func placeLate(
    _ digest: Digests.Digest, _ digests: inout Digests, _ placing: UnsafeMutableBufferPointer<Candidate>,
    _ level: InterruptionLevel, _ placer: inout Placer, _ frame: Frame
  ) -> Bool {
    let leader = placing[digest.leader]
    guard let due = Overdue(frame.queue[Int(leader.entry)].head, at: frame.now) else { return false }
    switch placer.place(type: leader.type, priority: leader.priority, level: level, wish: due.time) {
    case .withheld(let reason):
      for member in digest.members { withhold(&placing[member], reason, frame) }
      return true
    case .placed(let time):
      if time == due.time {
        placer.lead(with: due.step(from: leader.fire))
        guard join(digest, &digests, placing, at: time, &placer, frame) else { return false }
        placing[digest.leader].trigger = .instant
        return true
      }
      // From the wish, so that the plan does not change with every second that passes.
      placer.begin(at: leader.fire)
      return join(digest, &digests, placing, at: time, &placer, frame)
    }
  }

  /// Makes one request of the members for which its place is not too late.
  ///
  /// - Returns: false when the leader is to be placed by itself.
  private mutating func join(
    _ digest: Digests.Digest, _ digests: inout Digests, _ placing: UnsafeMutableBufferPointer<Candidate>,
    at time: Int64, _ placer: inout Placer, _ frame: Frame
  ) -> Bool {
    func isTooLate(_ member: Int) -> Bool { frame.isPast(expiryOf: Int(placing[member].entry), time) }
    if isTooLate(digest.leader) {
      digests.release(digest) { $0 == digest.leader }
      return false
    }
    // Those for which it is go alone: a second digest would have the same id.
    let joining = digest.members.filter { !isTooLate($0) }
    guard joining.count > 1 else {
      digests.release(digest) { _ in true }
      return false
    }
    if joining.count < digest.members.count { digests.release(digest, where: isTooLate) }
    placer.take(time, into: &placing[digest.leader])
    let standing = Int32(occurrenceIDs.count)
    for member in joining {
      let candidate = placing[member]
      if member != digest.leader { leave(&placing[member]) }
      digested.append(
        Digested(
          id: frame.queue[Int(candidate.entry)].head.id, type: candidate.type, fire: candidate.fire,
          digest: standing))
    }
    move(&placing[digest.leader], to: time, &placer)
    unsettled.append(Int32(truncatingIfNeeded: digest.leader))
    placing[digest.leader].occurrence = standing
    placing[digest.leader].digestCount = Int32(joining.count)
    occurrenceIDs.append(frame.digestID(of: digest.group, end: digest.end))
    return true
  }

  // MARK: Outcomes

  @inline(__always)
  private func move(_ candidate: inout Candidate, to time: Int64, _ placer: inout Placer) {
    candidate.fire = time
    candidate.trigger = candidate.isWallTime ? placer.wallTrigger(at: time) : .instant
  }

  private mutating func withhold(
    _ candidate: inout Candidate, _ reason: WithheldRequest.Reason, _ frame: Frame
  ) {
    withheld.append(WithheldRequest(id: frame.queue[Int(candidate.entry)].head.id, reason: reason))
    leave(&candidate)
  }

  private mutating func expire(_ candidate: inout Candidate, _ frame: Frame) {
    expired.append(
      ExpiredRequest(
        id: frame.queue[Int(candidate.entry)].head.id, fireAt: Instant(milliseconds: candidate.fire)))
    leave(&candidate)
  }

  private mutating func leave(_ candidate: inout Candidate) {
    candidate.isGone = true
    hasGone = true
  }
}

extension Frame {
  /// The one request that stands for all of a group that the end of a window brings together.
  ///
  /// - Parameter end: milliseconds since 1970.
  fileprivate func digestID(of group: String, end: Int64) -> NotificationID {
    let seconds = Int(end / 1000)
    let id = NotificationID(unchecked: "digest.\(group)")
    return made(id.occurrence(atWall: seconds + zone.offset(at: seconds)))
  }

  /// Whether one that the end of a window made has rung.
  func wasDelivered(digestOf group: String, end: Int64) -> Bool {
    guard !history.isEmpty, end <= now else { return false }
    let id = digestID(of: group, end: end)
    return history.contains { $0.id == id && $0.at.milliseconds >= end }
  }

  /// - Parameter time: milliseconds since 1970.
  func isPast(expiryOf entry: Int, _ time: Int64) -> Bool {
    queue[entry].head.expiresAt.map { time > $0.milliseconds } ?? false
  }
}
