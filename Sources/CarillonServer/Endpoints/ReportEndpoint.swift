import CarillonAPI
import CarillonHTTP
import CarillonModel
import CarillonService

extension ReportKeeper {
  /// `GET /v1/reports/{report}`
  nonisolated func respond(
    to call: Call, _ kind: Route.ReportKind, _ query: ReportQuery
  ) async throws(Problem) -> HTTPResponse {
    let period = try query.period(now: call.now)
    let tenant = call.tenant
    let json = try await serving { () async throws(ServiceError) in
      // The caller's task prefers the worker's loop; what this one awaits lives on another.
      try await withTaskExecutorPreference(loop) { () async throws(ServiceError) in
        try await report(kind, query, period: period, tenant: tenant)
      }
    }
    return .json(200, json)
  }
}
