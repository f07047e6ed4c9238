/// Lower-case hexadecimal (RFC 4648 section 8).
enum Hexadecimal {
  static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

/// Lower-case base32 without padding (RFC 4648 section 6): no character that a URL, a shell or a double
/// click treats specially, and no two that differ by case alone.
enum Base32 {
  private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var out: [UInt8] = []
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for byte in bytes {
      buffer = buffer << 8 | UInt32(byte)
      bits += 8
      while bits >= 5 {
        bits -= 5
        out.append(alphabet[Int(buffer >> bits & 31)])
      }
      buffer &= (1 << bits) - 1
    }
    if bits > 0 { out.append(alphabet[Int(buffer << (5 - bits) & 31)]) }
    return String(decoding: out, as: UTF8.self)
  }

  static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(byte)
  }
}
