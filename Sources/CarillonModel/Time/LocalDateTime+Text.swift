extension LocalDateTime {
  /// What a trigger may name: years 2000...2199.
  public static let triggerYears = 2000...2199

  public init(date: CivilDate, secondOfDay: Int = 0) {
    self.init(wallSeconds: Int64(date.daysSinceEpoch) * 86_400 + Int64(secondOfDay))
  }

  public init(date: CivilDate, hour: Int, minute: Int, second: Int = 0) {
    self.init(date: date, secondOfDay: hour * 3600 + minute * 60 + second)
  }

  public var daysSinceEpoch: Int { Int(floorDivide(wallSeconds, by: 86_400).quotient) }
  public var secondOfDay: Int { Int(floorDivide(wallSeconds, by: 86_400).remainder) }
  public var date: CivilDate { CivilDate(daysSinceEpoch: daysSinceEpoch) }

  /// `2026-12-01T08:00` or `2026-12-01T08:00:30`; an offset is refused.
  public init?(_ text: String) {
    guard let time = text.withBytes({ LocalDateTime(parsing: $0) }) else { return nil }
    self = time
  }

  public init?(parsing bytes: UnsafeRawBufferPointer) {
    var scanner = TimeScanner(bytes)
    guard let days = scanner.date(), scanner.skip("T"), let hour = scanner.field(0...23), scanner.skip(":"),
      let minute = scanner.field(0...59)
    else { return nil }
    var second = 0
    if scanner.skip(":") {
      guard let value = scanner.field(0...59) else { return nil }
      second = value
    }
    guard scanner.isAtEnd else { return nil }
    self.init(wallSeconds: Int64(days * 86_400 + hour * 3600 + minute * 60 + second))
  }

  /// Seconds only when they are not zero.
  public var text: String { String(ascii: { append(to: &$0) }) }

  public func append(to bytes: inout [UInt8]) {
    let second = secondOfDay
    bytes.append(date: date)
    bytes.append(UInt8(ascii: "T"))
    bytes.append(second / 3600, digits: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(second / 60 % 60, digits: 2)
    if second % 60 != 0 {
      bytes.append(UInt8(ascii: ":"))
      bytes.append(second % 60, digits: 2)
    }
  }
}

extension LocalDateTime: CustomStringConvertible {
  public var description: String { text }
}

extension LocalBound {
  /// `2026-12-01`, or a ``LocalDateTime``.
  public init?(parsing bytes: UnsafeRawBufferPointer) {
    if bytes.count == 10 {
      var scanner = TimeScanner(bytes)
      guard let days = scanner.date() else { return nil }
      self = .date(LocalDateTime(wallSeconds: Int64(days) * 86_400))
    } else {
      guard let time = LocalDateTime(parsing: bytes) else { return nil }
      self = .dateTime(time)
    }
  }

  public init?(_ text: String) {
    guard let bound = text.withBytes({ LocalBound(parsing: $0) }) else { return nil }
    self = bound
  }

  /// The wall time it means: a date's first second.
  public var wallTime: LocalDateTime {
    switch self {
    case .date(let time), .dateTime(let time): time
    }
  }

  public var text: String { String(ascii: { append(to: &$0) }) }

  public func append(to bytes: inout [UInt8]) {
    switch self {
    case .date(let time): bytes.append(date: time.date)
    case .dateTime(let time): time.append(to: &bytes)
    }
  }
}
