extension JSONReader {
  struct StringToken {
    /// Between the quotes.
    var range: Range<Int>
    var hasEscapes: Bool
  }

  /// Checks a string and moves past it.
  mutating func stringToken() throws(JSONError) -> StringToken {
    let start = position + 1
    var hasEscapes = false
    position = start
    while true {
      position = endOfPlainASCII(from: position)
      guard position < end else { throw invalid("the document ends inside a string") }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        position += 1
        return StringToken(range: start..<(position - 1), hasEscapes: hasEscapes)
      case UInt8(ascii: "\\"):
        hasEscapes = true
        try checkEscape()
      case 0x80...: try checkMultibyte()
      default: throw invalid("a control character in a string must be escaped")
      }
    }
  }

  /// The first byte that needs a look: a quote, a backslash, a control or a byte above ASCII; eight at a time.
  ///
  /// A byte of the word is marked in its top bit. A borrow can mark bytes wrongly, but only above one that is marked
  /// rightly, and the lowest mark is all that counts.
  private borrowing func endOfPlainASCII(from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    var index = start
    while index + 8 <= end {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      let quote = word ^ (ones &* 0x22)
      let slash = word ^ (ones &* 0x5C)
      let marks =
        (word | ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | ((word &- (ones &* 0x20)) & ~word))
        & tops
      if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < end {
      let byte = bytes[index]
      if byte < 0x20 || byte >= 0x80 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { break }
      index += 1
    }
    return index
  }

  private mutating func checkEscape() throws(JSONError) {
    guard position + 1 < end else { throw invalid("the document ends inside an escape") }
    switch bytes[position + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    case UInt8(ascii: "u"):
      guard let unit = hexUnit(at: position + 2) else { throw invalid("\\u needs four hexadecimal digits") }
      switch unit {
      case 0xD800...0xDBFF:
        guard position + 7 < end, bytes[position + 6] == UInt8(ascii: "\\"),
          bytes[position + 7] == UInt8(ascii: "u"), let second = hexUnit(at: position + 8),
          (0xDC00...0xDFFF).contains(second)
        else { throw invalid("half a surrogate pair stands alone") }
        position += 12
      case 0xDC00...0xDFFF: throw invalid("half a surrogate pair stands alone")
      default: position += 6
      }
    default: throw invalid("no such escape")
    }
  }

  private borrowing func hexUnit(at start: Int) -> UInt32? {
    guard start + 4 <= end else { return nil }
    var unit: UInt32 = 0
    for index in start..<(start + 4) {
      switch bytes[index] {
      case let byte where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte):
        unit = unit << 4 | UInt32(byte - 0x30)
      case let byte where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte):
        unit = unit << 4 | UInt32(byte - 87)
      case let byte where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(byte):
        unit = unit << 4 | UInt32(byte - 55)
      default: return nil
      }
    }
    return unit
  }

  /// Table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing above U+10FFFF.
  private mutating func checkMultibyte() throws(JSONError) {
    let length: Int
    let second: ClosedRange<UInt8>
    switch bytes[position] {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: throw invalid("not UTF-8")
    }
    guard position + length <= end, second.contains(bytes[position + 1]) else { throw invalid("not UTF-8") }
    for index in (position + 2)..<(position + max(length, 2)) where bytes[index] & 0xC0 != 0x80 {
      throw invalid("not UTF-8")
    }
    position += length
  }

  /// The text of a string that ``stringToken()`` has checked (or of one it stopped in: then as far as it makes sense).
  borrowing func unescape(_ range: Range<Int>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      let byte = bytes[index]
      guard byte == UInt8(ascii: "\\"), index + 1 < range.upperBound else {
        output.append(byte)
        index += 1
        continue
      }
      let escaped = bytes[index + 1]
      index += 2
      switch escaped {
      case UInt8(ascii: "b"): output.append(0x08)
      case UInt8(ascii: "f"): output.append(0x0C)
      case UInt8(ascii: "n"): output.append(0x0A)
      case UInt8(ascii: "r"): output.append(0x0D)
      case UInt8(ascii: "t"): output.append(0x09)
      case UInt8(ascii: "u"):
        var code = hexUnit(at: index) ?? 0xFFFD
        index += 4
        if (0xD800...0xDBFF).contains(code) {
          code = 0x10000 + (code - 0xD800) << 10 + ((hexUnit(at: index + 2) ?? 0xDC00) & 0x3FF)
          index += 6
        }
        output.append(contentsOf: String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8)
      default: output.append(escaped)
      }
    }
    return output
  }
}
