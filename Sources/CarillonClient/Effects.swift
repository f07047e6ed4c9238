import CarillonModel
import Foundation

/// Time, waiting and chance, as the SDK uses them. Tests give their own.
public struct Effects: Sendable {
  /// The device's clock. Information only: it never decides who wins.
  public var now: @Sendable () -> Instant
  /// Waits; throws when the task is cancelled. Seconds.
  public var sleep: @Sendable (Double) async throws -> Void
  /// In 0..<1.
  public var random: @Sendable () -> Double
  /// A new random UUID (version 4).
  public var uuid: @Sendable () -> UUID128

  public init(
    now: @escaping @Sendable () -> Instant, sleep: @escaping @Sendable (Double) async throws -> Void,
    random: @escaping @Sendable () -> Double, uuid: @escaping @Sendable () -> UUID128
  ) {
    self.now = now
    self.sleep = sleep
    self.random = random
    self.uuid = uuid
  }

  /// The system's clock and randomness.
  public static let system = Effects(
    now: { Instant(milliseconds: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down))) },
    sleep: { seconds in try await Task.sleep(for: .seconds(seconds)) },
    random: { Double.random(in: 0..<1) },
    uuid: { .make(random: (.random(in: .min ... .max), .random(in: .min ... .max))) })
}
