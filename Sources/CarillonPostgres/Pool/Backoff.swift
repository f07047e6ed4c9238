/// How long to wait before the next attempt to connect: doubled with each failure up to a cap, and spread by
/// half, so that many processes do not come back in one instant.
struct Backoff {
  static let first = Duration.milliseconds(50)
  static let cap = Duration.seconds(2)

  /// - Parameters:
  ///   - failures: attempts in a row that failed, at least 1.
  ///   - random: any number.
  static func delay(afterFailures failures: Int, random: UInt64) -> Duration {
    let doublings = min(max(0, failures - 1), 16)
    let full = min(cap, first * (1 << doublings))
    return full / 2 + full / 2 * Double(random >> 11) / Double(1 << 53)
  }
}
