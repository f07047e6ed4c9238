/// base64url without padding (RFC 4648 section 5), strict: one text for each sequence of bytes.
package enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  package static func text(_ bytes: [UInt8]) -> String {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count * 4 + 2) / 3)
    var buffer = 0
    var bits = 0
    for byte in bytes {
      buffer = buffer << 8 | Int(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        out.append(alphabet[buffer >> bits & 63])
      }
      buffer &= (1 << bits) - 1
    }
    if bits > 0 { out.append(alphabet[buffer << (6 - bits) & 63]) }
    return String(decoding: out, as: UTF8.self)
  }

  /// Nil for anything ``text(_:)`` would not give.
  static func bytes(_ text: String) -> [UInt8]? {
    var out: [UInt8] = []
    var buffer = 0
    var bits = 0
    for character in text.utf8 {
      guard let value = value(character) else { return nil }
      buffer = buffer << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        out.append(UInt8(truncatingIfNeeded: buffer >> bits))
        buffer &= (1 << bits) - 1
      }
    }
    // Leftover bits must be zero and fewer than a character.
    return bits < 6 && buffer == 0 ? out : nil
  }

  private static func value(_ character: UInt8) -> Int? {
    switch character {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): Int(character) - 65
    case UInt8(ascii: "a")...UInt8(ascii: "z"): Int(character) - 71
    case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(character) + 4
    case UInt8(ascii: "-"): 62
    case UInt8(ascii: "_"): 63
    default: nil
    }
  }
}
