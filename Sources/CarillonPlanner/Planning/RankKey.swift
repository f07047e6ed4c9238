import CarillonModel

/// Orders candidates by one word each: fire and priority packed together, so that a sort rarely looks further.
struct RankKeys {
  struct Key {
    var order: UInt64
    var index: Int32
  }

  /// Two centuries of milliseconds; fires beyond tie in the word and are compared in full.
  private static let fireBits: UInt64 = 43

  private let candidates: [Candidate]
  private let now: Int64
  private let bySoonest: Bool
  /// Priorities in use, the most important first.
  private let priorities: [Int32]

  /// - Parameters:
  ///   - bySoonest: (fire, priority), else (priority, fire).
  ///   - now: milliseconds since 1970.
  init(_ candidates: [Candidate], bySoonest: Bool, now: Int64) {
    self.candidates = candidates
    self.bySoonest = bySoonest
    self.now = now
    var seen: [Int32] = []
    for candidate in candidates where !seen.contains(candidate.priority) { seen.append(candidate.priority) }
    priorities = seen.sorted()
  }

  /// - Parameter id: of a candidate, for ties.
  func sorted(_ indices: [Int32], id: (Int32) -> NotificationID) -> [Int32] {
    var keys = indices.map { Key(order: order(candidates[Int($0)]), index: $0) }
    keys.sort { left, right in
      if left.order != right.order { return left.order < right.order }
      let (first, second) = (candidates[Int(left.index)], candidates[Int(right.index)])
      if bySoonest, first.fire != second.fire { return first.fire < second.fire }
      if first.priority != second.priority { return first.priority < second.priority }
      if first.fire != second.fire { return first.fire < second.fire }
      return id(left.index).precedes(id(right.index))
    }
    return keys.map(\.index)
  }

  @inline(__always)
  private func order(_ candidate: Candidate) -> UInt64 {
    let fire = UInt64(min(max(candidate.fire - now, 0), 1 << Int64(Self.fireBits) - 1))
    let step = UInt64(priorities.firstIndex(of: candidate.priority) ?? 0)
    return bySoonest ? fire << (64 - Self.fireBits) | step : step << Self.fireBits | fire
  }
}
