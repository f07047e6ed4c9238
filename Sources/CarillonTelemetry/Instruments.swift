import Synchronization

/// Counts events since the start; only grows. From any thread, without a lock.
public final class Counter: Sendable {
  private let count = Atomic<UInt64>(0)

  public init() {}

  public func add(_ amount: UInt64 = 1) { count.wrappingAdd(amount, ordering: .relaxed) }

  public var value: UInt64 { count.load(ordering: .relaxed) }
}

/// A level that goes up and down. From any thread, without a lock.
public final class Gauge: Sendable {
  private let level = Atomic<Int>(0)

  public init() {}

  public func set(_ value: Int) { level.store(value, ordering: .relaxed) }
  public func add(_ amount: Int) { level.wrappingAdd(amount, ordering: .relaxed) }

  public var value: Int { level.load(ordering: .relaxed) }
}

/// How often a measured value fell at or below each of some bounds. From any thread, without a lock.
///
/// While others observe, a reading may be short of the newest ones; it is never torn within one bucket.
public final class Histogram: Sendable {
  /// Seconds: from a steady sync on a fast machine to a client's time-out.
  public static let requestSeconds = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
  ]

  /// Upper bounds, ascending; a last one, infinite, is implied.
  public let bounds: [Double]
  private let buckets: [Counter]
  /// A `Double` by its bits.
  private let total = Atomic<UInt64>(0)

  public init(bounds: [Double]) {
    precondition(!bounds.isEmpty && zip(bounds, bounds.dropFirst()).allSatisfy(<), "bounds ascend")
    self.bounds = bounds
    buckets = (0...bounds.count).map { _ in Counter() }
  }

  public func observe(_ value: Double) {
    buckets[bounds.firstIndex { value <= $0 } ?? bounds.count].add()
    var seen = total.load(ordering: .relaxed)
    while true {
      let sum = (Double(bitPattern: seen) + value).bitPattern
      let attempt = total.weakCompareExchange(expected: seen, desired: sum, ordering: .relaxed)
      if attempt.exchanged { return }
      seen = attempt.original
    }
  }

  /// One more than there are bounds; not cumulative.
  public var counts: [UInt64] { buckets.map(\.value) }
  public var sum: Double { Double(bitPattern: total.load(ordering: .relaxed)) }
}
