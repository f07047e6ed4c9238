import CarillonModel
import CarillonStore

/// Forgets what was kept long enough. Each device and each inbox does so itself when it is written to; of those that are
/// not written to any more this takes the place.
///
/// A round goes through all tenants, a bounded part of one at a time, each device and each inbox in a transaction of its
/// own. Begun anew after it was killed it does the rest; two at once do each other no harm. What is old is told by the
/// tenant's ``RetentionClock``, which a round moves.
public final class Retention {
  /// Devices that one statement looks at.
  public static let devicesPerPart = 500
  /// Items of inboxes that one statement looks at, about.
  public static let itemsPerPart = 5_000
  /// Counters that one statement takes away.
  public static let countsPerPart = 5_000
  /// Answers to idempotency keys that one statement takes away.
  public static let answersPerPart = 1_000
  /// Versions of a policy that are kept, the newest.
  public static let policyVersionsKept = 1_000
  /// As long as occurrences are remembered.
  static let evictionDaysKept = 90

  private let store: RetentionStore
  private let now: () -> Instant

  public init(store: RetentionStore, now: @escaping () -> Instant) {
    self.store = store
    self.now = now
  }

  /// What a round took away.
  public struct Outcome: Hashable, Sendable {
    /// Rows by the table they stood in.
    public var rows: [RetentionTable: Int] = [:]
    /// Devices, inboxes and tenants that could not be tidied up this time.
    public var failures = 0
    /// The round went to its end.
    public var isComplete = false

    mutating func note(_ table: RetentionTable, _ count: Int) { rows[table, default: 0] += count }
  }

  /// One round. Throws when the database cannot be reached; what went until then stays gone.
  ///
  /// - Parameter isStopped: asked between statements.
  public func run(isStopped: () -> Bool = { false }) async throws(ServiceError) -> Outcome {
    var outcome = Outcome()
    var last: TenantID?
    while !isStopped() {
      guard
        let tenant = try await storing({ () async throws(StoreError) in try await store.tenant(after: last) })
      else {
        outcome.isComplete = true
        return outcome
      }
      last = tenant
      try await tidyUp(tenant, &outcome, isStopped)
    }
    return outcome
  }

  private func tidyUp(
    _ tenant: TenantID, _ outcome: inout Outcome, _ isStopped: () -> Bool
  ) async throws(ServiceError) {
    let now = now()
    var known: TenantTerms?
    try await attempt(&outcome) { _ throws(StoreError) in
      known = try await store.terms(tenant: tenant, now: now)
    }
    // Deleted meanwhile.
    guard let terms = known else { return }
    let time = terms.retention.time(at: now)
    // One tenant's trouble is not another's: what cannot be done now waits for the next round.
    try await attempt(&outcome) { outcome throws(StoreError) in
      try await devices(of: tenant, at: time, &outcome, isStopped)
    }
    try await attempt(&outcome) { outcome throws(StoreError) in
      try await inboxes(
        of: tenant, dueBy: time.adding(seconds: -Int64(terms.limits[.inboxDays]) * 86_400), &outcome,
        isStopped)
    }
    try await attempt(&outcome) { outcome throws(StoreError) in
      try await answers(of: tenant, at: time, &outcome, isStopped)
    }
    try await attempt(&outcome) { outcome throws(StoreError) in
      outcome.note(
        .policies, try await store.purgePolicies(tenant: tenant, keeping: Self.policyVersionsKept))
    }
    try await attempt(&outcome) { outcome throws(StoreError) in
      try await days(of: tenant, at: time, &outcome, isStopped)
    }
  }

  /// Runs `body`; counts what the database refuses, and throws what says that it is away.
  private func attempt(
    _ outcome: inout Outcome, _ body: (inout Outcome) async throws(StoreError) -> Void
  ) async throws(ServiceError) {
    do throws(StoreError) {
      try await body(&outcome)
    } catch {
      guard error.isRefusal else { throw .store(error) }
      outcome.failures += 1
    }
  }

  private func devices(
    of tenant: TenantID, at now: Instant, _ outcome: inout Outcome, _ isStopped: () -> Bool
  ) async throws(StoreError) {
    let periods = RetentionPeriods(
      eventsFrom: now.adding(seconds: -DeviceEvent.secondsIdsAreKept),
      deliveriesFrom: now.adding(seconds: -DeviceHistory.secondsDeliveriesAreKept),
      evictionsFrom: now.utcDay.adding(days: -Self.evictionDaysKept))
    var next: DeviceID? = DeviceID(UUID128(high: 0, low: 0))
    while let first = next, !isStopped() {
      let part = try await store.devices(
        tenant: tenant, from: first, limit: Self.devicesPerPart, keeping: periods)
      for device in part.found where !isStopped() {
        do throws(StoreError) {
          let gone = try await store.purge(device: device, tenant: tenant, keeping: periods)
          outcome.note(.deviceEvents, gone.events)
          outcome.note(.deliveries, gone.deliveries)
          outcome.note(.deviceEvictions, gone.evictions)
        } catch {
          try Self.passOver(error, &outcome)
        }
      }
      next = part.next
    }
  }

  private func inboxes(
    of tenant: TenantID, dueBy end: Instant, _ outcome: inout Outcome, _ isStopped: () -> Bool
  ) async throws(StoreError) {
    var next: UUID128? = UUID128(high: 0, low: 0)
    while let first = next, !isStopped() {
      let part = try await store.inboxes(tenant: tenant, from: first, limit: Self.itemsPerPart, dueBy: end)
      for inbox in part.found where !isStopped() {
        do throws(StoreError) {
          outcome.note(.inboxItems, try await store.purge(inbox: inbox, tenant: tenant, dueBy: end))
        } catch {
          try Self.passOver(error, &outcome)
        }
      }
      next = part.next
    }
  }

  private func answers(
    of tenant: TenantID, at now: Instant, _ outcome: inout Outcome, _ isStopped: () -> Bool
  ) async throws(StoreError) {
    var isOver = false
    while !isOver, !isStopped() {
      let gone = try await store.purgeAnswers(tenant: tenant, limit: Self.answersPerPart, now: now)
      outcome.note(.deviceIdempotencyKeys, gone.ofDevices)
      outcome.note(.tenantIdempotencyKeys, gone.ofTenant)
      isOver = max(gone.ofDevices, gone.ofTenant) < Self.answersPerPart
    }
  }

  private func days(
    of tenant: TenantID, at now: Instant, _ outcome: inout Outcome, _ isStopped: () -> Bool
  ) async throws(StoreError) {
    let first = now.utcDay.adding(days: -ReportLimits.daysKept)
    var count = Self.countsPerPart
    while count == Self.countsPerPart, !isStopped() {
      count = try await store.purgeCounts(before: first, tenant: tenant, limit: Self.countsPerPart)
      outcome.note(.reportCounts, count)
    }
    outcome.note(.reportDays, try await store.purgeDays(before: first, tenant: tenant))
  }

  /// A deadlock or a lock that took too long: the writer that was in the way comes first.
  private static func passOver(_ error: StoreError, _ outcome: inout Outcome) throws(StoreError) {
    guard error.isRefusal else { throw error }
    outcome.failures += 1
  }
}

/// Where rows go when they are old. The raw value is the table's name.
public enum RetentionTable: String, Hashable, Sendable, CaseIterable {
  case deliveries
  case deviceEvents = "device_events"
  case deviceEvictions = "device_evictions"
  case deviceIdempotencyKeys = "device_idempotency_keys"
  case inboxItems = "inbox_items"
  case policies
  case reportCounts = "report_counts"
  case reportDays = "report_days"
  case tenantIdempotencyKeys = "tenant_idempotency_keys"
}
