import CarillonAPI
import CarillonJSON
import CarillonModel

/// Every list by the page, and as a sequence over all pages. A limit is 1...200.
extension TenantClient {
  public func allNotifications(of device: DeviceID) -> ListItems<NotificationItem> {
    ListItems { (cursor) async throws(CarillonError) in
      try await notifications(of: device, limit: Self.pageSize, after: cursor)
    }
  }

  // MARK: Devices

  /// A page of the tenant's devices.
  public func devices(
    limit: Int = PageRequest.defaultLimit, after cursor: String? = nil
  ) async throws(CarillonError) -> Page<DeviceItem> {
    let page = try PageRequest(limit: limit, after: cursor, in: .devices)
    return try await self.page(.listDevices(page)) { (reader) throws(JSONError) in
      try DeviceItem(from: &reader)
    }
  }

  public func allDevices() -> ListItems<DeviceItem> {
    ListItems { (cursor) async throws(CarillonError) in
      try await devices(limit: Self.pageSize, after: cursor)
    }
  }

  /// One device, with what is known of it beside what it reported.
  public func device(_ id: DeviceID) async throws(CarillonError) -> DeviceItem {
    let answer = try await send(.getDevice(id))
    return try read(answer) { (body) throws(JSONError) in try DeviceItem(body) }
  }

  /// A page of what a device's reports changed, newest first.
  public func changes(
    of device: DeviceID, limit: Int = PageRequest.defaultLimit, after cursor: String? = nil
  ) async throws(CarillonError) -> Page<DeviceChangeItem> {
    let page = try PageRequest(limit: limit, after: cursor, in: .deviceHistory)
    return try await self.page(.listDeviceChanges(device, page)) { (reader) throws(JSONError) in
      try DeviceChangeItem(from: &reader)
    }
  }

  public func allChanges(of device: DeviceID) -> ListItems<DeviceChangeItem> {
    ListItems { (cursor) async throws(CarillonError) in
      try await changes(of: device, limit: Self.pageSize, after: cursor)
    }
  }

  /// A page of what became of what was due on a device, newest first.
  public func deliveries(
    of device: DeviceID, limit: Int = PageRequest.defaultLimit, after cursor: String? = nil
  ) async throws(CarillonError) -> Page<DeliveryItem> {
    let page = try PageRequest(limit: limit, after: cursor, in: .deliveries)
    return try await self.page(.listDeliveries(device, page)) { (reader) throws(JSONError) in
      try DeliveryItem(from: &reader)
    }
  }

  public func allDeliveries(of device: DeviceID) -> ListItems<DeliveryItem> {
    ListItems { (cursor) async throws(CarillonError) in
      try await deliveries(of: device, limit: Self.pageSize, after: cursor)
    }
  }

  // MARK: The policy's versions

  /// A page of the policy's versions, newest first; ``policy(version:)`` has the document of one.
  public func policyVersions(
    limit: Int = PageRequest.defaultLimit, after cursor: String? = nil
  ) async throws(CarillonError) -> Page<PolicyVersionItem> {
    let page = try PageRequest(limit: limit, after: cursor, in: .policyVersions)
    return try await self.page(.listPolicyVersions(page)) { (reader) throws(JSONError) in
      try PolicyVersionItem(from: &reader)
    }
  }

  public func allPolicyVersions() -> ListItems<PolicyVersionItem> {
    ListItems { (cursor) async throws(CarillonError) in
      try await policyVersions(limit: Self.pageSize, after: cursor)
    }
  }

  // MARK: Reading

  /// The largest page: a sequence wants them all.
  static let pageSize = PageRequest.limits.upperBound

  func page<Item>(
    _ route: Route, _ item: (inout JSONReader) throws(JSONError) -> Item
  ) async throws(CarillonError) -> Page<Item> {
    let answer = try await send(route)
    return try read(answer) { (body) throws(JSONError) in
      try JSONReader.read(body) { (reader) throws(JSONError) in try Page(from: &reader, item: item) }
    }
  }
}
