import CarillonModel

/// What planning reads of a queued notification.
public struct StoredEntry: Hashable, Sendable {
  public var head: NotificationHead
  /// When this content and trigger were put; the default anchor of an interval.
  public var acceptedAt: Instant
  /// The ``StoredDevice/rowVersion`` of the write that put it: what was put after a look is told from what was there by
  /// this, and not by a time.
  public var putVersion: Int64
  /// The user the device had when it was put; nil: nobody's.
  public var user: String?

  public init(head: NotificationHead, acceptedAt: Instant, putVersion: Int64, user: String? = nil) {
    self.head = head
    self.user = user
    self.acceptedAt = acceptedAt
    self.putVersion = putVersion
  }
}

/// A queued notification, whole.
public struct StoredNotification: Hashable, Sendable {
  public var head: NotificationHead
  /// The canonical JSON of the content.
  public var content: [UInt8]
  public var acceptedAt: Instant

  public init(head: NotificationHead, content: [UInt8], acceptedAt: Instant) {
    self.head = head
    self.content = content
    self.acceptedAt = acceptedAt
  }
}

/// A notification about to be put into a queue.
public struct QueueItem: Hashable, Sendable {
  public var head: NotificationHead
  /// The canonical JSON of the content.
  public var content: [UInt8]
  /// The same notification in the queue is over where it was accepted by then: this is a new request. Nil: one that
  /// stands there stays.
  public var renews: Instant?

  public init(head: NotificationHead, content: [UInt8], renews: Instant? = nil) {
    self.head = head
    self.content = content
    self.renews = renews
  }
}

/// One step of a change to a device's queue.
public enum QueueOperation: Hashable, Sendable {
  case put(QueueItem)
  case cancel(NotificationID)
}

/// What became of a change of a queue.
public enum QueueAnswer: Hashable, Sendable {
  /// One outcome an operation.
  case changed([QueueOutcome])
  /// Something in the queue may have come due that the change would lose; nothing was changed.
  case lookFirst
  /// The device was found by its user, and is another's by now, or nobody's, or is no more; nothing was changed.
  case otherUser(now: String?)
}

/// What became of one step.
public enum QueueOutcome: String, Hashable, Sendable {
  case inserted, replaced
  /// The same notification stands in the queue already, and keeps its time of acceptance.
  case unchanged
  /// The queue holds ``Store/maxQueueEntries`` others; this item was not taken.
  case queueFull
  case cancelled
  /// There was nothing to cancel.
  case absent
  /// The device was found by its user and is not the user's any more: nothing was changed.
  case otherUser
}

/// What a put would make of a queue with room, if nothing changed meanwhile.
public struct ForeseenPut: Hashable, Sendable {
  /// Inserted, replaced or unchanged.
  public var outcome: QueueOutcome
  /// The time of acceptance that stays; nil: the put's own.
  public var acceptedAt: Instant?
}
