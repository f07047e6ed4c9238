import CarillonAPI
import CarillonClient
import CarillonJSON
import CarillonModel
import CarillonPlanner

/// Answers requests as the wire's contract says.
struct FakeRoutes {
  let now: Instant
  let uuid: @Sendable () -> UUID128

  func answer(_ request: TransportRequest, _ tenant: inout FakeTenant) -> TransportResponse {
    do throws(Problem) {
      let parts = request.target.split(separator: "?", maxSplits: 1)
      let route = try Route(
        method: request.method, path: String(parts.first ?? ""),
        query: parts.count > 1 ? String(parts[1]) : nil)
      let user = try tenant.credentials.check(request, may: route, now: now)
      if let user, let device = route.device, route.endpoint != .syncDevice {
        guard tenant.devices[device].map({ user.isThere($0.info.userId) }) ?? true else { throw .wrongUser }
      }
      return try serve(route, request, by: user, &tenant)
    } catch {
      return TransportResponse(
        status: error.status,
        headers: [TransportHeader("Content-Type", Problem.contentType)]
          + error.headers.map { TransportHeader($0.name, $0.value) },
        body: error.json)
    }
  }

  private func serve(
    _ route: Route, _ request: TransportRequest, by user: BoundUser?, _ tenant: inout FakeTenant
  ) throws(Problem) -> TransportResponse {
    let body = request.body ?? []
    switch route {
    case .syncDevice(let device):
      var answer = try sync(device, body, by: user, &tenant)
      if let forked = answer.deviceId, tenant.credentials.areChecked {
        answer.deviceToken = tenant.credentials.token(
          for: forked, user: user, ttl: WireLimits.defaultTokenSeconds, now: now)
      }
      return json(answer.json)
    case .mintDeviceToken(let device):
      let wish: TokenRequest
      do { wish = try TokenRequest(body) } catch { throw Problem(error) }
      let token = tenant.credentials.token(for: device, user: wish.user, ttl: wish.ttl, now: now)
      return json(TokenResponse(token: token, expiresAt: now.adding(seconds: Int64(wish.ttl))).json)
    case .eraseDevice(let device):
      guard tenant.devices.removeValue(forKey: device) != nil else {
        throw .noDevice
      }
      return TransportResponse(status: 204)
    case .getPlan(let device, _): return try plan(of: device, request, &tenant)
    case .explainPlan(let device, let id): return json(try explain(id, device, tenant))
    case .putNotification(let device, let id):
      let notification: Notification
      do { notification = try Notification(parsing: body, id: id) } catch { throw Problem(error) }
      let isNew = tenant.devices[device]?.queue[id] == nil
      _ = tenant.put(notification, for: device, at: now)
      return json(try item(id, device, tenant).json, status: isNew ? 201 : 200)
    case .getNotification(let device, let id): return json(try item(id, device, tenant).json)
    case .deleteNotification(let device, let id):
      guard tenant.cancel(id, for: device) == .cancelled else { throw missing(id) }
      return TransportResponse(status: 204)
    case .listNotifications(let device, let page):
      return json(try list(device, page, tenant))
    case .getInbox(let device, let page, let state):
      return json(try inbox(device, page, state, &tenant))
    case .markInbox(let device, let mark): return json(try self.mark(device, mark, body, &tenant))
    case .decidePriming(let device): return json(try priming(device, body, tenant))
    case .batchNotifications:
      let batch: ReceivedBatch
      do { batch = try ReceivedBatch(body) } catch { throw Problem(error) }
      return json(BatchResponse(results(of: batch, &tenant)).json)
    case .getPolicy(let version): return try policy(version, of: tenant)
    case .putPolicy:
      try putPolicy(request, &tenant)
      return try policy(of: tenant)
    case .listPolicyVersions(let page): return json(policyVersions(page, tenant))
    case .previewPolicy: return json(try preview(body, tenant))
    case .listDevices(let page): return json(devices(page, tenant))
    case .getDevice(let device): return json(try self.device(device, tenant))
    case .listDeviceChanges(let device, let page):
      return json(try emptyList(of: device, page, tenant))
    case .listDeliveries(let device, let page):
      return json(try emptyList(of: device, page, tenant))
    case .getReport(let kind, let query): return json(try emptyReport(kind, query))
    default: throw Problem(.routeNotFound, "The fake server does not serve \(route.endpoint.rawValue).")
    }
  }

  func json(
    _ body: [UInt8], status: Int = 200, headers: [TransportHeader] = []
  ) -> TransportResponse {
    TransportResponse(
      status: status, headers: [TransportHeader("Content-Type", "application/json")] + headers, body: body)
  }

  // MARK: Sync

  private func sync(
    _ named: DeviceID, _ body: [UInt8], by user: BoundUser?, _ tenant: inout FakeTenant
  ) throws(Problem) -> SyncResponse {
    let received: ReceivedReport
    do { received = try ReceivedReport(body) } catch { throw Problem(error) }
    let report = received.request
    let id = fork(of: named, report, &tenant)
    var device = tenant.devices[id] ?? FakeTenant.Device()
    guard user?.isThere(report.device?.userId ?? device.info.userId) ?? true else { throw .wrongUser }
    guard report.sequence > device.sequence else {
      var answer = SyncResponse(
        planVersion: device.plan.version, serverTime: now, diff: SyncDiff(), slots: SlotCounts(device.plan))
      answer.isStale = true
      answer.refreshBy = device.plan.refreshBy
      return answer
    }
    // What came due belongs to who was there then.
    tenant.receive(id, at: now)
    device.lookedAt = tenant.devices[id]?.lookedAt
    device.delivered = tenant.devices[id]?.delivered ?? []
    device.history = tenant.devices[id]?.history ?? []
    device.take(report)
    device.createdAt = device.createdAt ?? now
    device.seenAt = now
    let step = primed(by: report, &device, tenant.policy.priming)
    tenant.devices[id] = device
    tenant.signIn(id)
    for cancelled in report.cancel { _ = tenant.cancel(cancelled, for: id) }
    for notification in report.put { _ = tenant.put(notification, for: id, at: now) }
    let result = tenant.makePlan(for: id, at: now)
    var answer = SyncResponse(
      planVersion: result.plan.version, serverTime: now,
      diff: diff(result, tenant.devices[id]?.queue ?? [:], isForPlanning: report.policyVersion != nil),
      slots: SlotCounts(result.plan))
    answer.refreshBy = result.plan.refreshBy
    answer.priming = step
    answer.unread = tenant.inbox(of: id).unread(at: now)
    answer.rejected = received.rejected
    if let known = report.policyVersion, known != tenant.policyVersion {
      answer.policy = SyncPolicy(version: tenant.policyVersion, document: tenant.policy.bytes)
    }
    if id != named { answer.deviceId = id }
    return answer
  }

  /// The same id from another phone gets an id of its own, and gets the same one again when it asks again.
  private func fork(of id: DeviceID, _ report: SyncRequest, _ tenant: inout FakeTenant) -> DeviceID {
    guard let key = report.device?.deviceKey, let known = tenant.devices[id]?.info.deviceKey, known != key
    else { return id }
    if let fork = tenant.devices[id]?.forks[key] { return fork }
    let fork = DeviceID(uuid())
    tenant.devices[id]?.forks[key] = fork
    return fork
  }

  private func diff(
    _ result: PlanResult, _ queue: [NotificationID: FakeTenant.Entry], isForPlanning: Bool
  ) -> SyncDiff {
    SyncDiff(
      remove: result.diff.remove,
      add: result.diff.add.compactMap { index in
        let held = result.plan.held[index]
        guard var content = queue[held.source]?.notification.content else { return nil }
        content.badge = held.badge
        return SyncAddition(
          id: held.id, revision: held.revision, fireAt: held.fireAt, trigger: held.trigger,
          content: content.canonicalBytes, type: isForPlanning ? held.type : nil,
          source: isForPlanning && held.source != held.id ? held.source : nil)
      })
  }
}

extension FakeTenant.Device {
  fileprivate mutating func take(_ report: SyncRequest) {
    sequence = report.sequence
    if let device = report.device { info = device }
    if let status = report.authorizationStatus { self.status = status }
    if let settings = report.settings { self.settings = settings }
    if let pending = report.pending { self.pending = pending }
    if let foreign = report.foreign { self.foreign = foreign }
  }
}
