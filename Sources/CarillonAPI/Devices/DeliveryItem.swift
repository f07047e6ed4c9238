import CarillonJSON
import CarillonModel

/// What became of one occurrence of a notification, as `GET /v1/devices/{deviceId}/deliveries` lists it.
public struct DeliveryItem: Hashable, Sendable {
  /// Of the queue.
  public var notification: NotificationID
  /// When it was to ring, before quiet hours and caps.
  public var wishedAt: Instant
  /// The id it had on the device.
  public var request: NotificationID
  public var type: String
  /// When it rang or would have.
  public var at: Instant
  public var outcome: DeliveryOutcome
  /// Why the device did not hold it; nil: it did.
  public var reason: String?
  /// When the outcome was found; nil: it is open.
  public var settledAt: Instant?
  public var tappedAt: Instant?
  public var dismissedAt: Instant?
  /// By the settings of its time; nil where it was not held.
  public var reach: Reach?
  public var unmetNeeds: [Need]

  public init(
    notification: NotificationID, wishedAt: Instant, request: NotificationID, type: String, at: Instant,
    outcome: DeliveryOutcome, reason: String? = nil, settledAt: Instant? = nil, tappedAt: Instant? = nil,
    dismissedAt: Instant? = nil, reach: Reach? = nil, unmetNeeds: [Need] = []
  ) {
    self.notification = notification
    self.wishedAt = wishedAt
    self.request = request
    self.type = type
    self.at = at
    self.outcome = outcome
    self.reason = reason
    self.settledAt = settledAt
    self.tappedAt = tappedAt
    self.dismissedAt = dismissedAt
    self.reach = reach
    self.unmetNeeds = unmetNeeds
  }

  public var json: [UInt8] {
    var writer = JSONWriter(capacity: 512)
    write(to: &writer)
    return writer.bytes
  }

  public func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("notification", notification.text)
      writer.member("wishedAt", wishedAt)
      writer.member("request", request.text)
      writer.member("type", type)
      writer.member("at", at)
      writer.member("outcome", outcome.rawValue)
      writer.member("reason", orNull: reason)
      writer.member("settledAt", orNull: settledAt)
      writer.member("tappedAt", orNull: tappedAt)
      writer.member("dismissedAt", orNull: dismissedAt)
      writer.member("reach", orNull: reach?.rawValue)
      writer.name("unmetNeeds")
      writer.array { writer in
        for need in unmetNeeds { writer.string(need.rawValue) }
      }
    }
  }
}

extension Cursor {
  /// Where a page of occurrences ends.
  public init(deliveryAt at: Instant, _ notification: NotificationID, wishedAt: Instant) {
    self.init(
      list: .deliveries, key: "\(at.milliseconds) \(wishedAt.milliseconds) \(notification.text)")
  }

  /// Nil when it is none of an occurrence.
  public var deliveryPlace: (at: Instant, notification: NotificationID, wishedAt: Instant)? {
    let parts = key.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard list == .deliveries, parts.count == 3, let at = Int64(parts[0]), let wish = Int64(parts[1]) else {
      return nil
    }
    return (
      Instant(milliseconds: at), NotificationID(unchecked: String(parts[2])), Instant(milliseconds: wish)
    )
  }
}
