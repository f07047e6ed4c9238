import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService
import CarillonStore

extension PolicyService {
  /// `GET /v1/policy`: before the first policy `{}`, which means the same, as version 0.
  func show(_ call: Call, version: Int?) async throws(Problem) -> HTTPResponse {
    var condition: EntityTagCondition?
    if let field = call.list("If-None-Match") { condition = try EntityTagCondition(field) }
    let stored = try await serving { () async throws(ServiceError) in
      try await policy(tenant: call.tenant, version: version)
    }
    if stored == nil, version != nil {
      throw Problem(.policyNotFound, "There is no such version of the policy.")
    }
    let tag = EntityTag.policy(version: stored?.version ?? 0)
    let fields = [("ETag", tag.description)]
    if condition?.matches(tag) == true { return HTTPResponse(status: 304, headers: fields) }
    return .json(200, stored?.document ?? Array("{}".utf8), fields)
  }

  /// `PUT /v1/policy`
  func put(_ call: Call) async throws(Problem) -> HTTPResponse {
    let expected = try expectedVersion(call.list("If-Match"))
    guard call.body.count <= call.limits[.policyBytes] else {
      throw Problem(
        .bodyTooLarge,
        "The policy of this tenant may have \(call.limits[.policyBytes]) bytes; nothing was changed.")
    }
    _ = try reading { () throws(JSONError) in try Policy(parsing: call.body) }
    let change = try await serving { () async throws(ServiceError) in
      try await put(
        call.body, expectedVersion: expected, tenant: call.tenant,
        keeping: call.keeping { Self.answer(call.body, version: $0) }, now: call.now,
        audit: call.entry(.policyPut))
    }
    switch change {
    case .stored(let version): return HTTPResponse(Self.answer(call.body, version: version))
    case .conflict(let current):
      throw Problem(
        .policyVersionMismatch,
        "The policy is at version \(current); nothing was changed. Read it again and put your change on top.",
        current: current)
    case .preconditionRequired(let current):
      throw Problem(
        .preconditionRequired,
        "There is a policy already; send If-Match with the version you have seen. The current one is \"\(current)\".",
        current: current)
    case .noTenant: throw Problem(.invalidCredential, "The tenant of this key no longer exists.")
    }
  }

  private static func answer(_ document: [UInt8], version: Int) -> KeptAnswer {
    KeptAnswer(status: 200, entityTag: EntityTag.policy(version: version).description, body: document)
  }

  /// `GET /v1/policy/versions`
  func list(_ call: Call, page: PageRequest, route: Route) async throws(Problem) -> HTTPResponse {
    let versions = try await serving { () async throws(ServiceError) in
      try await self.versions(
        tenant: call.tenant, before: page.cursor.flatMap { Int($0.key) }, limit: page.limit + 1)
    }
    let items = versions.map {
      PolicyVersionItem(version: $0.version, createdAt: $0.createdAt, bytes: $0.bytes)
    }
    return .page(
      items, request: page, route: route, cursor: { Cursor(list: .policyVersions, key: "\($0.version)") }
    ) {
      $0.write(to: &$1)
    }
  }

  /// `If-Match: "3"` expects version 3; `*` any version there is, which the current one answers to.
  private func expectedVersion(_ field: String?) throws(Problem) -> Int? {
    guard let field else { return nil }
    guard case .tags(let tags) = try EntityTagCondition(field), tags.count == 1,
      let version = tags[0].policyVersion
    else { throw Problem(.invalidHeader, "If-Match names one version of the policy, like \"3\".") }
    return version
  }
}
