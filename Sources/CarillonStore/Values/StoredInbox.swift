import CarillonModel

/// One item of an inbox.
public struct StoredInboxItem: Hashable, Sendable {
  public var key: InboxKey
  public var at: Instant
  public var type: String
  /// The canonical JSON of the content as it was when its time came.
  public var content: [UInt8]
  public var outcome: DeliveryOutcome
  public var seenAt: Instant?
  public var readAt: Instant?
  public var archivedAt: Instant?
  public var snoozedUntil: Instant?
}

/// How many items are unread, and what the tenant lets an inbox hold.
public struct InboxCount: Hashable, Sendable {
  public var unread = 0
  /// When that will change by time alone; nil: never.
  public var changesAt: Instant?
  /// What came due by then is too old for the inbox.
  public var begins = Instant(milliseconds: 0)
  /// The most items.
  public var most = 0

  public init() {}
}

/// What to tell of an inbox along with a device.
public struct InboxQuestion: Hashable, Sendable {
  /// The device's user from now on; nil: the one it has.
  public var user: String?
  public var now: Instant

  public init(user: String? = nil, now: Instant) {
    self.user = user
    self.now = now
  }
}

/// A page of an inbox, with the count of the whole.
public struct StoredInboxPage: Sendable {
  /// Newest first.
  public var items: [StoredInboxItem]
  public var count: InboxCount
}

/// Where a page of an inbox begins: behind this item.
public struct InboxPlace: Hashable, Sendable {
  public var at: Instant
  public var key: InboxKey

  public init(at: Instant, key: InboxKey) {
    self.at = at
    self.key = key
  }
}

/// Which items a mark is for.
public enum InboxTargets: Hashable, Sendable {
  case items([InboxKey])
  /// All that came due before, and are not put off.
  case before(Instant)
}

/// What is done to items.
public enum InboxMarking: Hashable, Sendable {
  case seen, read, archive
  /// Out of sight until then; nil: in sight again.
  case snooze(until: Instant?)
}
