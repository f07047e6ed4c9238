extension JSONWriter {
  /// A string with its quotes: runs that need no escape are copied as they are.
  mutating func appendString(_ text: String) {
    var text = text
    bytes.append(UInt8(ascii: "\""))
    text.withUTF8 { source in
      var start = 0
      for index in 0..<source.count {
        let byte = source[index]
        guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[start..<index]))
        appendEscape(byte)
        start = index + 1
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[start...]))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func appendEscape(_ byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0..<0x20:
      bytes.append(contentsOf: [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")])
      bytes.append(byte < 0x10 ? UInt8(ascii: "0") : UInt8(ascii: "1"))
      let digit = byte & 0xF
      bytes.append(digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a"))
    default: bytes.append(byte)
    }
  }

  mutating func appendDecimal(_ value: Int) { bytes.appendDecimal(value) }
}

extension [UInt8] {
  /// A whole number in decimal digits.
  public mutating func appendDecimal(_ value: Int) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var magnitude = value.magnitude
    let start = count
    repeat {
      append(UInt8(truncatingIfNeeded: magnitude % 10) + UInt8(ascii: "0"))
      magnitude /= 10
    } while magnitude > 0
    var (left, right) = (start, count - 1)
    while left < right {
      swapAt(left, right)
      left += 1
      right -= 1
    }
  }
}
