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
    return .json(200, DeviceItem(stored).json)
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
