import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonStore

/// The in-app inbox that a device shows: its own, or its user's.
public final class InboxService {
  private let store: Store

  public init(store: Store) { self.store = store }

  public struct Page: Sendable {
    /// Newest first.
    public var items: [InboxItem]
    /// Where the next page begins; nil on the last.
    public var next: InboxPlace?
    public var unread: Int
  }

  /// - Parameter user: whose inbox it must be; nil: that of whoever is there.
  public func page(
    tenant: TenantID, device: DeviceID, user: BoundUser? = nil, state: InboxState, after place: InboxPlace?,
    limit: Int, now: Instant
  ) async throws(ServiceError) -> Page {
    let stored = try await storing { () async throws(StoreError) in
      try await store.inbox(
        tenant: tenant, device: device, user: user, state: state, after: place, limit: limit + 1, now: now)
    }
    guard let stored else { throw .noSuchDevice }
    var page = Page(items: [], unread: stored.count.unread)
    for item in stored.items.prefix(limit) { page.items.append(try InboxItem(item, now: now)) }
    if stored.items.count > limit {
      page.next = stored.items[limit - 1].place
    }
    return page
  }

  /// Marks items; those that are not there are passed over, and a mark that stands keeps its time. When this returns,
  /// every device that shows the inbox learns of it with its next sync.
  ///
  /// - Parameters:
  ///   - user: whose inbox it must be; nil: that of whoever is there.
  ///   - keeping: its body is what stands before the number, its tail what stands behind; nil: nothing is kept.
  /// - Returns: how many are unread now.
  public func mark(
    _ marking: InboxMarking, _ targets: InboxTargets, tenant: TenantID, device: DeviceID,
    user: BoundUser? = nil, keeping: AnswerDraft? = nil, now: Instant
  ) async throws(ServiceError) -> Int {
    let unread = try await storing { () async throws(StoreError) in
      try await store.markInbox(
        tenant: tenant, device: device, user: user, marking, targets, keeping: keeping, now: now)
    }
    guard let unread else { throw .noSuchDevice }
    try await tell(tenant: tenant, device: device)
    return unread
  }

  /// Makes every device that shows the inbox learn of it with its next sync; also after a mark that comes again, whose
  /// first try may have ended in between.
  public func tell(tenant: TenantID, device: DeviceID) async throws(ServiceError) {
    let sharing = try await storing { () async throws(StoreError) in
      try await store.devicesSharingInbox(tenant: tenant, device: device)
    }
    // Also when nothing was changed: an earlier try may have ended between the mark and this.
    try await store.touch(Set(sharing + [device]), tenant: tenant)
  }
}

extension Store {
  /// One transaction a device: no two of them wait for each other.
  func touch(_ devices: Set<DeviceID>, tenant: TenantID) async throws(ServiceError) {
    for device in devices {
      try await storing { () async throws(StoreError) in try await touchDevice(tenant: tenant, device: device)
      }
    }
  }
}

extension StoredInboxItem {
  fileprivate var place: InboxPlace { InboxPlace(at: at, key: key) }
}

extension InboxItem {
  fileprivate init(_ stored: StoredInboxItem, now: Instant) throws(ServiceError) {
    let snoozedUntil = stored.snoozedUntil.flatMap { $0 > now ? $0 : nil }
    self.init(
      key: stored.key, type: stored.type, at: stored.at, outcome: stored.outcome,
      unread: stored.readAt == nil && stored.archivedAt == nil && snoozedUntil == nil,
      seen: stored.seenAt != nil, archived: stored.archivedAt != nil, snoozedUntil: snoozedUntil)
    do { try show(stored.content) } catch { throw .unreadableContent }
  }
}
