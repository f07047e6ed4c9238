import CarillonModel
import Synchronization

/// How many devices tenants have, as far as one server knows: counted now and then, and what it made itself since.
///
/// A count goes over all of a tenant's devices, so no request waits for one: until the first has come in a tenant may
/// have more. So the quota holds to within what is made in the time of a count.
final class DeviceCounts: Sendable {
  /// Far from its quota a tenant is counted this often, near to it that often. Nanoseconds.
  static let restFarOff: UInt64 = 600_000_000_000
  static let restNearBy: UInt64 = 5_000_000_000
  /// More tenants than this that make devices, and the memory starts afresh.
  static let mostTenants = 100_000

  private struct Count {
    var known: Int?
    /// Since the last count began.
    var made = 0
    /// Of them, those made since the one that runs now began.
    var madeWhileCounting = 0
    var countedAt: UInt64 = 0
    var isCounting = false
  }

  private let counts = Mutex<[TenantID: Count]>([:])

  /// Whether a tenant may have one more device; it is counted as made. And whether to count: then call ``note`` with
  /// what there are.
  func admit(_ tenant: TenantID, most: Int, now: UInt64) -> (isAdmitted: Bool, mustCount: Bool) {
    counts.withLock { counts in
      if counts.count >= Self.mostTenants, counts[tenant] == nil { counts = [:] }
      var count = counts[tenant] ?? Count()
      defer { counts[tenant] = count }
      let there = (count.known ?? 0) + count.made
      let isNear = there >= most / 10 * 9
      let rest = isNear ? Self.restNearBy : Self.restFarOff
      let mustCount = !count.isCounting && (count.known == nil || now >= count.countedAt + rest)
      if mustCount {
        count.isCounting = true
        count.madeWhileCounting = 0
      }
      guard there < most else { return (false, mustCount) }
      count.made += 1
      count.madeWhileCounting += 1
      return (true, mustCount)
    }
  }

  /// - Parameter count: nil: it could not be found out.
  func note(_ count: Int?, of tenant: TenantID, now: UInt64) {
    counts.withLock { counts in
      guard var known = counts[tenant] else { return }
      known.isCounting = false
      if let count {
        known.known = count
        known.made = known.madeWhileCounting
        known.countedAt = now
      }
      counts[tenant] = known
    }
  }
}
