import CarillonModel
import CarillonPostgres

/// The counters of reports: how a day comes to be counted, and what was counted. For the server's pool and for the
/// operator's connection alike; confined to its loop.
public final class ReportStore {
  private enum Door {
    case server(Store)
    case operators(OperatorStore)
  }

  private let door: Door

  /// Under row security as the tenant of each call.
  public init(_ store: Store) { door = .server(store) }

  public init(_ store: OperatorStore) { door = .operators(store) }

  /// Statements that commit together.
  func run(_ statements: [Statement], tenant: TenantID) async throws(StoreError) -> [Rows] {
    switch door {
    case .server(let store): return try await store.run(statements, tenant: tenant, order: tenant.uuid)
    case .operators(let store):
      guard statements.count > 1 else { return [try await store.run(statements[0])] }
      return try await store.transaction { () async throws(StoreError) in
        var rows: [Rows] = []
        for statement in statements { rows.append(try await store.run(statement)) }
        return rows
      }
    }
  }

  func run<Answer>(_ query: Query<Answer>, tenant: TenantID) async throws(StoreError) -> Answer {
    try query.read(try await run([query.statement], tenant: tenant)[0])
  }
}

/// Reading.
extension ReportStore {
  /// In the order of day, type and cohort.
  ///
  /// - Parameters:
  ///   - type: nil: each.
  ///   - cohort: nil: each; empty: of devices without one.
  public func rows(
    _ subject: ReportSubject, tenant: TenantID, period: ClosedRange<CivilDate>, type: String?,
    cohort: String?,
    limit: Int
  ) async throws(StoreError) -> [ReportRow] {
    try await run(
      .reportRows(subject, tenant: tenant, period: period, type: type, cohort: cohort, limit: limit),
      tenant: tenant)
  }

  /// The newest day that was counted; nil: none was.
  public func newestDay(tenant: TenantID, before today: CivilDate) async throws(StoreError) -> CivilDate? {
    try await run(.newestReportDay(tenant: tenant, before: today), tenant: tenant)
  }
}
