import CarillonModel

/// One occurrence of a notification whose time has come. Its identity on a device is ``notification`` and
/// ``wishedAt``.
public struct StoredDelivery: Hashable, Sendable {
  /// Of the queue.
  public var notification: NotificationID
  /// When it was to ring, before quiet hours and caps.
  public var wishedAt: Instant
  /// As held on the device: the notification's own id, that of an occurrence, or that of a digest.
  public var request: NotificationID
  public var type: String
  /// Where it was moved to, if it was held there, else the wish.
  public var dueAt: Instant
  public var outcome: DeliveryOutcome
  /// Why the device did not hold it; nil: it did.
  public var reason: String?
  public var tappedAt: Instant?
  public var dismissedAt: Instant?
  /// By the settings of its time; nil where it was not held.
  public var reach: Reach?
  public var unmetNeeds: [Need] = []
  /// What the device was to hold; nil: nothing.
  public var held: Held?
  /// Whose the notification was; nil: nobody's; empty: not known any more.
  public var user: String?
  /// It stands in the queue no more: ``user`` is the device's, and right only where nobody else has been there.
  public var isOrphan = false
  /// When it was first recorded; nil before that.
  public var notedAt: Instant?
  /// When the outcome was found; nil: it is open, or not stored yet.
  public var settledAt: Instant?

  /// A request that a plan told the device to hold.
  public struct Held: Hashable, Sendable {
    public var revisionHash: UInt64
    /// Of the first plan that held it, of all that have held it since without a break.
    public var planVersion: Int
    /// Of the last of these before its time came. A device that has applied any of them had it.
    public var lastPlanVersion: Int
    public var repeats: Bool

    /// - Parameter lastPlanVersion: nil: no other than the first one held it.
    public init(revisionHash: UInt64, planVersion: Int, lastPlanVersion: Int? = nil, repeats: Bool) {
      self.revisionHash = revisionHash
      self.planVersion = planVersion
      self.lastPlanVersion = lastPlanVersion ?? planVersion
      self.repeats = repeats
    }
  }

  public init(
    notification: NotificationID, wishedAt: Instant, request: NotificationID, type: String, dueAt: Instant,
    outcome: DeliveryOutcome, reason: String? = nil, held: Held? = nil
  ) {
    self.notification = notification
    self.wishedAt = wishedAt
    self.request = request
    self.type = type
    self.dueAt = dueAt
    self.outcome = outcome
    self.reason = reason
    self.held = held
  }
}
