import CarillonModel
import CarillonPostgres

/// Where a page of occurrences ends: those before it, by time, follow.
public struct DeliveryKey: Hashable, Sendable {
  public var dueAt: Instant
  public var notification: NotificationID
  public var wishedAt: Instant

  public init(dueAt: Instant, notification: NotificationID, wishedAt: Instant) {
    self.dueAt = dueAt
    self.notification = notification
    self.wishedAt = wishedAt
  }

  public init(_ delivery: StoredDelivery) {
    self.init(dueAt: delivery.dueAt, notification: delivery.notification, wishedAt: delivery.wishedAt)
  }

  /// Before all there can be: 1 January 3000, with no id.
  public static let newest = DeliveryKey(
    dueAt: Instant(seconds: 32_503_680_000), notification: NotificationID(unchecked: ""),
    wishedAt: Instant(milliseconds: 0))
}

/// How a device came to be what it is, and what became of what came due on it.
extension Store {
  /// Newest first, from below a number; nil: from the newest. What others than the present user put and cancelled is
  /// left out.
  public func changes(
    tenant: TenantID, device: DeviceID, before: Int64?, limit: Int
  ) async throws(StoreError) -> [StoredStateChange] {
    try await run(
      .changes(tenant: tenant, device: device, before: before ?? .max, limit: limit, ofAll: false),
      tenant: tenant,
      device: device)
  }

  /// Newest first; nobody's and those of the present user.
  public func deliveries(
    tenant: TenantID, device: DeviceID, before: DeliveryKey?, limit: Int
  ) async throws(StoreError) -> [StoredDelivery] {
    try await run(
      .deliveries(tenant: tenant, device: device, before: before ?? .newest, limit: limit, ofAll: false),
      tenant: tenant,
      device: device)
  }

  /// Nil while nothing has come due, nothing was found out and nothing changed.
  public func truth(tenant: TenantID, device: DeviceID) async throws(StoreError) -> DeviceTruth? {
    try await run(.truth(tenant: tenant, device: device), tenant: tenant, device: device)
  }
}

extension OperatorStore {
  /// As ``Store/changes(tenant:device:before:limit:)``, whoever was there.
  public func changes(
    tenant: TenantID, device: DeviceID, before: Int64?, limit: Int
  ) async throws(StoreError) -> [StoredStateChange] {
    try await run(
      .changes(tenant: tenant, device: device, before: before ?? .max, limit: limit, ofAll: true))
  }

  /// As ``Store/deliveries(tenant:device:before:limit:)``, whoever was there.
  public func deliveries(
    tenant: TenantID, device: DeviceID, before: DeliveryKey?, limit: Int
  ) async throws(StoreError) -> [StoredDelivery] {
    try await run(
      .deliveries(tenant: tenant, device: device, before: before ?? .newest, limit: limit, ofAll: true))
  }

  /// What is open, and all of one notification.
  public func deliveries(
    tenant: TenantID, device: DeviceID, of notification: NotificationID
  ) async throws(StoreError) -> [StoredDelivery] {
    try await run(.deliveries(tenant: tenant, device: device, mentioned: [notification]))
  }

  /// As ``Store/truth(tenant:device:)``.
  public func truth(tenant: TenantID, device: DeviceID) async throws(StoreError) -> DeviceTruth? {
    try await run(.truth(tenant: tenant, device: device))
  }
}
