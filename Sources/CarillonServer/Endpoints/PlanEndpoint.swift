import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService

extension PlanService {
  /// `GET /v1/devices/{deviceId}/plan`
  func respond(to call: Call, device: DeviceID) async throws(Problem) -> HTTPResponse {
    var condition: EntityTagCondition?
    if let field = call.header("If-None-Match") { condition = try EntityTagCondition(field) }
    let answer = try await serving { () async throws(ServiceError) in
      try await plan(
        tenant: call.tenant, device: device, user: call.principal.user, isItsOwn: call.principal.isDevice,
        known: { condition?.matches($0.entityTag) ?? false },
        now: call.now)
    }
    let tag = ("ETag", answer.tag.entityTag.description)
    // A plan is one device's own: no shared cache may keep it, and a private one must ask.
    let caching = ("Cache-Control", "private, no-cache")
    if answer.isUnchanged { return HTTPResponse(status: 304, headers: [tag, caching]) }
    let body = try reading { () throws(JSONError) in
      var writer = JSONWriter(capacity: 1024 * answer.plan.held.count + 1024)
      try PlanEncoder.write(
        answer.plan, diff: answer.diff, unread: answer.unread, contents: { answer.contents[$0] }, to: &writer)
      return writer.bytes
    }
    return .json(200, body, [tag, caching])
  }
}

extension PlanService {
  /// `GET /v1/devices/{deviceId}/plan/explain`
  func explain(
    _ call: Call, device: DeviceID, notification: NotificationID
  ) async throws(Problem) -> HTTPResponse {
    let explanation = try await serving { () async throws(ServiceError) -> Explanation in
      try await explain(
        notification, tenant: call.tenant, device: device, user: call.principal.user, now: call.now)
    }
    return .json(200, [("Cache-Control", "private, no-cache")]) { explanation.write(to: &$0) }
  }
}

extension PlanTag {
  var entityTag: EntityTag {
    EntityTag.plan(
      version: version, policyVersion: policyVersion,
      dependencies: [zoneData, StableHash.hex(diffHash), "\(unread)"])
  }
}
