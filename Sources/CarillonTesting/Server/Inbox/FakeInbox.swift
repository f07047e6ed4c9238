import CarillonAPI
import CarillonJSON
import CarillonModel

/// An inbox, kept in memory.
struct FakeInbox {
  struct Item {
    var shown: InboxItem
    var key: InboxKey
    var readAt: Instant?
    var snoozedUntil: Instant?
  }

  private(set) var items: [InboxKey: Item] = [:]

  /// An occurrence that is there already stays as it is.
  mutating func take(_ key: InboxKey, type: String, content: [UInt8], outcome: DeliveryOutcome) {
    guard items[key] == nil else { return }
    var shown = InboxItem(
      key: key, type: type, at: key.wishedAt, outcome: outcome, unread: true, seen: false, archived: false)
    // The contents of the fake server's queues were read before they were taken.
    try? shown.show(content)
    items[key] = Item(shown: shown, key: key)
  }

  mutating func merge(_ other: FakeInbox) { items.merge(other.items) { mine, _ in mine } }

  func unread(at now: Instant) -> Int { list(.unread, at: now).count }

  /// Newest first.
  func list(_ state: InboxState, at now: Instant) -> [Item] {
    items.values.map { $0.at(now) }.filter { $0.isIn(state, at: now) }.sorted { left, right in
      (right.shown.at, right.key.notification, right.key.wishedAt)
        < (left.shown.at, left.key.notification, left.key.wishedAt)
    }
  }

  mutating func mark(_ mark: Route.InboxMark, _ request: ReceivedInboxMark, at now: Instant) {
    for (key, item) in items {
      let isMeant =
        request.keys?.contains(key)
        ?? (request.before.map { item.shown.at < $0 && !item.isSnoozed(at: now) } ?? false)
      guard isMeant else { continue }
      var item = item
      switch mark {
      case .seen: item.shown.seen = true
      case .read:
        item.shown.seen = true
        item.readAt = item.readAt ?? now
        item.snoozedUntil = nil
      case .archive:
        item.shown.archived = true
        item.snoozedUntil = nil
      case .snooze: item.snoozedUntil = request.until
      }
      items[key] = item
    }
  }
}

extension FakeInbox.Item {
  func isSnoozed(at now: Instant) -> Bool { snoozedUntil.map { $0 > now } ?? false }

  fileprivate func at(_ now: Instant) -> FakeInbox.Item {
    var item = self
    item.shown.snoozedUntil = isSnoozed(at: now) ? snoozedUntil : nil
    item.shown.unread = readAt == nil && !shown.archived && !isSnoozed(at: now)
    return item
  }

  fileprivate func isIn(_ state: InboxState, at now: Instant) -> Bool {
    let isInSight = !shown.archived && !isSnoozed(at: now)
    return switch state {
    case .all: true
    case .archived: shown.archived
    case .snoozed: !shown.archived && isSnoozed(at: now)
    case .inbox: isInSight
    case .unseen: isInSight && !shown.seen
    case .seen: isInSight && shown.seen && readAt == nil
    case .unread: isInSight && readAt == nil
    case .read: isInSight && readAt != nil
    }
  }
}
