/// A bucket of permits that fills at a steady rate and is taken from by requests.
///
/// It is one number: when it will be full. A bucket that is full says nothing and need not be remembered.
struct TokenBucket: Hashable {
  struct Rule: Hashable, Sendable {
    /// At least 1.
    var perSecond: Int
    /// What a full bucket holds; at least 1.
    var burst: Int

    /// Nanoseconds in which one permit comes back.
    fileprivate var interval: UInt64 { UInt64(1_000_000_000 / max(1, perSecond)) }
    fileprivate var capacity: UInt64 { interval * UInt64(max(1, burst)) }
    /// In which an empty bucket fills; whole seconds, rounded up.
    var window: Int { Int(seconds(capacity)) }
  }

  /// What became of a request for permits.
  struct Grant: Hashable, Sendable {
    var isGranted: Bool
    /// Permits that are left.
    var remaining: Int
    /// Seconds until the bucket is full; rounded up.
    var reset: Int
    /// Seconds until there is room for the same request; 0 where it was granted, else at least 1.
    var retryAfter: Int
  }

  /// On the clock that is given; in the past: it is full.
  private(set) var fullAt: UInt64 = 0

  func isFull(at now: UInt64) -> Bool { fullAt <= now }

  /// Takes permits if there are so many. More than the bucket ever holds are taken for all it holds: else they would
  /// never be granted.
  ///
  /// - Parameters:
  ///   - rule: may be another one each time: an empty bucket is empty by that, too, and fills as that says.
  ///   - now: nanoseconds on a clock that only grows.
  mutating func take(_ permits: Int = 1, by rule: Rule, now: UInt64) -> Grant {
    let cost = min(rule.interval * UInt64(max(0, permits)), rule.capacity)
    let owed = fullAt > now ? min(fullAt - now, rule.capacity) : 0
    let room = rule.capacity - owed
    guard cost <= room else {
      if owed > 0 { fullAt = now + owed }
      return Grant(
        isGranted: false, remaining: Int(room / rule.interval), reset: Int(seconds(owed)),
        retryAfter: max(1, Int(seconds(cost - room))))
    }
    fullAt = now + owed + cost
    return Grant(
      isGranted: true, remaining: Int((room - cost) / rule.interval), reset: Int(seconds(owed + cost)),
      retryAfter: 0)
  }

  /// As ``take(_:by:now:)``, and takes nothing.
  func look(_ permits: Int = 1, by rule: Rule, now: UInt64) -> Grant {
    var copy = self
    return copy.take(permits, by: rule, now: now)
  }
}

private func seconds(_ nanoseconds: UInt64) -> UInt64 { (nanoseconds + 999_999_999) / 1_000_000_000 }
