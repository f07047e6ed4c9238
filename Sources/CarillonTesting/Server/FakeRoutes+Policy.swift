import CarillonAPI
import CarillonClient
import CarillonJSON
import CarillonModel

extension FakeRoutes {
  func policy(of tenant: FakeTenant) -> TransportResponse {
    TransportResponse(
      status: 200,
      headers: [
        TransportHeader("Content-Type", "application/json"),
        TransportHeader("ETag", EntityTag.policy(version: tenant.policyVersion).description),
      ], body: tenant.policy.bytes)
  }

  func putPolicy(_ request: TransportRequest, _ tenant: inout FakeTenant) throws(Problem) {
    let condition = request.headers.first { $0.name.lowercased() == "if-match" }
    if let condition {
      let tags = try EntityTagCondition(condition.value)
      guard tags.matchesStrongly(.policy(version: tenant.policyVersion)) else {
        throw Problem(
          .policyVersionMismatch, "Version \(tenant.policyVersion) is in force; read it and try again.",
          current: tenant.policyVersion)
      }
    } else if tenant.policyVersion > 0 {
      throw Problem(
        .preconditionRequired, "Send If-Match with the version this one follows.",
        current: tenant.policyVersion)
    }
    do {
      tenant.setPolicy(try Policy(parsing: request.body ?? []))
    } catch {
      throw Problem(error)
    }
  }
}
