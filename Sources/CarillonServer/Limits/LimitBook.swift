import CarillonModel
import CarillonStore

/// The terms of the tenants that were heard of lately. Confined to its loop.
final class LimitBook {
  /// Less than a second, as with keys.
  static let nanosecondsTrusted: UInt64 = 900_000_000
  /// More tenants than this on one loop, and the memory starts afresh.
  static let mostTenants = 100_000

  private let store: Store
  private var records: [TenantID: (terms: TenantTerms, readAt: UInt64)] = [:]

  init(store: Store) { self.store = store }

  /// - Parameters:
  ///   - monotonic: nanoseconds.
  ///   - now: by which the clock of what is kept is moved, once an hour.
  func terms(of tenant: TenantID, at monotonic: UInt64, now: Instant) async throws(StoreError) -> TenantTerms
  {
    if let known = known(of: tenant, at: monotonic), known.retention.moved(now: now) == nil { return known }
    // A tenant that is gone is refused elsewhere.
    let terms =
      try await store.terms(tenant: tenant, now: now)
      ?? TenantTerms(limits: TenantLimits(), retention: RetentionClock(at: now, movedAt: now))
    if records.count >= Self.mostTenants { records.removeAll() }
    records[tenant] = (terms, monotonic)
    return terms
  }

  /// Without asking the database.
  func known(of tenant: TenantID, at monotonic: UInt64) -> TenantTerms? {
    guard let (terms, readAt) = records[tenant], monotonic < readAt + Self.nanosecondsTrusted else {
      return nil
    }
    return terms
  }
}
