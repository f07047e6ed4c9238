import CarillonAPI
import CarillonHTTP
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonService
import CarillonStore

extension QueueService {
  /// `PUT /v1/devices/{deviceId}/notifications/{id}`
  func put(_ call: Call, device: DeviceID, id: NotificationID) async throws(Problem) -> HTTPResponse {
    let notification = try reading { () throws(JSONError) in try Notification(parsing: call.body, id: id) }
    let context = try await serving { () async throws(ServiceError) -> Context in
      try await self.context(tenant: call.tenant, device: device)
    }
    do throws(TriggerRefusal) {
      try check(notification, in: context, now: call.now)
    } catch {
      throw Problem(error)
    }
    let answer = try await serving { () async throws(ServiceError) -> PutAnswer in
      try await put(
        notification, tenant: call.tenant, device: device, user: call.principal.user, context: context,
        quotas: call.quotas, keeping: call.keeping { $0.kept }, now: call.now)
    }
    return HTTPResponse(answer.kept)
  }

  /// `GET /v1/devices/{deviceId}/notifications/{id}`
  func show(_ call: Call, device: DeviceID, id: NotificationID) async throws(Problem) -> HTTPResponse {
    let item = try await serving { () async throws(ServiceError) -> NotificationItem in
      try await self.item(
        id, tenant: call.tenant, device: device, user: call.principal.user, now: call.now)
    }
    return .json(200, item.json)
  }

  /// `DELETE /v1/devices/{deviceId}/notifications/{id}`
  func delete(_ call: Call, device: DeviceID, id: NotificationID) async throws(Problem) -> HTTPResponse {
    try await serving { () async throws(ServiceError) in
      try await cancel(
        id, tenant: call.tenant, device: device, user: call.principal.user,
        keeping: call.keeping { _ in .noContent }, now: call.now)
    }
    return HTTPResponse(.noContent)
  }

  /// `GET /v1/devices/{deviceId}/notifications`
  func list(
    _ call: Call, device: DeviceID, page: PageRequest, route: Route
  ) async throws(Problem) -> HTTPResponse {
    let items = try await serving { () async throws(ServiceError) in
      try await self.items(
        tenant: call.tenant, device: device, user: call.principal.user,
        after: page.cursor.map { NotificationID(unchecked: $0.key) },
        limit: page.limit + 1, now: call.now)
    }
    return .page(
      items, request: page, route: route, cursor: { Cursor(list: .notifications, key: $0.head.id.text) }
    ) { $0.write(to: &$1) }
  }
}

extension QueueService.PutAnswer {
  fileprivate var kept: KeptAnswer { KeptAnswer(status: isNew ? 201 : 200, body: item.json) }
}
