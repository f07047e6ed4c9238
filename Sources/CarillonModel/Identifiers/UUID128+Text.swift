extension UUID128 {
  /// 36 characters as in RFC 9562, digits in either case. Braces, prefixes and other lengths are refused.
  public init?(_ text: String) {
    guard let uuid = text.withBytes({ UUID128(parsing: $0) }) else { return nil }
    self = uuid
  }

  public init?(parsing bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 36 else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    var digits = 0
    for index in 0..<36 {
      let byte = bytes[index]
      if UUID128.isHyphen(at: index) {
        guard byte == UInt8(ascii: "-") else { return nil }
        continue
      }
      let digit: UInt64
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = UInt64(byte - UInt8(ascii: "a") + 10)
      case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = UInt64(byte - UInt8(ascii: "A") + 10)
      default: return nil
      }
      if digits < 16 { words.high = words.high << 4 | digit } else { words.low = words.low << 4 | digit }
      digits += 1
    }
    self.init(high: words.high, low: words.low)
  }

  /// 16 bytes, in network order.
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for byte in bytes.prefix(8) { words.high = words.high << 8 | UInt64(byte) }
    for byte in bytes.dropFirst(8) { words.low = words.low << 8 | UInt64(byte) }
    self.init(high: words.high, low: words.low)
  }

  /// 16 bytes, in network order.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(16)
    for word in [high, low] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    return bytes
  }

  /// A version 4 UUID of 128 random bits, of which RFC 9562 takes six.
  public static func make(random: (UInt64, UInt64)) -> UUID128 {
    UUID128(
      high: random.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x4000,
      low: random.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000)
  }

  /// 36 characters, lower case.
  public var text: String { String(ascii: { append(to: &$0) }) }

  public func append(to bytes: inout [UInt8]) {
    var digits = 0
    for index in 0..<36 {
      if UUID128.isHyphen(at: index) {
        bytes.append(UInt8(ascii: "-"))
        continue
      }
      let word = digits < 16 ? high : low
      let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (digits % 16))) & 0xF
      bytes.append(digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a"))
      digits += 1
    }
  }

  private static func isHyphen(at index: Int) -> Bool {
    index == 8 || index == 13 || index == 18 || index == 23
  }
}

extension UUID128: CustomStringConvertible {
  public var description: String { text }
}
