import CarillonModel
import CarillonStore

/// The limits of the tenants that were heard of lately. Confined to its loop.
final class LimitBook {
  /// Less than a second, as with keys.
  static let nanosecondsTrusted: UInt64 = 900_000_000
  /// More tenants than this on one loop, and the memory starts afresh.
  static let mostTenants = 100_000

  private let store: Store
  private var records: [TenantID: (limits: TenantLimits, readAt: UInt64)] = [:]

  init(store: Store) { self.store = store }

  /// - Parameter monotonic: nanoseconds.
  func limits(of tenant: TenantID, at monotonic: UInt64) async throws(StoreError) -> TenantLimits {
    if let known = known(of: tenant, at: monotonic) { return known }
    // A tenant that is gone is refused elsewhere.
    let limits = try await store.limits(tenant: tenant) ?? TenantLimits()
    if records.count >= Self.mostTenants { records.removeAll() }
    records[tenant] = (limits, monotonic)
    return limits
  }

  /// Without asking the database.
  func known(of tenant: TenantID, at monotonic: UInt64) -> TenantLimits? {
    guard let (limits, readAt) = records[tenant], monotonic < readAt + Self.nanosecondsTrusted else {
      return nil
    }
    return limits
  }
}
