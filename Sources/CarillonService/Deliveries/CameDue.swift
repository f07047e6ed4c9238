import CarillonModel

/// One occurrence of a notification whose time has come, whatever became of it: held, queued for want of a slot,
/// withheld, expired, or merged into a digest.
///
/// Its identity on a device is ``notification`` and ``wishedAt``. One that came due is told once; when it is tried
/// again later (`deliverNow`), it is told again under the same identity. What a later report makes of it is told by
/// ``DeviceLook/settled``.
public struct CameDue: Hashable, Sendable {
  /// Of the queue.
  public var notification: NotificationID
  /// As held on the device: the notification's own id, that of an occurrence, or that of a digest.
  public var request: NotificationID
  public var type: String
  /// When it was to ring, before quiet hours and caps.
  public var wishedAt: Instant
  /// Where it was moved to, if it was held there, else the wish.
  public var at: Instant
  /// As far as it can be known now.
  public var outcome: DeliveryOutcome
  /// Whether the fact goes to the inbox; false also where the notification stands in the queue no more.
  public var inbox: Bool
  /// Whose inbox that is: a user who was not there; nil: the one that the device showed.
  public var user: String?

  public init(
    notification: NotificationID, request: NotificationID, type: String, wishedAt: Instant, at: Instant,
    outcome: DeliveryOutcome, inbox: Bool, user: String? = nil
  ) {
    self.notification = notification
    self.request = request
    self.type = type
    self.wishedAt = wishedAt
    self.at = at
    self.outcome = outcome
    self.inbox = inbox
    self.user = user
  }
}
