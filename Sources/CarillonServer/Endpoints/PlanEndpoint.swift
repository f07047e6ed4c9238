import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonService

extension PlanService {
  /// Smaller bodies gain nothing.
  private static var leastCompressed: Int { 1_024 }

  /// `GET /v1/devices/{deviceId}/plan`
  ///
  /// - Parameter gzip: asked only where the client asks for it.
  func respond(
    to call: Call, device: DeviceID, _ condition: PlanCondition, gzip: Gzip
  ) async throws(Problem) -> HTTPResponse {
    // A plan is one device's own: no shared cache may keep it, and a private one must ask.
    var headers = [("Cache-Control", "private, no-cache"), ("Vary", "Accept-Encoding")]
    let known = condition.known
    if let (tag, promise) = known?.promise(of: device) {
      let isUnchanged = try await serving { () async throws(ServiceError) in
        try await confirm(
          promise, tenant: call.tenant, device: device, user: call.principal.user,
          isItsOwn: call.principal.isDevice, now: call.now)
      }
      if isUnchanged { return HTTPResponse(status: 304, headers: [("ETag", tag.description)] + headers) }
    }
    let answer = try await serving { () async throws(ServiceError) in
      try await plan(
        tenant: call.tenant, device: device, user: call.principal.user, isItsOwn: call.principal.isDevice,
        known: { known?.tag(of: $0) != nil },
        now: call.now)
    }
    let tag = answer.tag.entityTag(of: device, with: answer.promise)
    if answer.isUnchanged {
      // As strong as the one that the client has.
      let isWeak = known?.tag(of: answer.tag)?.isWeak ?? false
      return HTTPResponse(
        status: 304, headers: [("ETag", (isWeak ? tag.weakened : tag).description)] + headers)
    }
    let body = try reading { () throws(JSONError) in
      var writer = JSONWriter(capacity: 1024 * answer.plan.held.count + 1024)
      try PlanEncoder.write(
        answer.plan, diff: answer.diff, unread: answer.unread, contents: { answer.contents[$0] }, to: &writer)
      return writer.bytes
    }
    if condition.takesGzip, body.count > Self.leastCompressed, let compressed = gzip.compress(body) {
      headers += [("ETag", tag.weakened.description), ("Content-Encoding", "gzip")]
      return .json(200, compressed, headers)
    }
    return .json(200, body, [("ETag", tag.description)] + headers)
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
  /// For `If-None-Match`: the tag by which the client has the plan; nil: it has another.
  fileprivate func tag(of plan: PlanTag) -> EntityTag? {
    let name = plan.name
    guard case .tags(let tags) = self else { return EntityTag(name) }
    return tags.first { $0.opaque.prefix { $0 != "." } == name }
  }

  /// The first tag with one that was made for the device and the plan that the tag names; nil: none has.
  fileprivate func promise(of device: DeviceID) -> (tag: EntityTag, promise: PlanPromise)? {
    guard case .tags(let tags) = self else { return nil }
    for whole in tags {
      let tag = whole.opaque
      guard let first = tag.firstIndex(of: "."), let last = tag.lastIndex(of: "."), first < last,
        let promise = PlanPromise(String(tag[tag.index(after: first)..<last])),
        tag[tag.index(after: last)...] == promise.seal(device, plan: tag[..<first])
      else { continue }
      return (whole, promise)
    }
    return nil
  }
}
