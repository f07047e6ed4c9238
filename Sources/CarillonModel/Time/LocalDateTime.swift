/// A wall-clock reading without a zone, to the second: seconds from 1970-01-01T00:00 on that wall clock.
///
/// Text form: `2026-12-01T08:00` or `2026-12-01T08:00:30`, no offset.
public struct LocalDateTime: Hashable, Sendable, Comparable {
  public let wallSeconds: Int64

  public init(wallSeconds: Int64) { self.wallSeconds = wallSeconds }

  public static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
    left.wallSeconds < right.wallSeconds
  }
}
