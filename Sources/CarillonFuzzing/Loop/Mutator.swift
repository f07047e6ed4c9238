/// Damages inputs, as libFuzzer does without knowing what is covered: for where there is no libFuzzer.
public struct Mutator {
  private let corpus: [[UInt8]]
  private let words: [[UInt8]]
  private static let longest = 4_096
  private static let mostChanges = 6

  /// - Parameters:
  ///   - corpus: inputs that get somewhere.
  ///   - words: put in now and then.
  public init(corpus: [[UInt8]], words: [[UInt8]]) {
    self.corpus = corpus.isEmpty ? [[]] : corpus
    self.words = words.isEmpty ? [[0]] : words
  }

  /// An input of the corpus, changed in a few places; now and then noise alone.
  public func next(using random: inout some RandomNumberGenerator) -> [UInt8] {
    if Int.random(in: 0..<8, using: &random) == 0 {
      return (0..<Int.random(in: 0...512, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
    }
    var bytes = corpus.randomElement(using: &random) ?? []
    for _ in 0..<Int.random(in: 1...Self.mostChanges, using: &random) { change(&bytes, &random) }
    return Array(bytes.prefix(Self.longest))
  }

  private func change(_ bytes: inout [UInt8], _ random: inout some RandomNumberGenerator) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    switch Int.random(in: 0..<7, using: &random) {
    case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
    case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
    case 2:
      let end = min(bytes.count, place + Int.random(in: 1...16, using: &random))
      bytes.removeSubrange(place..<end)
    case 3: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
    case 4:
      // From here on as another input goes on.
      let other = corpus.randomElement(using: &random) ?? []
      bytes.removeSubrange(place...)
      bytes += other[Int.random(in: 0...other.count, using: &random)...]
    case 5:
      let end = min(bytes.count, place + Int.random(in: 1...16, using: &random))
      bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
    default: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: place)
    }
  }
}
