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

  /// When the window of its wish ends, though it may be over; else, of an overdue one that no cap can move, that of the
  /// moment it is due.
  func digestEnd(_ request: Request) -> Int64? {
    guard request.type.digest, request.head.group != nil else { return nil }
    let wish = request.wish!
    var end = quietEnd(wish)
    if end == wish {
      let isCapped =
        !request.type.capExempt && policy.frequencyCaps.contains { concerns($0, request.type.name) }
      guard wish <= now, request.head.overdue == .deliverNow, !isCapped else { return nil }
      end = quietEnd(due)
      if end == due { return nil }
    }
    return mayJoin(request, end) ? end : nil
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
    return input.history.contains { $0.id == digestID(request.head.group!, end) }
  }

  /// - Returns: whether it is one digest; when it would have been due by now it falls apart.
  mutating func placeDigest(_ members: [Request]) -> Bool {
    var digest = members[0]
    let end = digest.digestEnd!
    switch search(from: end, digest) {
    case .at(let time, let moves) where time > now:
      digest.id = digestID(digest.head.group!, end)
      digest.digestCount = members.count
      digest.moves = [move("quietHours", digest.wish!, end)] + moves
      digest.fire = time
      digest.trigger = movedTrigger(digest.head, time)
      count(time, digest.type.name)
      requests.append(digest)
      digested += members.map { ($0, digest.id) }
    case .nowhere(let reason):
      for member in members {
        member.wish! > now ? withhold(member.id, reason) : expire(member.id, member.wish!)
      }
    case .at: return false
    }
    return true
  }
}
