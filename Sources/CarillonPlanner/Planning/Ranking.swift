import CarillonModel

/// Orders candidates by one word each: fire, priority and index packed together, so that sorting them is sorting
/// numbers.
enum Ranking {
  /// Bits of a word: two centuries of milliseconds, priorities up to 255, and 8,192 candidates.
  private static let fireBits: UInt64 = 43
  private static let priorityBits: UInt64 = 8
  private static let indexBits: UInt64 = 13

  /// - Parameters:
  ///   - bySoonest: (fire, priority, id), else (priority, fire, id). Ids compare by bytes.
  ///   - isWanted: which candidates.
  /// - Returns: indices into the candidates.
  @inline(__always)
  static func order(
    _ list: CandidateList, bySoonest: Bool, isWanted: (Candidate.Form) -> Bool
  ) -> [Int32] {
    let candidates = list.candidates
    var first = Int64.max
    var lowest: Int32 = 0
    var highest: Int32 = 0
    var count = 0
    for index in 0..<candidates.count where isWanted(candidates[index].form) {
      count &+= 1
      first = min(first, candidates[index].fire)
      lowest = min(lowest, candidates[index].priority)
      highest = max(highest, candidates[index].priority)
    }
    guard candidates.count <= 1 << indexBits, lowest >= 0, highest < 1 << priorityBits else {
      return candidates.indices.filter { isWanted(candidates[$0].form) }.map { Int32($0) }
        .sorted { precedes($0, $1, list, bySoonest) }
    }
    return [Int32](unsafeUninitializedCapacity: count) { indices, filled in
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count) { words in
        var next = 0
        for index in 0..<candidates.count where isWanted(candidates[index].form) {
          words[next] = word(
            candidates[index].fire &- first, candidates[index].priority, index, bySoonest)
          next &+= 1
        }
        WordSort.sort(words)
        for position in 0..<count {
          indices[position] = Int32(truncatingIfNeeded: words[position] & (1 << indexBits - 1))
        }
        if count > 1 { settle(indices, UnsafeBufferPointer(words), list, bySoonest) }
      }
      filled = count
    }
  }

  /// The full order, for what the words cannot tell.
  private static func precedes(
    _ left: Int32, _ right: Int32, _ list: CandidateList, _ bySoonest: Bool
  ) -> Bool {
    let (one, other) = (list[left], list[right])
    if bySoonest, one.fire != other.fire { return one.fire < other.fire }
    if one.priority != other.priority { return one.priority < other.priority }
    if one.fire != other.fire { return one.fire < other.fire }
    return list.id(of: left).precedes(list.id(of: right))
  }

  @inline(__always)
  private static func word(_ wait: Int64, _ priority: Int32, _ index: Int, _ bySoonest: Bool) -> UInt64 {
    // A fire beyond two centuries ties with others such, and is then compared in full.
    let fire = UInt64(bitPattern: min(wait, 1 << Int64(fireBits) - 1))
    let priority = UInt64(UInt32(bitPattern: priority))
    let rank = bySoonest ? fire << priorityBits | priority : priority << fireBits | fire
    return rank << indexBits | UInt64(index)
  }

  /// Brings those whose words tie, but for the index, into their full order.
  @inline(__always)
  private static func settle(
    _ indices: UnsafeMutableBufferPointer<Int32>, _ words: UnsafeBufferPointer<UInt64>,
    _ list: CandidateList, _ bySoonest: Bool
  ) {
    var start = 0
    for end in 1...words.count {
      if end < words.count, words[end] >> indexBits == words[start] >> indexBits { continue }
      if end > start &+ 1 {
        var tied = UnsafeMutableBufferPointer(rebasing: indices[start..<end])
        tied.sort { precedes($0, $1, list, bySoonest) }
      }
      start = end
    }
  }
}
