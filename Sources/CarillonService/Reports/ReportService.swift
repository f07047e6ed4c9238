import CarillonAPI
import CarillonModel
import CarillonStore

/// Answers reports from what was counted.
public final class ReportService {
  private let store: ReportStore

  public init(store: ReportStore) { self.store = store }

  /// - Parameters:
  ///   - period: of ``ReportQuery/period(now:)``.
  ///   - now: the days before it can have been counted.
  public func report(
    _ kind: Route.ReportKind, _ query: ReportQuery, period: ClosedRange<CivilDate>, tenant: TenantID,
    now: Instant
  ) async throws(ServiceError) -> ReportDocument {
    let rows = try await storing { () async throws(StoreError) in
      try await store.rows(
        kind.subject, tenant: tenant, period: period,
        // Fatigue has its groupings there: one cohort is asked for among the cohorts.
        type: kind == .fatigue && query.cohort != nil ? FatigueGrouping.cohort.rawValue : query.type,
        cohort: query.cohort, limit: ReportLimits.rows + 1)
    }
    guard rows.count <= ReportLimits.rows else { throw .reportTooLong }
    let newest = try await storing { () async throws(StoreError) in
      try await store.newestDay(tenant: tenant, before: now.utcDay)
    }
    return ReportDocument(kind: kind, period: period, rolledUpThrough: newest, rows: rows)
  }
}
