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
    let bytes = Array(name.utf8)
    guard (1...longest).contains(bytes.count), bytes.allSatisfy(isAllowed), !name.contains("//"),
      bytes.first != UInt8(ascii: "/"), bytes.last != UInt8(ascii: "/")
    else { return isOffset(bytes) ? .fixedOffset : .invalid }
    if name.hasPrefix("Etc/"), isOffset(Array(bytes.dropFirst(4))) { return .offsetArea }
    if isOffset(bytes) { return .fixedOffset }
    guard let first = bytes.first, isLetter(first) else { return .invalid }
    return .name
  }

  /// An optional `GMT`, `UTC` or `UT`, a sign, and digits or colons; `Z`.
  private static func isOffset(_ bytes: [UInt8]) -> Bool {
    if bytes == [UInt8(ascii: "Z")] { return true }
    var rest = bytes[...]
    for prefix in ["GMT", "UTC", "UT"] where rest.starts(with: prefix.utf8) {
      rest = rest.dropFirst(prefix.utf8.count)
      break
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
