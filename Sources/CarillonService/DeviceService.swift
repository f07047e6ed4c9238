import CarillonModel
import CarillonStore

/// The devices of a tenant, as they last reported.
public final class DeviceService {
  private let store: Store

  public init(store: Store) { self.store = store }

  public func device(_ id: DeviceID, tenant: TenantID) async throws(ServiceError) -> StoredDevice {
    let stored = try await storing { () async throws(StoreError) in
      try await store.device(tenant: tenant, device: id)
    }
    guard let stored else { throw .noSuchDevice }
    return stored
  }

  /// In the order of the ids.
  public func devices(
    tenant: TenantID, after: DeviceID?, limit: Int
  ) async throws(ServiceError) -> [StoredDevice] {
    try await storing { () async throws(StoreError) in
      try await store.devices(tenant: tenant, after: after, limit: limit)
    }
  }
}
