import CarillonAPI
import CarillonClient
import CarillonJSON
import CarillonModel
import CarillonPlanner

extension FakeRoutes {
  /// - Parameter version: nil: the one in force.
  func policy(_ version: Int? = nil, of tenant: FakeTenant) throws(Problem) -> TransportResponse {
    let version = version ?? tenant.policyVersion
    guard version == tenant.policyVersion || tenant.policies.indices.contains(version - 1) else {
      throw Problem(.policyNotFound, "There is no such version of the policy.")
    }
    let policy = version == 0 ? Policy() : tenant.policies[version - 1].policy
    return TransportResponse(
      status: 200,
      headers: [
        TransportHeader("Content-Type", "application/json"),
        TransportHeader("ETag", EntityTag.policy(version: version).description),
      ], body: policy.bytes)
  }

  func policyVersions(_ page: PageRequest, _ tenant: FakeTenant) -> [UInt8] {
    let before = page.cursor.flatMap { Int($0.key) } ?? .max
    let versions = tenant.policies.indices.reversed().map { $0 + 1 }.filter { $0 < before }
    return self.page(versions, page, { Cursor(list: .policyVersions, key: "\($0)") }) { version, writer in
      let put = tenant.policies[version - 1]
      PolicyVersionItem(version: version, createdAt: put.createdAt, bytes: put.policy.bytes.count)
        .write(to: &writer)
    }
  }

  /// Plans the devices that would be looked at under both policies, and stores neither plan.
  func preview(_ body: [UInt8], _ tenant: FakeTenant) throws(Problem) -> [UInt8] {
    let request: PolicyPreviewRequest
    do { request = try PolicyPreviewRequest(body) } catch { throw Problem(error) }
    if let device = request.deviceId, tenant.devices[device] == nil { throw .noDevice }
    let ids = tenant.devices.keys.sorted { $0.text < $1.text }
    var preview = FakePreview(total: ids.count)
    for id in ids.prefix(request.sample) { preview.count(id, plans(id, request.policy, tenant)) }
    if let device = request.deviceId { preview.shown = (device, plans(device, request.policy, tenant)) }
    return preview.json(at: now, policyVersion: tenant.policyVersion)
  }

  private func plans(_ id: DeviceID, _ trial: Policy, _ tenant: FakeTenant) -> FakePreview.Plans {
    FakePreview.Plans(
      before: Planner.plan(tenant.planInput(for: id, at: now), zones: tenant.zones).plan,
      after: Planner.plan(tenant.planInput(for: id, at: now, under: trial), zones: tenant.zones).plan)
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
      tenant.setPolicy(try Policy(parsing: request.body ?? []), at: now)
    } catch {
      throw Problem(error)
    }
  }
}
