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
    _ gathered: Gathered, bySoonest: Bool, frame: Frame, isWanted: (Candidate.Form) -> Bool
  ) -> [Int32] {
    gathered.candidates.withUnsafeBufferPointer { candidates in
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
      let comparison = Comparison(
        candidates: candidates, gathered: gathered, queue: frame.queue, bySoonest: bySoonest)
      guard candidates.count <= 1 << indexBits, lowest >= 0, highest < 1 << priorityBits else {
        return candidates.indices.filter { isWanted(candidates[$0].form) }.map { Int32($0) }
          .sorted(by: comparison.precedes)
      }
      var words = [UInt64](unsafeUninitializedCapacity: count) { words, filled in
        for index in 0..<candidates.count where isWanted(candidates[index].form) {
          words[filled] = word(candidates[index].fire &- first, candidates[index].priority, index, bySoonest)
          filled &+= 1
        }
      }
      words.sort()
      return indices(words, comparison)
    }
  }

  /// The full order, for what the words cannot tell.
  private struct Comparison {
    let candidates: UnsafeBufferPointer<Candidate>
    let gathered: Gathered
    let queue: UnsafeBufferPointer<QueueEntry>
    let bySoonest: Bool

    func precedes(_ left: Int32, _ right: Int32) -> Bool {
      let (one, other) = (candidates[Int(left)], candidates[Int(right)])
      if bySoonest, one.fire != other.fire { return one.fire < other.fire }
      if one.priority != other.priority { return one.priority < other.priority }
      if one.fire != other.fire { return one.fire < other.fire }
      return gathered.id(of: one, in: queue).precedes(gathered.id(of: other, in: queue))
    }
  }

  @inline(__always)
  private static func word(_ wait: Int64, _ priority: Int32, _ index: Int, _ bySoonest: Bool) -> UInt64 {
    // A fire beyond two centuries ties with others such, and is then compared in full.
    let fire = UInt64(min(wait, 1 << Int64(fireBits) - 1))
    let priority = UInt64(UInt32(bitPattern: priority))
    let rank = bySoonest ? fire << priorityBits | priority : priority << fireBits | fire
    return rank << indexBits | UInt64(index)
  }

  /// Brings those whose words tie, but for the index, into their full order.
  private static func indices(_ words: [UInt64], _ comparison: Comparison) -> [Int32] {
    var tie = false
    var indices = [Int32](unsafeUninitializedCapacity: words.count) { indices, filled in
      words.withUnsafeBufferPointer { words in
        var last = UInt64.max
        for position in 0..<words.count {
          let word = words[position]
          indices[position] = Int32(truncatingIfNeeded: word & (1 << indexBits - 1))
          tie = tie || word >> indexBits == last
          last = word >> indexBits
        }
      }
      filled = words.count
    }
    if tie { settle(&indices, words, comparison) }
    return indices
  }

  private static func settle(_ indices: inout [Int32], _ words: [UInt64], _ comparison: Comparison) {
    indices.withUnsafeMutableBufferPointer { indices in
      words.withUnsafeBufferPointer { words in
        var start = 0
        for end in 1...words.count
        where end == words.count || words[end] >> indexBits != words[start] >> indexBits {
          if end > start + 1 { indices[start..<end].sort(by: comparison.precedes) }
          start = end
        }
      }
    }
  }
}
