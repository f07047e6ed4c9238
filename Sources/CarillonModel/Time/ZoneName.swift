/// What a zone's name looks like. An offset is not a zone: it does not know when its clocks change.
public enum ZoneName {
  public static let longest = 64

  public enum Shape: Hashable, Sendable {
    /// As in `Europe/Madrid`, `UTC`, `GMT`.
    case name
    /// `Etc/GMT+2` and the like: in the IANA data, and yet an offset.
    case offsetArea
    /// `+02:00`, `GMT+2`, `UTC+1`, `GMT+0200`.
    case fixedOffset
    /// No name at all.
    case invalid
  }

  public static func shape(of name: String) -> Shape {
    name.withBytes { bytes in
      guard isPathOfNames(bytes) else { return isOffset(bytes[...]) ? .fixedOffset : .invalid }
      if bytes.starts(with: "Etc/".utf8), isOffset(bytes[4...]) { return .offsetArea }
      if isOffset(bytes[...]) { return .fixedOffset }
      return isLetter(bytes[0]) ? .name : .invalid
    }
  }

  /// Parts between slashes, none of them empty.
  private static func isPathOfNames(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard (1...longest).contains(bytes.count) else { return false }
    var previous = UInt8(ascii: "/")
    for byte in bytes {
      guard isAllowed(byte), byte != UInt8(ascii: "/") || previous != byte else { return false }
      previous = byte
    }
    return previous != UInt8(ascii: "/")
  }

  /// An optional `GMT`, `UTC` or `UT`, a sign, and digits or colons; `Z`.
  private static func isOffset(_ bytes: Slice<UnsafeRawBufferPointer>) -> Bool {
    if bytes.count == 1, bytes.first == UInt8(ascii: "Z") { return true }
    guard let first = bytes.first,
      !(isLetter(first) && first != UInt8(ascii: "G") && first != UInt8(ascii: "U"))
    else {
      return false
    }
    var rest = bytes
    for prefix: StaticString in ["GMT", "UTC", "UT"] {
      let prefix = UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount)
      if rest.starts(with: prefix) {
        rest = rest.dropFirst(prefix.count)
        break
      }
    }
    guard let sign = rest.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return false }
    rest = rest.dropFirst()
    return !rest.isEmpty && rest.allSatisfy { isDigit($0) || $0 == UInt8(ascii: ":") }
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    if isLetter(byte) || isDigit(byte) { return true }
    // No dots: a name becomes a path.
    return byte == UInt8(ascii: "/") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "+")
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
