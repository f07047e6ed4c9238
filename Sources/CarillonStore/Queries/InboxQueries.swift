import CarillonModel
import CarillonPostgres

extension Query where Answer == InboxCount {
  /// - Parameter user: the device's user from now on; nil for the one it has.
  static func unread(tenant: TenantID, device: DeviceID, user: String?, now: Instant) -> Query {
    Query(.inboxItemsUnread) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.instant(now)
      parameters.text(user)
    } read: { rows in
      var count = InboxCount()
      count.unread = rows.version(0, 0)
      count.changesAt = rows.optional(0, 1, Rows.instant)
      // Null when the tenant was deleted a moment ago: then its inboxes hold nothing.
      count.begins = rows.optional(0, 2, Rows.instant) ?? now
      count.most = rows.optional(0, 3, Rows.version) ?? 0
      return count
    }
  }
}

extension Query where Answer == Set<InboxKey> {
  /// Those of the occurrences that stand in the inbox.
  static func knownItems(
    tenant: TenantID, device: DeviceID, user: String?, keys: [InboxKey]
  ) -> Query {
    Query(.inboxItemsKnown) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.keys(keys)
      parameters.text(user)
    } read: { rows in
      var known: Set<InboxKey> = []
      for row in 0..<rows.count { known.insert(rows.inboxKey(row)) }
      return known
    }
  }
}

extension Query where Answer == [StoredInboxItem] {
  static func inboxPage(
    tenant: TenantID, device: DeviceID, user: BoundUser?, state: InboxState, after place: InboxPlace?,
    limit: Int, now: Instant
  ) -> Query {
    .list(.inboxItemsPage) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.instant(now)
      parameters.text(state.rawValue)
      // Nothing comes due after the year 9999.
      let place =
        place
        ?? InboxPlace(at: .farthest, key: InboxKey(notification: .init(unchecked: ""), wishedAt: .farthest))
      parameters.instant(place.at)
      parameters.id(place.key.notification)
      parameters.instant(place.key.wishedAt)
      parameters.count(limit)
      parameters.text(user?.id)
    } row: { (rows, row) throws(StoreError) in
      guard let outcome = DeliveryOutcome(rawValue: rows.text(row, 5)) else { throw .unreadable(.deliveries) }
      return StoredInboxItem(
        key: rows.inboxKey(row), at: rows.instant(row, 2), type: rows.text(row, 3),
        content: rows.bytes(row, 4),
        outcome: outcome, seenAt: rows.optional(row, 6, Rows.instant),
        readAt: rows.optional(row, 7, Rows.instant), archivedAt: rows.optional(row, 8, Rows.instant),
        snoozedUntil: rows.optional(row, 9, Rows.instant))
    }
  }
}

extension Query where Answer == Int {
  /// How many are unread afterwards.
  static func markInbox(
    tenant: TenantID, device: DeviceID, user: BoundUser?, _ marking: InboxMarking, _ targets: InboxTargets,
    keeping: AnswerDraft?, now: Instant
  ) -> Query {
    Query(keeping == nil ? .inboxItemsMark : .inboxItemsMarkOnce) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.instant(now)
      parameters.text(marking.word)
      switch targets {
      case .items(let keys):
        parameters.keys(keys)
        parameters.instant(nil)
      case .before(let instant):
        parameters.keys([])
        parameters.instant(instant)
      }
      parameters.instant(marking.until)
      parameters.text(user?.id)
      if let keeping { parameters.draft(keeping, hasTail: true) }
    } read: {
      $0.version(0, 0)
    }
  }
}

extension Query where Answer == Void {
  static func eraseInbox(tenant: TenantID, device: DeviceID) -> Query {
    Query(.inboxItemsErase) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } read: { _ in
    }
  }

  static func touch(tenant: TenantID, device: DeviceID) -> Query {
    Query(.deviceSyncsTouch) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } read: { _ in
    }
  }
}

extension Query where Answer == [DeviceID] {
  static func devicesSharing(tenant: TenantID, device: DeviceID, limit: Int) -> Query {
    .list(.devicesSharing) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.count(limit)
    } row: { rows, row in
      rows.device(row, 0)
    }
  }
}

extension InboxMarking {
  fileprivate var word: String {
    switch self {
    case .seen: "seen"
    case .read: "read"
    case .archive: "archive"
    case .snooze: "snooze"
    }
  }

  fileprivate var until: Instant? {
    guard case .snooze(let until) = self else { return nil }
    return until
  }
}

extension Instant {
  /// 31 December 9999, the end of RFC 3339.
  fileprivate static let farthest = Instant(seconds: 253_402_300_799)
}

extension Parameters {
  /// Ids and wished times, an array each.
  fileprivate mutating func keys(_ keys: [InboxKey]) {
    ids(keys.lazy.map(\.notification))
    timestamptzArray(milliseconds: keys.map(\.wishedAt.milliseconds))
  }
}

extension Rows {
  /// In the first two columns.
  fileprivate func inboxKey(_ row: Int) -> InboxKey {
    InboxKey(notification: id(row, 0), wishedAt: instant(row, 1))
  }
}
