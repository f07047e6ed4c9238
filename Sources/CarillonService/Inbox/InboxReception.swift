import CarillonModel
import CarillonStore

/// Whose inbox a device shows, before a planning and after it.
struct InboxVisit {
  /// Nil: the device's own.
  var before: String?
  var after: String?

  /// Without a report.
  init(_ user: String?) {
    before = user
    after = user
  }

  init(before: String?, after: String?) {
    self.before = before
    self.after = after
  }

  var isNew: Bool { before != after }
  /// What came due belongs to who was there then, and nobody else sees it. A first user takes over what the device has.
  var showsWhatCameDue: Bool { before == nil || !isNew }
}

/// Takes into an inbox what came due, as part of a planning.
struct InboxReception {
  let store: Store
  let tenant: TenantID
  let device: DeviceID

  /// How the inbox stands once `change` is in it.
  ///
  /// - Parameter count: of the inbox the device shows afterwards.
  func intake(
    _ change: InboxChange, count: InboxCount, visit: InboxVisit, now: Instant
  ) async throws(ServiceError) -> InboxIntake {
    if change.isEmpty { return InboxIntake(count) }
    let known = try await storing { () async throws(StoreError) in
      try await store.knownItems(
        tenant: tenant, device: device, user: visit.after, keys: change.due.map(\.key))
    }
    var intake = InboxIntake(change, known: known, count: count, now: now)
    if !visit.showsWhatCameDue {
      intake.unread = count.unread
      intake.changesAt = count.changesAt
    }
    return intake
  }

  /// Stores a change, and tells the other devices that show the inbox.
  ///
  /// They are told before and after: before, so that no end of the process in between leaves them with a number that
  /// is no longer right; after, for those that were answered meanwhile. Each in a transaction of its own, or two
  /// devices of a user that report at once would wait for each other.
  func apply(
    _ change: DeviceChange, _ intake: InboxIntake, _ visit: InboxVisit
  ) async throws(ServiceError) -> ApplyOutcome {
    let others = intake.isNews || visit.isNew ? try await sharing(visit) : []
    try await store.touch(others, tenant: tenant)
    let outcome = try await storing { () async throws(StoreError) in
      try await store.apply(change, tenant: tenant, device: device)
    }
    if case .applied = outcome { try await store.touch(others, tenant: tenant) }
    return outcome
  }

  private func sharing(_ visit: InboxVisit) async throws(ServiceError) -> Set<DeviceID> {
    var devices: Set<DeviceID> = []
    for user in Set([visit.before, visit.after].compactMap { $0 }) {
      devices.formUnion(
        try await storing { () async throws(StoreError) in
          try await store.devicesOfUser(tenant: tenant, userId: user, limit: Store.mostSharingDevices)
        })
    }
    devices.remove(device)
    return devices
  }
}
