import CarillonModel

/// The clock that decides what has been kept for long enough; each tenant has one, in the database.
///
/// It follows the server's, but no faster than a day an hour: a server whose clock is years ahead would else take
/// everything for old that anybody has. How much time has passed is known from the server's clock alone, so only a
/// time that a clock which runs can have run through counts: one that has jumped moves nothing, and begins to
/// move this clock an hour later.
public struct RetentionClock: Hashable, Sendable {
  /// Looked at again after so long.
  public static let millisecondsBetweenMoves: Int64 = 3_600_000
  /// More at once is a jump: of a clock that was set, or of a server that stood still.
  public static let mostMillisecondsCounted: Int64 = 26 * 3_600_000
  /// How much faster than time it may go.
  public static let mostSpeed: Int64 = 24

  public private(set) var at: Instant
  /// What the server's clock said when this one was last moved.
  public private(set) var movedAt: Instant

  public init(at: Instant, movedAt: Instant) {
    self.at = at
    self.movedAt = movedAt
  }

  /// What ages are to be reckoned from.
  public func time(at now: Instant) -> Instant { min(now, at) }

  /// How it stands afterwards; nil: it is not time yet.
  public func moved(now: Instant) -> RetentionClock? {
    let passed = now.milliseconds - movedAt.milliseconds
    guard abs(passed) >= Self.millisecondsBetweenMoves else { return nil }
    let counted = (0...Self.mostMillisecondsCounted).contains(passed) ? passed : 0
    let reach = counted * Self.mostSpeed
    let distance = min(max(now.milliseconds - at.milliseconds, -reach), reach)
    return RetentionClock(at: Instant(milliseconds: at.milliseconds + distance), movedAt: now)
  }
}

/// What a server must know of a tenant to serve it.
public struct TenantTerms: Hashable, Sendable {
  public var limits: TenantLimits
  public var retention: RetentionClock

  public init(limits: TenantLimits, retention: RetentionClock) {
    self.limits = limits
    self.retention = retention
  }
}
