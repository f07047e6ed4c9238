/// A UUID as two machine words: hashed, compared and sent to the database without Foundation.
///
/// Text form: 36 characters, lower case on output, either case on input (RFC 9562).
public struct UUID128: Hashable, Sendable, Comparable {
  public let high: UInt64
  public let low: UInt64

  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  public static func < (left: UUID128, right: UUID128) -> Bool {
    (left.high, left.low) < (right.high, right.low)
  }
}
