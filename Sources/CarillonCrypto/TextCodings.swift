/// Lower-case hexadecimal (RFC 4648 section 8).
enum Hexadecimal {
  static func text(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Digits of either case; nil when there is anything else.
  static func bytes(_ text: [UInt8]) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var out: [UInt8] = []
    for index in stride(from: 0, to: text.count, by: 2) {
      guard let high = value(text[index]), let low = value(text[index + 1]) else { return nil }
      out.append(high << 4 | low)
    }
    return out
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Base64 (RFC 4648 sections 4 and 5).
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var out: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      let word = group.reduce(0) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - group.count))
      for index in 0..<4 {
        out.append(
          index <= group.count ? alphabet[Int(word >> (18 - 6 * UInt32(index)) & 63)] : UInt8(ascii: "="))
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Of either alphabet, with or without padding; nil when there is anything else, or bits that no byte has.
  static func bytes(_ text: [UInt8]) -> [UInt8]? {
    let padding = text.reversed().prefix { $0 == UInt8(ascii: "=") }.count
    guard padding == 0 || padding <= 2 && text.count.isMultiple(of: 4) else { return nil }
    var out: [UInt8] = []
    var buffer: UInt32 = 0
    var bits: UInt32 = 0
    for character in text.dropLast(padding) {
      guard let value = value(character) else { return nil }
      buffer = buffer << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        out.append(UInt8(truncatingIfNeeded: buffer >> bits))
        buffer &= (1 << bits) - 1
      }
    }
    return bits < 6 && buffer == 0 ? out : nil
  }

  private static func value(_ character: UInt8) -> UInt32? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character) + 4
    case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
    case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
    default: nil
    }
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
