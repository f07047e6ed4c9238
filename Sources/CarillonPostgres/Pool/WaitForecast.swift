/// How long a work that arrives now will wait before it is sent, from how long batches took lately. A value without a
/// clock.
struct WaitForecast {
  /// A new batch counts so much, those before it the rest.
  private static var weight: Double { 1 / 8 }

  private let worksPerBatch: Int
  /// When the batch of each connection was sent.
  private var sentAt: [Duration]
  /// Seconds; 0 before the first batch.
  private var secondsOfBatch = 0.0

  init(limits: PostgresPool.Limits) {
    worksPerBatch = limits.worksPerBatch
    sentAt = Array(repeating: .zero, count: limits.connections)
  }

  mutating func didSend(_ slot: Int, now: Duration) { sentAt[slot] = now }

  mutating func didCommit(_ slot: Int, now: Duration) {
    let seconds = (now - sentAt[slot]) / .seconds(1)
    secondsOfBatch += (seconds - secondsOfBatch) * (secondsOfBatch == 0 ? 1 : Self.weight)
  }

  /// - Parameter ahead: works that are sent before it.
  func wait(ahead: Int) -> Duration {
    .seconds(Double(ahead) / Double(worksPerBatch * sentAt.count) * secondsOfBatch)
  }

  /// What fits into the next batches is never too much, however long one of them took.
  func isTooLong(ahead: Int, limit: Duration) -> Bool {
    ahead >= 2 * worksPerBatch * sentAt.count && wait(ahead: ahead) > limit
  }
}
