import CarillonModel

/// Days of one year: bit n is the n-th day after 1 January, 0...365. Sets of days meet in six machine words, so that a
/// rule's search through two centuries stays a matter of microseconds.
struct DaySet: Hashable, Sendable {
  private static let wordCount = 6
  private var words = SIMD8<UInt64>()

  init() {}

  /// The first so many days.
  init(count: Int) { insert(0..<count) }

  /// Up to 64 days from the year's first on, or from any other day that is taken for it.
  init(bits: UInt64) { words[0] = bits }

  var isEmpty: Bool { words == .zero }

  var count: Int {
    var count = 0
    for word in 0..<Self.wordCount { count &+= words[word].nonzeroBitCount }
    return count
  }

  func contains(_ day: Int) -> Bool { words[day >> 6] >> UInt64(day & 63) & 1 != 0 }

  mutating func insert(_ day: Int) { words[day >> 6] |= 1 << UInt64(day & 63) }

  /// - Parameter days: at most a year's; what lies outside of the year is left out.
  mutating func insert(_ days: Range<Int>) {
    var day = max(days.lowerBound, 0)
    let end = min(days.upperBound, Self.wordCount * 64)
    while day < end {
      let bit = day & 63
      let length = min(64 - bit, end - day)
      words[day >> 6] |= (.max >> UInt64(64 - length)) << UInt64(bit)
      day += length
    }
  }

  /// Up to 63 days, the first of which is `day`.
  mutating func insert(_ bits: UInt64, from day: Int) {
    let shift = UInt64(day & 63)
    words[day >> 6] |= bits << shift
    if shift != 0, day >> 6 < 7 { words[day >> 6 + 1] |= bits >> (64 - shift) }
  }

  /// The days from `day` on, 64 of them.
  func bits(from day: Int) -> UInt64 {
    let shift = UInt64(day & 63)
    let low = words[day >> 6] >> shift
    return shift == 0 ? low : low | words[day >> 6 + 1] << (64 - shift)
  }

  mutating func formIntersection(_ other: DaySet) { words &= other.words }
  mutating func formUnion(_ other: DaySet) { words |= other.words }

  /// - Parameter phase: what the year's first day is in the cycle.
  mutating func formIntersection(_ cycle: CyclicBits, phase: Int) {
    var phase = Civil.floorModulo(phase, cycle.length)
    let step = 64 % cycle.length
    for word in 0..<Self.wordCount {
      words[word] &= cycle.window(phase)
      phase &+= step
      if phase >= cycle.length { phase &-= cycle.length }
    }
  }

  /// The first day that is not before `day`.
  func first(from day: Int) -> Int? {
    guard day < Self.wordCount * 64 else { return nil }
    var word = day >> 6
    var bits = words[word] & (.max << UInt64(day & 63))
    while bits == 0 {
      word += 1
      guard word < Self.wordCount else { return nil }
      bits = words[word]
    }
    return word << 6 + bits.trailingZeroBitCount
  }

  func count(before day: Int) -> Int {
    var count = 0
    for word in 0..<(day >> 6) { count &+= words[word].nonzeroBitCount }
    return count &+ (words[day >> 6] & ~(.max << UInt64(day & 63))).nonzeroBitCount
  }

  /// The day with so many before it; there must be one.
  func day(at position: Int) -> Int {
    var rest = position
    for word in 0..<Self.wordCount {
      var bits = words[word]
      let count = bits.nonzeroBitCount
      guard rest < count else {
        rest -= count
        continue
      }
      for _ in 0..<rest { bits &= bits &- 1 }
      return word << 6 + bits.trailingZeroBitCount
    }
    preconditionFailure("no day at \(position)")
  }
}

/// Whole numbers that come again every `length`.
struct CyclicBits: Hashable, Sendable {
  let length: Int
  /// One cycle and what follows it, so that each window can be read at once.
  private var words: [UInt64]

  /// - Parameter numbers: in 0..<length.
  init(length: Int, _ numbers: some Sequence<Int>) {
    self.length = length
    words = Array(repeating: 0, count: (length + 63) / 64 + 2)
    let end = words.count * 64
    for number in numbers {
      // Only what a window can reach.
      for bit in stride(from: number, to: min(end, length + 64), by: length) {
        words[bit >> 6] |= 1 << UInt64(bit & 63)
      }
    }
  }

  /// 64 numbers from `phase` on, which is in 0..<length.
  func window(_ phase: Int) -> UInt64 {
    let shift = UInt64(phase & 63)
    let low = words[phase >> 6] >> shift
    return shift == 0 ? low : low | words[phase >> 6 + 1] << (64 - shift)
  }
}
