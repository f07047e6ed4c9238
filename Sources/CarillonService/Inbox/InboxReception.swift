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

  /// A plan whose badges count on from the inbox as it is once what came due is in it.
  ///
  /// - Parameter count: of the inbox the device shows afterwards, before that.
  func plan(
    _ situation: DevicePlanner.Situation, by planner: DevicePlanner, count: InboxCount, visit: InboxVisit,
    now: Instant
  ) async throws(ServiceError) -> (outcome: DevicePlanner.Outcome, intake: InboxIntake) {
    var situation = situation
    situation.unread = count.unread
    let outcome = try planner.plan(situation, now: now)
    let change = try planner.inboxChange(outcome, situation, now: now)
    let intake = try await intake(change, count: count, visit: visit, now: now)
    if intake.unread == count.unread { return (outcome, intake) }
    // What came due does not depend on the badges, but is known only with the plan.
    situation.unread = intake.unread
    return (try planner.plan(situation, now: now), intake)
  }

  /// How the inbox stands once `change` is in it.
  private func intake(
    _ change: InboxChange, count: InboxCount, visit: InboxVisit, now: Instant
  ) async throws(ServiceError) -> InboxIntake {
    func isShown(_ item: InboxOccurrence) -> Bool {
      item.user.map { $0 == visit.after } ?? visit.showsWhatCameDue
    }
    if change.due.isEmpty {
      return InboxIntake(change, known: [], count: count, now: now, isShown: isShown)
    }
    let known = try await storing { () async throws(StoreError) in
      try await store.knownItems(
        tenant: tenant, device: device, user: visit.after, keys: change.due.map(\.key))
    }
    return InboxIntake(change, known: known, count: count, now: now, isShown: isShown)
  }

  /// Of the inbox that is shown, where another user's was asked about.
  func count(
    _ count: InboxCount, asked user: String?, _ visit: InboxVisit, now: Instant
  ) async throws(ServiceError) -> InboxCount {
    guard let user, user != visit.after ?? "" else { return count }
    return try await storing { () async throws(StoreError) in
      try await store.inboxCount(tenant: tenant, device: device, now: now)
    }
  }

  /// Stores a change, and tells the other devices that show the inbox.
  ///
  /// They are told before and after: before, so that no end of the process in between leaves them with a number that
  /// is no longer right; after, for those that were answered meanwhile. Each in a transaction of its own, or two
  /// devices of a user that report at once would wait for each other.
  func apply(
    _ change: DeviceChange, _ intake: InboxIntake, _ visit: InboxVisit
  ) async throws(ServiceError) -> ApplyOutcome {
    let absent = intake.change.due.compactMap(\.user)
    let others = intake.isNews || visit.isNew ? try await sharing(visit, absent) : []
    try await store.touch(others, tenant: tenant)
    let outcome = try await storing { () async throws(StoreError) in
      try await store.apply(change, tenant: tenant, device: device)
    }
    if case .applied = outcome { try await store.touch(others, tenant: tenant) }
    return outcome
  }

  private func sharing(
    _ visit: InboxVisit, _ absent: [String]
  ) async throws(ServiceError) -> Set<DeviceID> {
    var devices: Set<DeviceID> = []
    // Nobody's devices, signed out, share nothing.
    for user in Set([visit.before, visit.after].compactMap { $0 } + absent) where !user.isEmpty {
      devices.formUnion(
        try await storing { () async throws(StoreError) in
          try await store.devicesOfUser(tenant: tenant, userId: user, limit: Store.mostSharingDevices)
        })
    }
    devices.remove(device)
    return devices
  }
}
