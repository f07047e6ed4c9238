import CarillonAPI
import CarillonJSON
import CarillonModel

extension TenantClient {
  /// One of the six reports: a row of counters for each day, type and cohort of which there is something to say.
  ///
  ///     let report = try await carillon.report(.delivery, ReportQuery(type: "habit"))
  ///     for row in report.rows { print(row.day, row.counts.due, row.counts[.missed]) }
  ///
  /// - Parameters:
  ///   - kind: which of them.
  ///   - query: nil members: each type and cohort, the last 30 whole days.
  public func report(
    _ kind: Route.ReportKind, _ query: ReportQuery = ReportQuery()
  ) async throws(CarillonError) -> ReportDocument {
    do throws(Problem) {
      try query.check(for: kind)
    } catch {
      throw CarillonError(.refused, error.detail)
    }
    let answer = try await send(.getReport(kind, query))
    return try read(answer) { (body) throws(JSONError) in try ReportDocument(body, of: kind) }
  }
}
