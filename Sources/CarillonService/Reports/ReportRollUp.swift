import CarillonModel
import CarillonStore

/// Counts days: what the devices of a tenant remember of a day becomes a few rows in which no device is to be found.
///
/// A day is counted in parts of a bounded number of devices, and published at the end in one transaction. Who counts
/// holds the day for ``secondsHeld`` at a time; of two who want it the second goes on to another one. Counting again
/// gives the same, and so does starting over after whoever counted was killed.
public final class ReportRollUp {
  /// Devices that one statement looks at.
  public static let devicesPerPart = 2_000
  /// Longer than a part can take: statements of the server end before.
  public static let secondsHeld: Int64 = 60

  private let store: ReportStore
  private let now: () -> Instant
  private let holder: UUID128

  /// - Parameters:
  ///   - now: the time of day, asked as it goes on.
  ///   - holder: unlike that of any other.
  public init(store: ReportStore, holder: UUID128, now: @escaping () -> Instant) {
    self.store = store
    self.holder = holder
    self.now = now
  }

  public struct Outcome: Hashable, Sendable {
    public var days: [CivilDate] = []
    /// Rows of counters that the days came to.
    public var rows = 0
    /// Others were at it, or whoever asked stopped it: there may be more to count.
    public var isComplete = true
  }

  /// Counts all days of a tenant that are due, the earliest first.
  ///
  /// - Parameter isStopped: asked between parts.
  public func run(
    tenant: TenantID, isStopped: () -> Bool = { false }
  ) async throws(ServiceError) -> Outcome {
    let today = now().utcDay
    try await storing { () async throws(StoreError) in
      try await store.openDays(
        tenant: tenant, first: today.adding(days: -ReportLimits.daysCaughtUp), last: today.adding(days: -1))
    }
    var outcome = Outcome()
    while !isStopped() {
      guard let hold = try await claim(nil, tenant: tenant) else {
        try await storing { () async throws(StoreError) in
          if let time = try await store.retentionTime(tenant: tenant, now: now()) {
            try await store.forget(
              before: time.utcDay.adding(days: -ReportLimits.daysKept), tenant: tenant)
          }
          outcome.isComplete = try await store.heldDays(tenant: tenant, now: now()) == 0
        }
        return outcome
      }
      guard let rows = try await count(hold, isStopped: isStopped) else { continue }
      outcome.days.append(hold.day)
      outcome.rows += rows
    }
    outcome.isComplete = false
    return outcome
  }

  /// Counts one day, due or not; false: somebody else is at it.
  public func count(_ day: CivilDate, tenant: TenantID) async throws(ServiceError) -> Bool {
    try await storing { () async throws(StoreError) in try await store.addDay(day, tenant: tenant) }
    guard let hold = try await claim(day, tenant: tenant) else { return false }
    return try await count(hold, isStopped: { false }) != nil
  }

  private func claim(_ day: CivilDate?, tenant: TenantID) async throws(ServiceError) -> ReportHold? {
    let now = now()
    return try await storing { () async throws(StoreError) in
      try await store.claimDay(
        day, tenant: tenant, holder: holder, until: now.adding(seconds: Self.secondsHeld), now: now)
    }
  }

  /// How many rows were published; nil: stopped, or no longer held.
  private func count(_ hold: ReportHold, isStopped: () -> Bool) async throws(ServiceError) -> Int? {
    var tally = ReportTally()
    var next: DeviceID? = DeviceID(UUID128(high: 0, low: 0))
    return try await storing { () async throws(StoreError) -> Int? in
      while let first = next {
        guard !isStopped() else {
          try await store.release(hold)
          return nil
        }
        let part = try await store.part(
          hold, from: first, limit: Self.devicesPerPart, until: now().adding(seconds: Self.secondsHeld))
        guard let part else { return nil }
        for count in part.counts { tally.add(count) }
        next = part.next
      }
      let rows = tally.rows(of: hold.day)
      guard try await store.publish(rows, of: hold, now: now()) else { return nil }
      return rows.values.reduce(0) { $0 + $1.count }
    }
  }
}
