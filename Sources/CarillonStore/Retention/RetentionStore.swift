import CarillonModel
import CarillonPostgres

/// Finding and forgetting what was kept long enough and what nobody else comes by to forget: as `carillon_worker`, tenant
/// by tenant, a bounded part at a time. Confined to the loop of its pool.
public final class RetentionStore {
  private let store: Store

  /// - Parameter store: over a pool that connects as `carillon_worker`.
  public init(_ store: Store) { self.store = store }

  /// The tenant after another one; nil for the first, and nil when there are no more.
  public func tenant(after tenant: TenantID?) async throws(StoreError) -> TenantID? {
    let query = Query<TenantID?>.retentionTenant(after: tenant)
    let work = Work(scope: nil, order: Work.Order(high: 0, low: 0), statements: [query.statement])
    return try query.read(try await store.run(work)[0])
  }

  /// See ``Store/terms(tenant:now:)``.
  public func terms(tenant: TenantID, now: Instant) async throws(StoreError) -> TenantTerms? {
    try await store.terms(tenant: tenant, now: now)
  }

  /// Of `limit` devices from `first` on those that keep something for too long, and where the next part begins; nil:
  /// there are no more.
  public func devices(
    tenant: TenantID, from first: DeviceID, limit: Int, keeping periods: RetentionPeriods
  ) async throws(StoreError) -> (found: [DeviceID], next: DeviceID?) {
    let next = try await store.run(.reportBound(tenant: tenant, from: first, limit: limit), tenant: tenant)
    let found = try await store.run(
      .retentionDevices(tenant: tenant, from: first, before: next, keeping: periods), tenant: tenant)
    return (found, next)
  }

  public func purge(
    device: DeviceID, tenant: TenantID, keeping periods: RetentionPeriods
  ) async throws(StoreError) -> DevicePurge {
    try await store.run(
      .retentionDevice(tenant: tenant, device: device, keeping: periods), tenant: tenant, device: device)
  }

  /// Of the inboxes of about `limit` items from `first` on those that hold what came due by `end`, and where the next
  /// part begins; nil: there are no more.
  public func inboxes(
    tenant: TenantID, from first: UUID128, limit: Int, dueBy end: Instant
  ) async throws(StoreError) -> (found: [UUID128], next: UUID128?) {
    let next = try await store.run(
      .retentionInboxBound(tenant: tenant, after: first, limit: limit), tenant: tenant)
    let found = try await store.run(
      .retentionInboxes(tenant: tenant, from: first, before: next, dueBy: end), tenant: tenant)
    return (found, next)
  }

  /// How many items went.
  public func purge(inbox: UUID128, tenant: TenantID, dueBy end: Instant) async throws(StoreError) -> Int {
    try await store.run(.retentionInbox(tenant: tenant, inbox: inbox, dueBy: end), tenant: tenant)
  }

  /// Forgets some answers that are too old to be given again; answers how many, of devices and of the tenant, less than
  /// `limit` where those were the last.
  public func purgeAnswers(
    tenant: TenantID, limit: Int, now: Instant
  ) async throws(StoreError) -> (ofDevices: Int, ofTenant: Int) {
    try await store.purgeAnswers(tenant: tenant, limit: limit, now: now)
  }

  /// Leaves the newest versions; answers how many went.
  public func purgePolicies(tenant: TenantID, keeping versions: Int) async throws(StoreError) -> Int {
    try await store.run(.retentionPolicies(tenant: tenant, keeping: versions), tenant: tenant)
  }

  /// Forgets some counters of days before one; answers how many, less than `limit` when those were the last.
  public func purgeCounts(before day: CivilDate, tenant: TenantID, limit: Int) async throws(StoreError) -> Int
  {
    try await store.run(.retentionCounts(before: day, tenant: tenant, limit: limit), tenant: tenant)
  }

  /// Forgets which days before one were counted; answers how many.
  public func purgeDays(before day: CivilDate, tenant: TenantID) async throws(StoreError) -> Int {
    try await store.run(.retentionDays(before: day, tenant: tenant), tenant: tenant)
  }
}

/// How far back devices remember, as their own syncs keep it.
public struct RetentionPeriods: Hashable, Sendable {
  public var eventsFrom: Instant
  public var deliveriesFrom: Instant
  public var evictionsFrom: CivilDate

  public init(eventsFrom: Instant, deliveriesFrom: Instant, evictionsFrom: CivilDate) {
    self.eventsFrom = eventsFrom
    self.deliveriesFrom = deliveriesFrom
    self.evictionsFrom = evictionsFrom
  }
}

/// How many rows of a device went.
public struct DevicePurge: Hashable, Sendable {
  public var events: Int
  public var deliveries: Int
  public var evictions: Int
}
