import CarillonAPI
import CarillonHTTP
import CarillonModel
import CarillonService
import CarillonStore

extension DeviceService {
  /// `GET /v1/devices/{deviceId}`
  func show(_ call: Call, device: DeviceID) async throws(Problem) -> HTTPResponse {
    let stored = try await serving { () async throws(ServiceError) -> StoredDevice in
      try await self.device(device, tenant: call.tenant)
    }
    var item = DeviceItem(stored)
    item.standing = try await serving { () async throws(ServiceError) -> DeviceStanding in
      try await standing(device, tenant: call.tenant)
    }
    return .json(200, item.json)
  }

  /// `DELETE /v1/devices/{deviceId}`
  func erase(_ call: Call, device: DeviceID) async throws(Problem) -> HTTPResponse {
    let keeping = call.once.map { AnswerDraft(key: $0.key, answer: .noContent, now: call.now) }
    try await serving { () async throws(ServiceError) in
      try await erase(device, tenant: call.tenant, audit: call.entry(.deviceErase), keeping: keeping)
    }
    return HTTPResponse(.noContent)
  }

  /// `GET /v1/devices/{deviceId}/history`
  func listChanges(
    _ call: Call, device: DeviceID, page: PageRequest, route: Route
  ) async throws(Problem) -> HTTPResponse {
    let before = page.cursor.flatMap { Int64($0.key) }
    let stored = try await serving { () async throws(ServiceError) -> [StoredStateChange] in
      try await changes(of: device, tenant: call.tenant, before: before, limit: page.limit + 1)
    }
    return .page(
      stored.map(DeviceChangeItem.init), request: page, route: route,
      cursor: { Cursor(list: .deviceHistory, key: String($0.number)) }
    ) { $0.write(to: &$1) }
  }

  /// `GET /v1/devices/{deviceId}/deliveries`
  func listDeliveries(
    _ call: Call, device: DeviceID, page: PageRequest, route: Route
  ) async throws(Problem) -> HTTPResponse {
    let before = page.cursor?.deliveryPlace.map {
      DeliveryKey(dueAt: $0.at, notification: $0.notification, wishedAt: $0.wishedAt)
    }
    let stored = try await serving { () async throws(ServiceError) -> [StoredDelivery] in
      try await deliveries(of: device, tenant: call.tenant, before: before, limit: page.limit + 1)
    }
    return .page(
      stored.map(DeliveryItem.init), request: page, route: route,
      cursor: { Cursor(deliveryAt: $0.at, $0.notification, wishedAt: $0.wishedAt) }
    ) { $0.write(to: &$1) }
  }

  /// `GET /v1/devices`
  func list(_ call: Call, page: PageRequest, route: Route) async throws(Problem) -> HTTPResponse {
    let after = page.cursor.flatMap { UUID128($0.key) }.map(DeviceID.init)
    let stored = try await serving { () async throws(ServiceError) -> [StoredDevice] in
      try await devices(tenant: call.tenant, after: after, limit: page.limit + 1)
    }
    return .page(
      stored.map(DeviceItem.init), request: page, route: route,
      cursor: { Cursor(list: .devices, key: $0.id.uuid.description) }
    ) { $0.write(to: &$1) }
  }
}
