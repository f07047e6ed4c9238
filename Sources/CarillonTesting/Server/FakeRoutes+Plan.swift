import CarillonAPI
import CarillonClient
import CarillonJSON
import CarillonModel
import CarillonPlanner

extension FakeRoutes {
  func plan(
    of device: DeviceID, _ request: TransportRequest, _ tenant: inout FakeTenant
  ) throws(Problem) -> TransportResponse {
    guard tenant.devices[device] != nil else { throw .noDevice }
    let plan = tenant.makePlan(for: device, at: now).plan
    let unread = tenant.inbox(of: device).unread(at: now)
    let tag = EntityTag.plan(
      version: plan.version, policyVersion: tenant.policyVersion, dependencies: [device.text, "\(unread)"])
    let etag = TransportHeader("ETag", tag.description)
    let condition = request.headers.first { $0.name.lowercased() == "if-none-match" }
    if let condition, try EntityTagCondition(condition.value).matches(tag) {
      return TransportResponse(status: 304, headers: [etag])
    }
    let queue = tenant.devices[device]?.queue ?? [:]
    var writer = JSONWriter()
    do {
      try PlanEncoder.write(
        plan, unread: unread, contents: { queue[$0]?.notification.content.canonicalBytes }, to: &writer)
    } catch {
      throw Problem(error)
    }
    return json(writer.bytes, headers: [etag])
  }

  func explain(
    _ id: NotificationID, _ device: DeviceID, _ tenant: FakeTenant
  ) throws(Problem) -> [UInt8] {
    guard tenant.devices[device] != nil else { throw .noDevice }
    // With what has rung since the last look.
    var tenant = tenant
    tenant.receive(device, at: now)
    var writer = JSONWriter()
    Planner.explain(id, in: tenant.planInput(for: device, at: now), zones: tenant.zones).write(to: &writer)
    return writer.bytes
  }
}
