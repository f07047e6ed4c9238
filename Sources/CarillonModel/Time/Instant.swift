/// A point in time: milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
///
/// Text form: RFC 3339 with an offset; output in UTC with `Z`, with milliseconds only when they are not zero.
public struct Instant: Hashable, Sendable, Comparable {
  public let milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }
  public init(seconds: Int64) { self.milliseconds = seconds * 1000 }

  /// Whole seconds, rounded down.
  public var seconds: Int64 { milliseconds >= 0 ? milliseconds / 1000 : (milliseconds + 1) / 1000 - 1 }

  public static func < (left: Instant, right: Instant) -> Bool { left.milliseconds < right.milliseconds }

  /// - Parameter seconds: may be negative.
  public func adding(seconds: Int64) -> Instant { Instant(milliseconds: milliseconds + seconds * 1000) }
}
