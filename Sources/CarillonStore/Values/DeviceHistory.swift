import CarillonModel

/// What one sync adds to the history of a device; `carillon.record_history` takes it in.
public struct DeviceHistory: Hashable, Sendable {
  /// Older changes of one device are forgotten.
  public static let mostChanges = 500
  /// Of reports that only put or cancelled this many are remembered, apart from the others.
  public static let mostEdits = 200
  /// Of what one report put, and of what it cancelled, so many ids are remembered.
  public static let mostEditedIDs = 50
  /// More occurrences of one device are not remembered, the oldest go first.
  public static let mostDeliveries = 1_000
  /// Occurrences are remembered this long.
  public static let secondsDeliveriesAreKept: Int64 = 90 * 86_400

  /// What the report changed of the device; nil: nothing.
  public var change: DeviceStateChange?
  /// Occurrences that came due, and those of which more is known now.
  public var deliveries: [StoredDelivery] = []
  /// Nil: as it was.
  public var truth: DeviceTruth?

  public init() {}

  public var isEmpty: Bool { change == nil && deliveries.isEmpty && truth == nil }
}

/// What one report changed of a device.
public struct DeviceStateChange: Hashable, Sendable {
  /// What the change means for whether the user still notices anything.
  public enum Fatigue: String, Hashable, Sendable { case degraded, recovered }

  /// Of the report.
  public var sequence: Int64
  /// By the device's clock: information, never an order.
  public var sentAt: Instant?
  /// After the change.
  public var appVersion: String?
  public var authorizationStatus: AuthorizationStatus
  public var fatigue: Fatigue?
  /// In the order of a report's members.
  public var members: [Member]
  /// What the report put and cancelled.
  public var edits = Edits()

  /// What a report put into the queue and took out of it, cancels before puts: ids, and whose they are.
  public struct Edits: Hashable, Sendable {
    /// At most ``DeviceHistory/mostEditedIDs``.
    public var puts: [NotificationID] = []
    /// At most ``DeviceHistory/mostEditedIDs``.
    public var cancels: [NotificationID] = []
    /// How many were left out.
    public var more = 0
    /// The user after the report; nil: nobody is signed in.
    public var user: String?

    public init() {}

    /// Keeps the first of them.
    public init(puts: [NotificationID], cancels: [NotificationID], user: String?) {
      self.puts = Array(puts.prefix(DeviceHistory.mostEditedIDs))
      self.cancels = Array(cancels.prefix(DeviceHistory.mostEditedIDs))
      more = puts.count + cancels.count - self.puts.count - self.cancels.count
      self.user = user
    }

    public var isEmpty: Bool { puts.isEmpty && cancels.isEmpty }
  }

  /// One member of a report: by its path, as in `settings.sound`.
  public struct Member: Hashable, Sendable {
    public var path: String
    /// Nil: it was never reported.
    public var from: String?
    public var to: String?

    public init(path: String, from: String?, to: String?) {
      self.path = path
      self.from = from
      self.to = to
    }
  }

  public init(
    sequence: Int64, sentAt: Instant?, appVersion: String?, authorizationStatus: AuthorizationStatus,
    fatigue: Fatigue? = nil, members: [Member]
  ) {
    self.sequence = sequence
    self.sentAt = sentAt
    self.appVersion = appVersion
    self.authorizationStatus = authorizationStatus
    self.fatigue = fatigue
    self.members = members
  }
}

/// A change as it is kept.
public struct StoredStateChange: Hashable, Sendable {
  /// From 1, per device.
  public var number: Int64
  /// The server's time.
  public var at: Instant
  /// Nil: no report told it.
  public var sequence: Int64?
  public var sentAt: Instant?
  public var appVersion: String?
  public var authorizationStatus: AuthorizationStatus
  public var fatigue: DeviceStateChange.Fatigue?
  /// By path, in the order of the paths.
  public var members: [DeviceStateChange.Member]
  /// ``DeviceStateChange/Edits/user`` is not read again.
  public var edits = DeviceStateChange.Edits()
}
