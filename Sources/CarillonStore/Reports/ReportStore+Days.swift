import CarillonModel
import CarillonPostgres

/// A day that is being counted, and by whom.
public struct ReportHold: Hashable, Sendable {
  public var tenant: TenantID
  public var day: CivilDate
  public var holder: UUID128

  public init(tenant: TenantID, day: CivilDate, holder: UUID128) {
    self.tenant = tenant
    self.day = day
    self.holder = holder
  }
}

/// What some devices have to say of a day.
public struct ReportPart: Sendable {
  public var counts: [Count]
  /// The device the next part begins with; nil: this was the last one.
  public var next: DeviceID?

  public struct Count: Hashable, Sendable {
    public var subject: ReportSubject
    public var type: String
    public var cohort: String
    /// A word of ``ReportSubject/measures``, or one that this version does not count.
    public var measure: String
    public var count: Int
  }
}

/// Counting. A day is held by one counter at a time, for a time; it is counted part by part, and what was counted is
/// published whole or not at all. Whoever dies holding a day loses it when the time is over.
extension ReportStore {
  /// Makes sure that the days of a tenant from its first one on are known, `first` at the earliest.
  public func openDays(tenant: TenantID, first: CivilDate, last: CivilDate) async throws(StoreError) {
    var parameters = Parameters()
    parameters.tenant(tenant)
    parameters.day(first)
    parameters.day(last)
    _ = try await run([Statement(StatementName.reportDaysOpen.source, parameters)], tenant: tenant)
  }

  /// Makes one day known, whenever it was.
  public func addDay(_ day: CivilDate, tenant: TenantID) async throws(StoreError) {
    var parameters = Parameters()
    parameters.tenant(tenant)
    parameters.day(day)
    _ = try await run([Statement(StatementName.reportDaysAdd.source, parameters)], tenant: tenant)
  }

  /// Takes the earliest day that is due; nil: none is, or others hold those that are.
  ///
  /// - Parameter day: takes that one, due or not.
  public func claimDay(
    _ day: CivilDate? = nil, tenant: TenantID, holder: UUID128, until: Instant, now: Instant
  ) async throws(StoreError) -> ReportHold? {
    let claimed = try await run(
      .claimReportDay(day, tenant: tenant, holder: holder, until: until, now: now), tenant: tenant)
    return claimed.map { ReportHold(tenant: tenant, day: $0, holder: holder) }
  }

  /// How many days of a tenant are being counted.
  public func heldDays(tenant: TenantID, now: Instant) async throws(StoreError) -> Int {
    try await run(.heldReportDays(tenant: tenant, now: now), tenant: tenant)
  }

  /// What up to `limit` devices from `first` on have to say, and holds the day for longer; nil: it is held no more.
  public func part(
    _ hold: ReportHold, from first: DeviceID, limit: Int, until: Instant
  ) async throws(StoreError) -> ReportPart? {
    let bound = Query<DeviceID?>.reportBound(tenant: hold.tenant, from: first, limit: limit)
    let ahead = try await run(
      [Query<Bool>.keepReportDay(hold, until: until).statement, bound.statement], tenant: hold.tenant)
    guard ahead[0].count == 1 else { return nil }
    let next = try bound.read(ahead[1])
    let counts = try await run(
      .reportCounts(tenant: hold.tenant, day: hold.day, from: first, before: next), tenant: hold.tenant)
    return ReportPart(counts: counts, next: next)
  }

  /// Puts the rows in the place of those that the day had; false: it is held no more, and nothing was changed.
  ///
  /// - Parameter rows: of ``ReportHold/day``.
  public func publish(
    _ rows: [ReportSubject: [ReportRow]], of hold: ReportHold, now: Instant
  ) async throws(StoreError) -> Bool {
    let finish = Query<Bool>.finishReportDay(hold, now: now)
    let answers = try await run(
      [
        Query<Void>.clearReportDay(hold).statement, Query<Void>.addReportRows(rows, of: hold).statement,
        finish.statement,
      ], tenant: hold.tenant)
    return try finish.read(answers[2])
  }

  /// Lets go of a day that was not published.
  public func release(_ hold: ReportHold) async throws(StoreError) {
    _ = try await run([Query<Void>.releaseReportDay(hold).statement], tenant: hold.tenant)
  }

  /// What ages are reckoned from (``RetentionClock``); nil: there is no such tenant.
  public func retentionTime(tenant: TenantID, now: Instant) async throws(StoreError) -> Instant? {
    try await run(.terms(tenant: tenant), tenant: tenant)?.retention.time(at: now)
  }

  /// Forgets all days before one.
  public func forget(before day: CivilDate, tenant: TenantID) async throws(StoreError) {
    var parameters = Parameters()
    parameters.tenant(tenant)
    parameters.day(day)
    _ = try await run(
      [
        Statement(StatementName.reportCountsForget.source, parameters),
        Statement(StatementName.reportDaysForget.source, parameters),
      ], tenant: tenant)
  }
}
