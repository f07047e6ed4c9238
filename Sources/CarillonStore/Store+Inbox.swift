import CarillonModel
import CarillonPostgres

extension Store {
  /// More devices of one user than this do not hear of a change in their inbox at once: they see it when their plan's
  /// time is over.
  public static let mostSharingDevices = 100

  /// A page of the inbox that a device shows; nil when there is no such device.
  ///
  /// - Parameter user: whose inbox it is, whoever has come to the device meanwhile; nil: that of whoever is there.
  public func inbox(
    tenant: TenantID, device: DeviceID, user: BoundUser? = nil, state: InboxState, after place: InboxPlace?,
    limit: Int, now: Instant
  ) async throws(StoreError) -> StoredInboxPage? {
    let row = Query<StoredDevice?>.device(tenant: tenant, device: device)
    let page = Query<[StoredInboxItem]>.inboxPage(
      tenant: tenant, device: device, user: user, state: state, after: place, limit: limit, now: now)
    let count = Query<InboxCount>.unread(tenant: tenant, device: device, user: user?.id, now: now)
    let rows = try await run(
      [row.statement, page.statement, count.statement], tenant: tenant, order: device.uuid)
    guard try row.read(rows[0]) != nil else { return nil }
    return StoredInboxPage(items: try page.read(rows[1]), count: try count.read(rows[2]))
  }

  /// Of the inbox that a device shows.
  public func inboxCount(
    tenant: TenantID, device: DeviceID, now: Instant
  ) async throws(StoreError) -> InboxCount {
    try await run(
      .unread(tenant: tenant, device: device, user: nil, now: now), tenant: tenant, device: device)
  }

  /// Marks items of the inbox that a device shows. Those that are not there are passed over.
  ///
  /// - Parameter user: whose inbox it is, whoever has come to the device meanwhile; nil: that of whoever is there.
  /// - Returns: how many are unread afterwards; nil when there is no such device.
  public func markInbox(
    tenant: TenantID, device: DeviceID, user: BoundUser? = nil, _ marking: InboxMarking,
    _ targets: InboxTargets,
    keeping: AnswerDraft? = nil, now: Instant
  ) async throws(StoreError) -> Int? {
    // Two that keep answers of one device wait for each other here, and do not deadlock.
    let row =
      keeping == nil
      ? Query<Bool>.isThere(tenant: tenant, device: device) : .lockDevice(tenant: tenant, device: device)
    let mark = Query<Int>.markInbox(
      tenant: tenant, device: device, user: user, marking, targets, keeping: keeping, now: now)
    let rows = try await run([row.statement, mark.statement], tenant: tenant, order: device.uuid)
    guard try row.read(rows[0]) else { return nil }
    return try mark.read(rows[1])
  }

  /// Those of the occurrences that stand in a device's inbox.
  /// - Parameter user: the device's user from now on; nil for the one it has.
  public func knownItems(
    tenant: TenantID, device: DeviceID, user: String?, keys: [InboxKey]
  ) async throws(StoreError) -> Set<InboxKey> {
    if keys.isEmpty { return [] }
    return try await run(
      .knownItems(tenant: tenant, device: device, user: user, keys: keys), tenant: tenant, device: device)
  }

  /// The devices of its user, the device itself too; none when it has no user.
  public func devicesSharingInbox(tenant: TenantID, device: DeviceID) async throws(StoreError) -> [DeviceID] {
    try await run(
      .devicesSharing(tenant: tenant, device: device, limit: Self.mostSharingDevices), tenant: tenant,
      device: device)
  }

  /// Makes the next report of a device be read whole, also when one is being answered now: the inbox it shows has
  /// changed elsewhere.
  public func touchDevice(tenant: TenantID, device: DeviceID) async throws(StoreError) {
    try await run(.touch(tenant: tenant, device: device), tenant: tenant, device: device)
  }
}
