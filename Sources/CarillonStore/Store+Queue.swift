import CarillonModel
import CarillonPostgres

extension Store {
  /// Changes a device's queue, one outcome an operation. Of several operations on one id the last decides what
  /// is stored. A device that has not reported yet is made by its first put, as a shell.
  public func changeQueue(
    tenant: TenantID, device: DeviceID, operations: [QueueOperation], due: Instant? = nil,
    most: Int = Store.maxQueueEntries, keeping: QueueAnswerDraft? = nil, now: Instant
  ) async throws(StoreError) -> [QueueOutcome] {
    if operations.isEmpty { return [] }
    let outcomes = try await run(
      .changeQueue(
        tenant: tenant, device: device, operations: operations, due: due, hasLooked: true,
        most: most, keeping: keeping, now: now),
      tenant: tenant, device: device)
    return outcomes ?? []
  }

  /// Changes a queue unless something in it may have come due that the change would lose: nil then, and nothing was
  /// changed. Look at the device (with ``apply(_:tenant:device:)``), then ``changeQueue(tenant:device:operations:due:now:)``.
  /// - Parameters:
  ///   - due: the first fire of what is put; nil: nothing of it has one.
  ///   - most: entries that the queue may hold afterwards, unless there are more by now.
  public func changeQueueUnlessDue(
    tenant: TenantID, device: DeviceID, operations: [QueueOperation], due: Instant?,
    most: Int = Store.maxQueueEntries, keeping: QueueAnswerDraft? = nil, now: Instant
  ) async throws(StoreError) -> [QueueOutcome]? {
    if operations.isEmpty { return [] }
    return try await run(
      .changeQueue(
        tenant: tenant, device: device, operations: operations, due: due, hasLooked: false,
        most: most, keeping: keeping, now: now),
      tenant: tenant, device: device)
  }

  public func foresee(
    _ item: QueueItem, tenant: TenantID, device: DeviceID
  ) async throws(StoreError) -> ForeseenPut {
    try await run(.foresee(item, tenant: tenant, device: device), tenant: tenant, device: device)
  }

  public func putNotifications(tenant: TenantID, device: DeviceID, _ items: [QueueItem], now: Instant)
    async throws(StoreError) -> [QueueOutcome]
  {
    try await changeQueue(tenant: tenant, device: device, operations: items.map { .put($0) }, now: now)
  }

  public func cancelNotifications(
    tenant: TenantID, device: DeviceID, _ ids: [NotificationID], now: Instant
  ) async throws(StoreError) -> [QueueOutcome] {
    try await changeQueue(tenant: tenant, device: device, operations: ids.map { .cancel($0) }, now: now)
  }

  public func notification(tenant: TenantID, device: DeviceID, id: NotificationID) async throws(StoreError)
    -> StoredNotification?
  {
    try await run(.notification(tenant: tenant, device: device, id: id), tenant: tenant, device: device)
  }

  /// In the order of the ids' bytes.
  public func notifications(tenant: TenantID, device: DeviceID, after: NotificationID?, limit: Int)
    async throws(StoreError) -> [StoredNotification]
  {
    try await run(
      .notifications(tenant: tenant, device: device, after: after, limit: limit), tenant: tenant,
      device: device)
  }

  /// The contents of those that stand in the queue.
  public func contents(tenant: TenantID, device: DeviceID, ids: [NotificationID]) async throws(StoreError)
    -> [NotificationID: [UInt8]]
  {
    if ids.isEmpty { return [:] }
    return try await run(.contents(tenant: tenant, device: device, ids: ids), tenant: tenant, device: device)
  }

  public func plan(tenant: TenantID, device: DeviceID) async throws(StoreError) -> StoredPlan? {
    try await run(.plan(tenant: tenant, device: device), tenant: tenant, device: device)
  }
}
