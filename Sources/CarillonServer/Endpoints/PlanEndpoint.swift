import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService

extension PlanService {
  /// `GET /v1/devices/{deviceId}/plan`
  func respond(to call: Call, device: DeviceID) async throws(Problem) -> HTTPResponse {
    var condition: EntityTagCondition?
    // A plan is one device's own: no shared cache may keep it, and a private one must ask.
    let caching = ("Cache-Control", "private, no-cache")
    if let field = call.list("If-None-Match") { condition = try EntityTagCondition(field) }
    if let (known, promise) = condition?.promise(of: device) {
      let isUnchanged = try await serving { () async throws(ServiceError) in
        try await confirm(
          promise, tenant: call.tenant, device: device, user: call.principal.user,
          isItsOwn: call.principal.isDevice, now: call.now)
      }
      if isUnchanged {
        return HTTPResponse(status: 304, headers: [("ETag", EntityTag(known).description), caching])
      }
    }
    let answer = try await serving { () async throws(ServiceError) in
      try await plan(
        tenant: call.tenant, device: device, user: call.principal.user, isItsOwn: call.principal.isDevice,
        known: { condition?.names($0) ?? false },
        now: call.now)
    }
    let tag = ("ETag", answer.tag.entityTag(of: device, with: answer.promise).description)
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

/// The entity tag of a plan: what names the plan, a full stop, the promise that it holds for now, a full stop, and the
/// promise's seal. Two tags of one plan may differ behind the first full stop.
extension PlanTag {
  fileprivate func entityTag(of device: DeviceID, with promise: PlanPromise) -> EntityTag {
    EntityTag("\(name).\(promise).\(promise.seal(device, plan: name))")
  }

  fileprivate var name: String {
    EntityTag.plan(
      version: version, policyVersion: policyVersion,
      dependencies: [
        device.text, "\(createdAt.milliseconds)", zoneData, StableHash.hex(diffHash), "\(unread)",
      ]
    ).opaque
  }
}

extension EntityTagCondition {
  /// For `If-None-Match`: whether the client has the plan.
  fileprivate func names(_ plan: PlanTag) -> Bool {
    guard case .tags(let tags) = self else { return true }
    let name = plan.name
    return tags.contains { $0.opaque.prefix { $0 != "." } == name }
  }

  /// The first tag with one that was made for the device and the plan that the tag names; nil: none has.
  fileprivate func promise(of device: DeviceID) -> (tag: String, promise: PlanPromise)? {
    guard case .tags(let tags) = self else { return nil }
    for tag in tags {
      let tag = tag.opaque
      guard let first = tag.firstIndex(of: "."), let last = tag.lastIndex(of: "."), first < last,
        let promise = PlanPromise(String(tag[tag.index(after: first)..<last])),
        tag[tag.index(after: last)...] == promise.seal(device, plan: tag[..<first])
      else { continue }
      return (tag, promise)
    }
    return nil
  }
}
