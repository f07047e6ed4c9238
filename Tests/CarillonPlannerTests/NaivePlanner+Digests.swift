import CarillonModel
import CarillonPlanner

extension NaivePlanner {
  /// Those that a window's end brings together with a request, itself among them; in their order of importance.
  func digestMembers(with request: Request, among all: [Request]) -> [Request] {
    guard let end = request.digestEnd else { return [] }
    return all.filter { $0.head.group == request.head.group && $0.digestEnd == end }
  }

  private func mayJoin(_ request: Request, _ end: Int64) -> Bool {
    request.type.digest && request.type.quietHours == .hold && request.head.group != nil
      && !isExempt(request.head) && !isPast(request.head.expiresAt, end)
  }

  /// When the window of its wish ends, though it may be over.
  func digestEnd(_ request: Request) -> Int64? {
    guard request.type.digest, request.head.group != nil else { return nil }
    let end = quietEnd(request.wish!)
    return end != request.wish! && mayJoin(request, end) ? end : nil
  }

  func digestID(_ group: String, _ end: Int64) -> NotificationID {
    let stamp = LocalDateTime(wallSeconds: clock.wall(at: end / 1000)).text.filter { $0 != "-" && $0 != ":" }
    return NotificationID(unchecked: "digest.\(group)@\(stamp)")
  }

  /// Whether the history says that it was delivered, by itself or in a digest.
  func isDone(_ request: Request) -> Bool {
    let wish = request.wish!
    if input.history.contains(where: { $0.id == request.id && $0.at.milliseconds >= wish }) { return true }
    let end = quietEnd(wish)
    guard end != wish, end <= now, mayJoin(request, end) else { return false }
    return input.history.contains {
      $0.id == digestID(request.head.group!, end) && $0.at.milliseconds >= end
    }
  }

  /// What became of the members at the turn of the first.
  struct DigestOutcome {
    var settled: [NotificationID] = []
    /// They stand in no digest from now on.
    var alone: [NotificationID] = []
  }

  /// A digest has the place that its most important member finds from the window's end. A member that finds none, or
  /// none in time, goes alone, and the others are a digest of their own in the turn of their most important.
  mutating func placeDigest(_ members: [Request]) -> DigestOutcome {
    let leader = members[0]
    let end = leader.digestEnd!
    switch search(from: end, leader) {
    case .nowhere(let reason):
      leader.wish! > now ? withhold(leader.id, reason) : expire(leader.id, leader.wish!)
      return DigestOutcome(settled: [leader.id])
    case .at(let time, let moves) where time > now:
      return join(members, at: time, [move("quietHours", leader.wish!, end)] + moves)
    case .at:
      let missed = members.filter { !isWantedLate($0) }
      for member in missed { expire(member.id, member.wish!) }
      return missed.isEmpty ? deliver(members) : DigestOutcome(settled: missed.map(\.id))
    }
  }

  /// Its time has passed and all its members are still wanted: as soon as may be.
  private mutating func deliver(_ members: [Request]) -> DigestOutcome {
    let leader = members[0]
    switch search(from: due, leader) {
    case .nowhere(let reason):
      for member in members { withhold(member.id, reason) }
      return DigestOutcome(settled: members.map(\.id))
    case .at(due, _): return join(members, at: due, [move("overdue", leader.wish!, due)], isLate: true)
    case .at(let time, var moves):
      moves[0].from = Instant(milliseconds: leader.wish!)
      return join(members, at: time, moves)
    }
  }

  /// - Parameter isLate: it rings because its time has passed, not at a time of its own.
  private mutating func join(
    _ members: [Request], at time: Int64, _ moves: [Move], isLate: Bool = false
  ) -> DigestOutcome {
    var digest = members[0]
    if isPast(digest.head.expiresAt, time) {
      expire(digest.id, digest.wish!)
      return DigestOutcome(settled: [digest.id])
    }
    let joining = members.filter { !isPast($0.head.expiresAt, time) }
    let alone = members.filter { isPast($0.head.expiresAt, time) }.map(\.id)
    if joining.count < 2 {
      place(digest)
      return DigestOutcome(settled: [digest.id], alone: alone)
    }
    digest.id = digestID(digest.head.group!, digest.digestEnd!)
    digest.digestCount = joining.count
    digest.moves = moves
    digest.fire = time
    digest.trigger = isLate ? .instant(Instant(milliseconds: time)) : movedTrigger(digest.head, time)
    count(time, digest.type.name)
    requests.append(digest)
    digested += joining.map { ($0, digest.id) }
    return DigestOutcome(settled: joining.map(\.id), alone: alone)
  }
}
