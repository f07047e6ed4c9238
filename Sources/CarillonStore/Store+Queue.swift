import CarillonModel
import CarillonPostgres

extension Store {
  /// Changes a device's queue, one outcome an operation. Of several operations on one id the last decides what
  /// is stored. A device that has not reported yet is made by its first put, as a shell.
  public func changeQueue(
    tenant: TenantID, device: DeviceID, operations: [QueueOperation], due: Instant? = nil,
    most: Int = Store.maxQueueEntries, keeping: QueueAnswerDraft? = nil, now: Instant
  ) async throws(StoreError) -> [QueueOutcome] {
    let answer = try await changeQueue(
      tenant: tenant, device: device, operations: operations, users: [], due: due, hasLooked: true,
      most: most, keeping: keeping, now: now)
    guard case .changed(let outcomes) = answer else {
      preconditionFailure("nothing was asked for but a change")
    }
    return outcomes
  }

  /// Changes a queue unless something in it may have come due that the change would lose: look at the device then (with
  /// ``apply(_:tenant:device:)``), and change it with `hasLooked`. Nor does it where the device is found by its user
  /// and is another's by now, which is held against it under the device's lock.
  /// - Parameters:
  ///   - users: by which the device was found; empty: it was named itself.
  ///   - due: the first fire of what is put; nil: nothing of it has one.
  ///   - most: entries that the queue may hold afterwards, unless there are more by now.
  ///   - keeping: for a request that may come again; kept where something was changed.
  public func changeQueue(
    tenant: TenantID, device: DeviceID, operations: [QueueOperation], users: [String], due: Instant?,
    hasLooked: Bool, most: Int = Store.maxQueueEntries, keeping: QueueAnswerDraft? = nil, now: Instant
  ) async throws(StoreError) -> QueueAnswer {
    if operations.isEmpty { return .changed([]) }
    return try await run(
      .changeQueue(
        tenant: tenant, device: device, operations: operations, users: users, due: due, hasLooked: hasLooked,
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

  /// What planning reads of a queue, with what sleeps.
  public func heads(tenant: TenantID, device: DeviceID) async throws(StoreError) -> [StoredEntry] {
    try await run(.heads(tenant: tenant, device: device), tenant: tenant, device: device)
  }

  /// - Parameter user: whose it may be besides nobody's; nil: of whoever is there.
  public func notification(
    tenant: TenantID, device: DeviceID, user: BoundUser? = nil, id: NotificationID
  ) async throws(StoreError) -> StoredNotification? {
    try await run(
      .notification(tenant: tenant, device: device, user: user, id: id), tenant: tenant, device: device)
  }

  /// In the order of the ids' bytes.
  ///
  /// - Parameter user: whose they may be besides nobody's; nil: of whoever is there.
  public func notifications(
    tenant: TenantID, device: DeviceID, user: BoundUser? = nil, after: NotificationID?, limit: Int
  ) async throws(StoreError) -> [StoredNotification] {
    try await run(
      .notifications(tenant: tenant, device: device, user: user, after: after, limit: limit), tenant: tenant,
      device: device)
  }

  /// The contents of those that stand in the queue; nil when the device is not as it was loaded.
  ///
  /// - Parameter rowVersion: that it was loaded with; nil: it was not there.
  public func contents(
    tenant: TenantID, device: DeviceID, ids: [NotificationID], of rowVersion: Int64?
  ) async throws(StoreError) -> [NotificationID: [UInt8]]? {
    if ids.isEmpty { return [:] }
    let contents = Query<[NotificationID: [UInt8]]>.contents(tenant: tenant, device: device, ids: ids)
    // Behind the contents: what changed them has changed the version before.
    let row = Query<StoredDevice?>.device(tenant: tenant, device: device)
    let rows = try await run([contents.statement, row.statement], tenant: tenant, order: device.uuid)
    guard try row.read(rows[1])?.rowVersion == rowVersion else { return nil }
    return try contents.read(rows[0])
  }

  public func plan(tenant: TenantID, device: DeviceID) async throws(StoreError) -> StoredPlan? {
    try await run(.plan(tenant: tenant, device: device), tenant: tenant, device: device)
  }
}
