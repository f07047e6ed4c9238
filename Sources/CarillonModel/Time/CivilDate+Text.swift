extension CivilDate {
  /// `2026-12-01`, strictly; the day must exist.
  public init?(_ text: String) {
    let days = text.withBytes { bytes -> Int? in
      var scanner = TimeScanner(bytes)
      guard let days = scanner.date(), scanner.isAtEnd else { return nil }
      return days
    }
    guard let days else { return nil }
    self.init(daysSinceEpoch: days)
  }

  /// `2026-12-01`.
  public var text: String { String(ascii: { $0.append(date: self) }) }

  public func append(to bytes: inout [UInt8]) { bytes.append(date: self) }

  public func adding(days: Int) -> CivilDate { CivilDate(daysSinceEpoch: daysSinceEpoch + days) }
}

extension CivilDate: CustomStringConvertible {
  public var description: String { text }
}

extension Instant {
  /// The day in UTC.
  public var utcDay: CivilDate {
    CivilDate(daysSinceEpoch: Int(floorDivide(milliseconds, by: 86_400_000).quotient))
  }
}

extension CivilDate {
  /// Its first instant in UTC.
  public var startInUTC: Instant { Instant(seconds: Int64(daysSinceEpoch) * 86_400) }
}
