import CLinux
import CarillonModel

/// Where the server gets its time from: a parameter, so that tests can have another.
public struct ServerClock: Sendable {
  /// The time of day, for everything that is stored or answered.
  public var now: @Sendable () -> Instant
  /// Nanoseconds that only ever grow, for ages and durations.
  public var monotonic: @Sendable () -> UInt64

  public init(now: @escaping @Sendable () -> Instant, monotonic: @escaping @Sendable () -> UInt64) {
    self.now = now
    self.monotonic = monotonic
  }

  public static let system = ServerClock(
    now: { Instant(milliseconds: clinux_realtime_milliseconds()) },
    monotonic: { clinux_monotonic_nanoseconds() })
}
