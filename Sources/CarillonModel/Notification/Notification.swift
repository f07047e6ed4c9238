/// A notification as an app asks for it: what to show, when, and what matters for its place in the plan.
public struct Notification: Hashable, Sendable {
  public var head: NotificationHead
  public var content: NotificationContent

  public init(head: NotificationHead, content: NotificationContent) {
    self.head = head
    self.content = content
  }
}

/// The part of a notification that decides its place: all that planning reads, some 60 bytes when stored.
public struct NotificationHead: Hashable, Sendable {
  public var id: NotificationID
  /// As given; nil means the policy's longest matching prefix decides.
  public var type: String?
  public var trigger: Trigger { didSet { wishHash = Revision.hash(of: trigger, summary: summary) } }
  public var overdue: OverdueRule
  public var expiresAt: Instant?
  public var needs: Set<Need>
  /// Whether the fact also goes to the in-app inbox when its time comes.
  public var inbox: Bool
  public var group: String?
  /// What planning must know of the content without reading it.
  public var summary: ContentSummary { didSet { wishHash = Revision.hash(of: trigger, summary: summary) } }
  /// ``Revision/hash(of:summary:)`` of the trigger as wished, kept so that planning hashes only what it changes.
  public private(set) var wishHash: UInt64

  public init(
    id: NotificationID, type: String? = nil, trigger: Trigger, overdue: OverdueRule = .expire,
    expiresAt: Instant? = nil, needs: Set<Need> = [], inbox: Bool = true, group: String? = nil,
    summary: ContentSummary
  ) {
    self.id = id
    self.type = type
    self.trigger = trigger
    self.overdue = overdue
    self.expiresAt = expiresAt
    self.needs = needs
    self.inbox = inbox
    self.group = group
    self.summary = summary
    self.wishHash = Revision.hash(of: trigger, summary: summary)
  }

  /// For the codec, which has stored the hash.
  init(id: NotificationID, trigger: Trigger, summary: ContentSummary, wishHash: UInt64) {
    self.id = id
    self.trigger = trigger
    self.overdue = .expire
    self.needs = []
    self.inbox = true
    self.summary = summary
    self.wishHash = wishHash
  }
}

/// What becomes of a one-time notification whose time has passed.
public enum OverdueRule: String, Hashable, Sendable, CaseIterable { case expire, deliverNow }

/// What a notification must be able to do to be worth its slot.
public enum Need: String, Hashable, Sendable, CaseIterable { case sound, alert, badge, lockScreen }

/// Apple's `UNNotificationInterruptionLevel`.
public enum InterruptionLevel: String, Hashable, Sendable, CaseIterable {
  case passive, active, timeSensitive, critical
}

/// What planning needs of a content, computed once when the notification is put.
public struct ContentSummary: Hashable, Sendable {
  /// Title or body.
  public var hasText: Bool
  public var hasSound: Bool
  public var hasBadge: Bool
  public var interruptionLevel: InterruptionLevel
  /// ``StableHash`` of the canonical JSON of the content without its badge; a plan's revision continues it.
  public var hash: UInt64

  public init(
    hasText: Bool, hasSound: Bool, hasBadge: Bool, interruptionLevel: InterruptionLevel, hash: UInt64
  ) {
    self.hasText = hasText
    self.hasSound = hasSound
    self.hasBadge = hasBadge
    self.interruptionLevel = interruptionLevel
    self.hash = hash
  }
}
