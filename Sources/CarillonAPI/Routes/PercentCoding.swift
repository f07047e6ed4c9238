/// Percent-encoding (RFC 3986 section 2.1).
enum PercentCoding {
  /// The text with all but unreserved characters encoded. A text of dots alone, which clients take for a step in
  /// the path, is encoded whole.
  static func encoded(_ text: String) -> String {
    if text == "." || text == ".." { return text.map { _ in "%2E" }.joined() }
    let digits = Array("0123456789ABCDEF".utf8)
    var out: [UInt8] = []
    out.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if isUnreserved(byte) {
        out.append(byte)
      } else {
        out += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// The text with its escapes resolved; nil when an escape is broken or the result is not UTF-8.
  ///
  /// - Parameter plusIsSpace: as forms and most clients write a query.
  static func decoded(_ text: Substring.UTF8View, plusIsSpace: Bool = false) -> String? {
    guard text.contains(UInt8(ascii: "%")) || (plusIsSpace && text.contains(UInt8(ascii: "+"))) else {
      return String(Substring(text))
    }
    var out: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%") {
        guard let high = rest.popFirst().flatMap(hex), let low = rest.popFirst().flatMap(hex) else {
          return nil
        }
        out.append(high << 4 | low)
      } else {
        out.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      }
    }
    return String(validating: out, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  private static func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 48
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 87
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 55
    default: nil
    }
  }
}
