/// The character classes of RFC 9110 and RFC 3986 that a request is checked against.
enum ASCII {
  static func lowercase(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }

  static func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

  static func isAlphanumeric(_ byte: UInt8) -> Bool {
    let letter = byte | 0x20
    return isDigit(byte) || (letter >= UInt8(ascii: "a") && letter <= UInt8(ascii: "z"))
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  /// `tchar`, the characters of methods and field names.
  static func isToken(_ byte: UInt8) -> Bool { token[Int(byte)] }

  /// The characters of `uri-host [ ":" port ]`.
  static func isHost(_ byte: UInt8) -> Bool { host[Int(byte)] }

  /// What a field value may hold: anything but control characters; a tab is allowed.
  static func isFieldValue(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7f || byte == 0x09 }

  /// What a request target may hold: visible characters, no fragment.
  static func isTarget(_ byte: UInt8) -> Bool { byte > 0x20 && byte < 0x7f && byte != UInt8(ascii: "#") }

  private static let token = table("!#$%&'*+-.^_`|~")
  private static let host = table("-._~%!$&'()*+,;=:[]")

  private static func table(_ punctuation: String) -> [Bool] {
    (0...255).map { isAlphanumeric($0) || punctuation.utf8.contains($0) }
  }
}
