/// The buckets of those who were heard of lately.
///
/// Two generations: when the younger one is full it becomes the older, and who was not heard of since the change before
/// is forgotten. So there are never more than ``capacity``, and the longest unused go first.
struct BucketTable<Key: Hashable> {
  let capacity: Int
  private var young: [Key: TokenBucket] = [:]
  private var old: [Key: TokenBucket] = [:]
  /// A request is counted when it is known whose it is, by the time at which it began: one that has waited for that may
  /// come behind one that began later, and must not find in the bucket what that one has yet to give back.
  private var latest: UInt64 = 0

  /// - Parameter capacity: at least 2.
  init(capacity: Int) {
    precondition(capacity >= 2, "a table of two generations has two places")
    self.capacity = capacity
  }

  var count: Int { young.count + old.count }

  mutating func take(_ permits: Int = 1, of key: Key, by rule: TokenBucket.Rule, now: UInt64)
    -> TokenBucket.Grant
  {
    latest = max(latest, now)
    if var bucket = young[key] {
      let grant = bucket.take(permits, by: rule, now: latest)
      young[key] = bucket
      return grant
    }
    var bucket = old.removeValue(forKey: key) ?? TokenBucket()
    let grant = bucket.take(permits, by: rule, now: latest)
    if young.count >= capacity / 2 {
      old = young
      young = [:]
    }
    young[key] = bucket
    return grant
  }

  /// As ``take(_:of:by:now:)``, and takes nothing.
  mutating func look(_ permits: Int = 1, at key: Key, by rule: TokenBucket.Rule, now: UInt64)
    -> TokenBucket.Grant
  {
    let grant = (young[key] ?? old[key] ?? TokenBucket()).look(permits, by: rule, now: max(latest, now))
    // What is refused takes nothing, and leaves the bucket as the rule has it.
    return grant.isGranted ? grant : take(permits, of: key, by: rule, now: now)
  }
}
