extension Instant {
  /// What a trigger may name: years 2000...2199, in UTC.
  public static let triggerRange =
    Instant(
      seconds: 946_684_800)..<Instant(
      seconds: Int64(CivilDate(year: 2200, month: 1, day: 1).daysSinceEpoch) * 86_400)

  /// RFC 3339, strictly: `2026-12-01T08:00:00Z`, `2026-12-01T09:00:00.5+01:00`. An offset is needed; the day must
  /// exist; second 60 is refused; of a fraction (at most nine digits) the milliseconds are kept.
  public init?(_ text: String) {
    guard let instant = text.withBytes({ Instant(parsing: $0) }) else { return nil }
    self = instant
  }

  public init?(parsing bytes: UnsafeRawBufferPointer) {
    var scanner = TimeScanner(bytes)
    guard let days = scanner.date(), scanner.skip("T") || scanner.skip("t"),
      let hour = scanner.field(0...23), scanner.skip(":"), let minute = scanner.field(0...59),
      scanner.skip(":"),
      let second = scanner.field(0...59), let fraction = scanner.milliseconds(),
      let offset = scanner.offset(),
      scanner.isAtEnd
    else { return nil }
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    self.init(milliseconds: Int64(seconds) * 1000 + Int64(fraction))
  }

  /// RFC 3339 in UTC with `Z`, with milliseconds only when they are not zero.
  public var text: String { String(ascii: { append(to: &$0) }) }

  public func append(to bytes: inout [UInt8]) {
    let (seconds, fraction) = floorDivide(milliseconds, by: 1000)
    let (days, secondOfDay) = floorDivide(seconds, by: 86_400)
    bytes.append(date: CivilDate(daysSinceEpoch: Int(days)))
    bytes.append(UInt8(ascii: "T"))
    bytes.append(Int(secondOfDay) / 3600, digits: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(Int(secondOfDay) / 60 % 60, digits: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(Int(secondOfDay) % 60, digits: 2)
    if fraction != 0 {
      bytes.append(UInt8(ascii: "."))
      bytes.append(Int(fraction), digits: 3)
    }
    bytes.append(UInt8(ascii: "Z"))
  }
}

extension Instant: CustomStringConvertible {
  public var description: String { text }
}
