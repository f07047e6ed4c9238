/// Sorts words by spreading them over as many buckets as there are words: fires lie scattered over weeks, so a bucket
/// holds one or two, and what is left to compare is next to nothing. Where many fall into one, they are spread again.
enum WordSort {
  /// Fewer are put into place one by one.
  private static let few = 12

  static func sort(_ words: UnsafeMutableBufferPointer<UInt64>) {
    guard words.count > few else { return insert(words) }
    withUnsafeTemporaryAllocation(of: UInt64.self, capacity: words.count) { spare in
      spread(words, spare)
    }
  }

  private static func spread(
    _ words: UnsafeMutableBufferPointer<UInt64>, _ spare: UnsafeMutableBufferPointer<UInt64>
  ) {
    var least = UInt64.max
    var most: UInt64 = 0
    for word in words {
      least = min(least, word)
      most = max(most, word)
    }
    guard least < most else { return }
    // Bucket numbers have as many bits as the count.
    let bits = Int.bitWidth - words.count.leadingZeroBitCount
    let shift = UInt64(max(0, UInt64.bitWidth - (most - least).leadingZeroBitCount - bits))
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 1 << bits) { ends in
      ends.initialize(repeating: 0)
      for word in words { ends[Int((word &- least) &>> shift)] &+= 1 }
      var sum: UInt32 = 0
      for bucket in ends.indices {
        let count = ends[bucket]
        ends[bucket] = sum
        sum &+= count
      }
      for word in words {
        let bucket = Int((word &- least) &>> shift)
        spare[Int(ends[bucket])] = word
        ends[bucket] &+= 1
      }
      _ = words.update(fromContentsOf: spare)
      var start = 0
      for bucket in ends.indices where Int(ends[bucket]) > start {
        let end = Int(ends[bucket])
        if end - start > 1 {
          let part = UnsafeMutableBufferPointer(rebasing: words[start..<end])
          if end - start > few {
            spread(part, UnsafeMutableBufferPointer(rebasing: spare[start..<end]))
          } else {
            insert(part)
          }
        }
        start = end
      }
    }
  }

  @inline(__always)
  private static func insert(_ words: UnsafeMutableBufferPointer<UInt64>) {
    var index = 1
    while index < words.count {
      let word = words[index]
      var place = index
      while place > 0, words[place &- 1] > word {
        words[place] = words[place &- 1]
        place &-= 1
      }
      words[place] = word
      index &+= 1
    }
  }
}
