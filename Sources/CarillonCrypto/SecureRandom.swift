import CCrypto

/// Random numbers fit for secrets, from libcrypto's generator.
///
/// Whatever needs randomness takes `some RandomNumberGenerator`; the program passes this one, a test a
/// seeded one.
public struct SecureRandom: RandomNumberGenerator, Sendable {
  public init() {}

  public mutating func next() -> UInt64 {
    var word: UInt64 = 0
    withUnsafeMutableBytes(of: &word, Self.fill)
    return word
  }

  private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    // Fails only when the system has no entropy source: a secret made without one would be none.
    guard RAND_bytes(start, Int32(buffer.count)) == 1 else {
      fatalError("libcrypto has no random bytes")
    }
  }
}

extension RandomNumberGenerator {
  /// That many random bytes.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    precondition(count >= 0)
    var out: [UInt8] = []
    out.reserveCapacity(count)
    while out.count < count {
      let word = next()
      for shift in 0..<min(8, count - out.count) {
        out.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(shift))))
      }
    }
    return out
  }
}
