/// Which occurrence an item of an inbox is: of this notification, meant for this moment. The same on every device of a
/// user, and kept when the item moves from a device's own inbox into its user's.
public struct InboxKey: Hashable, Sendable {
  /// Of the queue.
  public var notification: NotificationID
  /// When it was meant to fire, before quiet hours and caps moved it.
  public var wishedAt: Instant

  public init(notification: NotificationID, wishedAt: Instant) {
    self.notification = notification
    self.wishedAt = wishedAt
  }
}

/// Which items of an inbox are asked for.
public enum InboxState: String, Hashable, Sendable, CaseIterable {
  /// What is in sight: neither archived nor put off.
  case inbox
  /// Of those in sight.
  case unseen, seen, unread, read
  case archived
  /// Put off, and not back yet.
  case snoozed
  /// Whatever its state.
  case all
}
