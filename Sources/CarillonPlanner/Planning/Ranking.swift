import CarillonModel

/// Orders candidates by one word each: fire, priority and index packed together, so that sorting them is sorting
/// numbers.
enum Ranking {
  /// Bits of a word: two centuries of milliseconds, priorities up to 255, and 8,192 candidates.
  private static let fireBits: UInt64 = 43
  private static let priorityBits: UInt64 = 8
  private static let indexBits: UInt64 = 13

  /// All but locations, by the policy's order.
  ///
  /// Most one-time requests stand where the queue was compiled to have them: only the others are sorted, and merged.
  static func ranked(_ gathered: Gathered, _ frame: Frame, _ compiled: CompiledQueue? = nil) -> [Int32] {
    let bySoonest = frame.policy.bySoonest
    let settled = compiled?.once(bySoonest: bySoonest)
    return gathered.withCandidates(frame) { list in
      guard let settled, gathered.areAllCompiled, !gathered.hasGone else {
        return order(list, indices(of: list) { $0 != .location }, bySoonest)
      }
      let others = order(list, gathered.unsettled, bySoonest)
      return merge(settled, gathered.singles, others, list, bySoonest)
    }
  }

  /// - Parameters:
  ///   - settled: entries in order.
  ///   - singles: their candidates; those that were moved are among the others.
  private static func merge(
    _ settled: [Int32], _ singles: [Int32], _ others: [Int32], _ list: CandidateList, _ bySoonest: Bool
  ) -> [Int32] {
    [Int32](unsafeUninitializedCapacity: list.count) { merged, filled in
      settled.withUnsafeBufferPointer { settled in
        singles.withUnsafeBufferPointer { singles in
          others.withUnsafeBufferPointer { others in
            var next = 0
            var place = 0
            for entry in settled {
              let index = singles[Int(entry)]
              if index < 0 || list.candidates[Int(index)].stepCount > 0 { continue }
              while next < others.count, precedes(others[next], index, list, bySoonest) {
                merged[place] = others[next]
                next &+= 1
                place &+= 1
              }
              merged[place] = index
              place &+= 1
            }
            while next < others.count {
              merged[place] = others[next]
              next &+= 1
              place &+= 1
            }
            filled = place
          }
        }
      }
    }
  }

  /// What may move, most important first.
  static func movable(_ gathered: Gathered, _ frame: Frame, _ compiled: CompiledQueue) -> [Int32] {
    gathered.withCandidates(frame) { list in
      let singles = indices(of: list) { $0 == .single }
      // They were compiled in this very order.
      if compiled.onceByFire != nil, gathered.areAllCompiled { return singles }
      return order(list, singles, false)
    }
  }

  @inline(__always)
  private static func indices(of list: CandidateList, where isWanted: (Candidate.Form) -> Bool) -> [Int32] {
    [Int32](unsafeUninitializedCapacity: list.count) { indices, filled in
      var count = 0
      for index in 0..<list.count where isWanted(list.candidates[index].form) {
        indices[count] = Int32(truncatingIfNeeded: index)
        count &+= 1
      }
      filled = count
    }
  }

  /// - Parameters:
  ///   - wanted: indices of candidates.
  ///   - bySoonest: (fire, priority, id), else (priority, fire, id). Ids compare by bytes.
  private static func order(_ list: CandidateList, _ wanted: [Int32], _ bySoonest: Bool) -> [Int32] {
    let candidates = list.candidates
    var first = Int64.max
    var lowest: Int32 = 0
    var highest: Int32 = 0
    for index in wanted {
      first = min(first, candidates[Int(index)].fire)
      lowest = min(lowest, candidates[Int(index)].priority)
      highest = max(highest, candidates[Int(index)].priority)
    }
    guard candidates.count <= 1 << indexBits, lowest >= 0, highest < 1 << priorityBits else {
      return wanted.sorted { precedes($0, $1, list, bySoonest) }
    }
    return [Int32](unsafeUninitializedCapacity: wanted.count) { indices, filled in
      withUnsafeTemporaryAllocation(of: UInt64.self, capacity: wanted.count) { words in
        var next = 0
        for index in wanted {
          let candidate = candidates.baseAddress! + Int(index)
          words[next] = word(candidate.pointee.fire &- first, candidate.pointee.priority, index, bySoonest)
          next &+= 1
        }
        WordSort.sort(words)
        for position in words.indices {
          indices[position] = Int32(truncatingIfNeeded: words[position] & (1 << indexBits - 1))
        }
        if words.count > 1 { settle(indices, UnsafeBufferPointer(words), list, bySoonest) }
      }
      filled = wanted.count
    }
  }

  /// The full order, for what the words cannot tell.
  @inline(__always)
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
  private static func word(_ wait: Int64, _ priority: Int32, _ index: Int32, _ bySoonest: Bool) -> UInt64 {
    // A fire beyond two centuries ties with others such, and is then compared in full.
    let fire = UInt64(bitPattern: min(wait, 1 << Int64(fireBits) - 1))
    let priority = UInt64(UInt32(bitPattern: priority))
    let rank = bySoonest ? fire << priorityBits | priority : priority << fireBits | fire
    return rank << indexBits | UInt64(UInt32(bitPattern: index))
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
