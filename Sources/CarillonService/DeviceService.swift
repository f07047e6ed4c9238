import CarillonAPI
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

  /// Whether a user is the one on a device; where there is no such device, who asks for it is told so elsewhere.
  ///
  /// - Throws: `otherUser`.
  public func check(_ user: BoundUser, isOn device: DeviceID, tenant: TenantID) async throws(ServiceError) {
    let stored = try await storing { () async throws(StoreError) in
      try await store.device(tenant: tenant, device: device)
    }
    guard let stored else { return }
    guard user.isThere(stored.state.info.userId) else { throw .otherUser }
  }

  /// Erases everything about a device: itself, its queue, plan, history, deliveries and inbox, and every mention of it
  /// by other devices. The inbox of its user goes with it when no other living device is that user's. What reports have
  /// counted stays: numbers by day, type and cohort, which name nobody.
  ///
  /// - Parameters:
  ///   - audit: what is kept of who did it; does not name the device.
  ///   - keeping: the answer, for a request that may come again; nil: nothing is kept.
  public func erase(
    _ id: DeviceID, tenant: TenantID, audit: AuditEntry? = nil, keeping: AnswerDraft? = nil
  ) async throws(ServiceError) {
    let existed = try await storing { () async throws(StoreError) in
      try await store.eraseDevice(tenant: tenant, device: id, audit: audit, keeping: keeping)
    }
    guard existed else { throw .noSuchDevice }
  }

  /// In the order of the ids.
  public func devices(
    tenant: TenantID, after: DeviceID?, limit: Int
  ) async throws(ServiceError) -> [StoredDevice] {
    try await storing { () async throws(StoreError) in
      try await store.devices(tenant: tenant, after: after, limit: limit)
    }
  }

  /// What is known of a device beside what it last reported.
  public func standing(_ id: DeviceID, tenant: TenantID) async throws(ServiceError) -> DeviceStanding {
    let (truth, plan) = try await storing { () async throws(StoreError) in
      (try await store.truth(tenant: tenant, device: id), try await store.plan(tenant: tenant, device: id))
    }
    return try DeviceStanding(truth, plan: plan)
  }

  /// What its reports changed, newest first.
  ///
  /// - Parameter before: the number the last page ended with; nil for the first page.
  public func changes(
    of id: DeviceID, tenant: TenantID, before: Int64?, limit: Int
  ) async throws(ServiceError) -> [StoredStateChange] {
    _ = try await device(id, tenant: tenant)
    return try await storing { () async throws(StoreError) in
      try await store.changes(tenant: tenant, device: id, before: before, limit: limit)
    }
  }

  /// What became of what came due, newest first.
  public func deliveries(
    of id: DeviceID, tenant: TenantID, before: DeliveryKey?, limit: Int
  ) async throws(ServiceError) -> [StoredDelivery] {
    _ = try await device(id, tenant: tenant)
    return try await storing { () async throws(StoreError) in
      try await store.deliveries(tenant: tenant, device: id, before: before, limit: limit)
    }
  }
}
