import CarillonModel

extension Gathered {
  /// Moves the one-time requests to where quiet hours and caps let them ring, merges digests, and decides what has
  /// passed for good.
  mutating func place(_ input: PlanInput, _ reachability: Reachability) {
    guard input.policy.moves else { return }
    var placement = Placement(input, self, reachability)
    placement.run()
    self = placement.gathered
  }
}

private struct Placement {
  let input: PlanInput
  var gathered: Gathered
  private var placer: Placer
  private let digests: Digests
  private let order: [Int]
  private var isGone: [Bool]
  private var hasGone = false

  init(_ input: PlanInput, _ gathered: Gathered, _ reachability: Reachability) {
    self.input = input
    self.gathered = gathered
    let placer = Placer(input, gathered.repeaters, reachability)
    self.placer = placer
    // What may move, most important first.
    let candidates = gathered.candidates
    let moving = candidates.indices.filter { candidates[$0].form == .single }.map { Int32($0) }
    let keys = RankKeys(candidates, bySoonest: false, now: input.now.milliseconds)
    let order = keys.sorted(moving) { input.queue[Int(candidates[Int($0)].entry)].head.id }.map { Int($0) }
    digests = Digests(order, candidates, input, placer)
    self.order = order
    isGone = [Bool](repeating: false, count: candidates.count)
  }

  mutating func run() {
    for index in order {
      if let digest = digests.digest(of: index) {
        if digest.leader == index { place(digest) }
      } else {
        place(index)
      }
    }
    if hasGone {
      gathered.candidates = zip(gathered.candidates, isGone).compactMap { $1 ? nil : $0 }
    }
  }

  // MARK: One by one

  private mutating func place(_ index: Int) {
    let candidate = gathered.candidates[index]
    let wish = candidate.fire
    let level = input.queue[Int(candidate.entry)].head.summary.interruptionLevel
    switch placer.place(candidate, level: level, wish: wish) {
    case .withheld(let reason): wish > placer.now ? withhold(index, reason) : expire(index)
    case .placed(let time) where time > placer.now: settle(index, at: time)
    case .placed: placeLate(index, level)
    }
  }

  /// Its own place has passed as well: it is delivered now, as soon as quiet hours and caps allow, or expires.
  private mutating func placeLate(_ index: Int, _ level: InterruptionLevel) {
    let candidate = gathered.candidates[index]
    let head = input.queue[Int(candidate.entry)].head
    guard let due = Overdue(head, at: input.now), !wasDigested(candidate, head) else { return expire(index) }
    switch placer.place(candidate, level: level, wish: due.time) {
    case .withheld(let reason): withhold(index, reason)
    case .placed(let time) where time == due.time:
      guard !isPast(head, time) else { return expire(index) }
      placer.take(time, type: candidate.type)
      move(index, to: time, [due.move(from: candidate.fire)])
      gathered.candidates[index].trigger = .instant
    case .placed(let time):
      guard !isPast(head, time) else { return expire(index) }
      placer.take(time, type: candidate.type)
      // From the wish, so that the plan does not change with every second that passes.
      var moves = placer.moves
      moves[0].from = Instant(milliseconds: candidate.fire)
      move(index, to: time, moves)
    }
  }

  private mutating func settle(_ index: Int, at time: Int64) {
    let head = input.queue[Int(gathered.candidates[index].entry)].head
    guard !isPast(head, time), !wasDigested(gathered.candidates[index], head) else { return expire(index) }
    placer.take(time, type: gathered.candidates[index].type)
    if time != gathered.candidates[index].fire { move(index, to: time, placer.moves) }
  }

  /// A digest that stood for it has been delivered.
  private func wasDigested(_ candidate: Candidate, _ head: NotificationHead) -> Bool {
    guard candidate.fire <= placer.now, !input.history.isEmpty,
      let end = Digests.end(of: candidate.fire, candidate, head, input, placer), end <= placer.now,
      !isPast(head, end)
    else { return false }
    let id = placer.digestID(of: head.group ?? "", end: end)
    return input.history.contains { $0.id.isSame(as: id) }
  }

  private func isPast(_ head: NotificationHead, _ time: Int64) -> Bool {
    head.expiresAt.map { time > $0.milliseconds } ?? false
  }

  // MARK: Digests

  private mutating func place(_ digest: Digests.Digest) {
    let leader = gathered.candidates[digest.leader]
    let level = input.queue[Int(leader.entry)].head.summary.interruptionLevel
    switch placer.place(leader, level: level, wish: digest.end) {
    case .withheld(let reason):
      for member in digest.members {
        gathered.candidates[member].fire > placer.now ? withhold(member, reason) : expire(member)
      }
    case .placed(let time):
      placer.take(time, type: leader.type)
      for member in digest.members {
        let candidate = gathered.candidates[member]
        if member != digest.leader { leave(member) }
        gathered.digested.append(
          Digested(
            id: input.queue[Int(candidate.entry)].head.id, type: candidate.type, fire: candidate.fire,
            digest: Int32(gathered.occurrenceIDs.count)))
      }
      let wished = Move(
        by: "quietHours", from: Instant(milliseconds: leader.fire), to: Instant(milliseconds: digest.end))
      move(digest.leader, to: time, [wished] + placer.moves)
      gathered.candidates[digest.leader].occurrence = Int32(gathered.occurrenceIDs.count)
      gathered.candidates[digest.leader].digestCount = Int32(digest.members.count)
      gathered.occurrenceIDs.append(placer.digestID(of: digest.group, end: digest.end))
    }
  }

  // MARK: Outcomes

  private mutating func move(_ index: Int, to time: Int64, _ moves: [Move]) {
    gathered.candidates[index].fire = time
    gathered.candidates[index].firstMove = Int32(gathered.moves.count)
    gathered.candidates[index].moveCount = Int32(moves.count)
    gathered.moves += moves
    let entry = Int(gathered.candidates[index].entry)
    gathered.candidates[index].trigger = placer.heldTrigger(input.queue[entry].head.trigger, at: time)
  }

  private mutating func withhold(_ index: Int, _ reason: WithheldRequest.Reason) {
    let entry = Int(gathered.candidates[index].entry)
    gathered.withheld.append(WithheldRequest(id: input.queue[entry].head.id, reason: reason))
    leave(index)
  }

  private mutating func expire(_ index: Int) {
    let candidate = gathered.candidates[index]
    gathered.expired.append(
      ExpiredRequest(
        id: input.queue[Int(candidate.entry)].head.id, fireAt: Instant(milliseconds: candidate.fire)))
    leave(index)
  }

  private mutating func leave(_ index: Int) {
    isGone[index] = true
    hasGone = true
  }
}

extension Placer {
  /// A moved wall time stays one, so that travel keeps it, unless the clock shows it twice; a moved instant stays
  /// an instant.
  fileprivate func heldTrigger(_ trigger: Trigger, at time: Int64) -> Candidate.HeldTrigger {
    switch trigger {
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
}
