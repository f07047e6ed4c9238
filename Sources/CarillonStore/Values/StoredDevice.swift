import CarillonModel

/// What is known of a device, and where its reports stand.
public struct StoredDevice: Hashable, Sendable {
  public var id: DeviceID
  public var state: DeviceState
  /// When the first report, or the first notification for it, came.
  public var createdAt: Instant
  /// When what it reported last changed.
  public var updatedAt: Instant
  /// The newest report's sequence; nil for a shell: a device that has a queue but has not reported.
  public var sequence: Int64?
  /// When the newest report came.
  public var seenAt: Instant?
  /// Grows with each change of the device or its queue: what ``DeviceChange/expectedRowVersion`` is held against.
  public var rowVersion: Int64
  /// 0 before the first plan.
  public var planVersion: Int
  /// Grows when something elsewhere changes the inbox the device shows.
  public var inboxVersion: Int64
  public var lineage: Lineage
}

/// How an installation stands to others.
public struct Lineage: Hashable, Sendable {
  /// The installation whose store this one's was copied from.
  public var forkedFrom: DeviceID?
  /// The newer installation on the same phone; nil while this one lives.
  public var supersededBy: DeviceID?
  public var supersededAt: Instant?

  public init(forkedFrom: DeviceID? = nil, supersededBy: DeviceID? = nil, supersededAt: Instant? = nil) {
    self.forkedFrom = forkedFrom
    self.supersededBy = supersededBy
    self.supersededAt = supersededAt
  }
}

/// What a device has reported of itself; a report without news leaves it as it is.
public struct DeviceState: Hashable, Sendable {
  public var info: DeviceInfo
  public var authorizationStatus: AuthorizationStatus
  public var settings: NotificationSettings
  /// What the device held when it last said so, foreign requests left out; nil: it has never said. Kept with the
  /// rest of the state: a later report that leaves `pending` out means that it is unchanged.
  public var pending: [PendingRequest]?
  /// As last reported; kept for the same reason.
  public var foreign: ForeignRequests

  public init(
    info: DeviceInfo = DeviceInfo(), authorizationStatus: AuthorizationStatus = .notDetermined,
    settings: NotificationSettings = NotificationSettings(), pending: [PendingRequest]? = nil,
    foreign: ForeignRequests = ForeignRequests()
  ) {
    self.info = info
    self.authorizationStatus = authorizationStatus
    self.settings = settings
    self.pending = pending
    self.foreign = foreign
  }
}

/// Everything a plan needs of the database, from one transaction.
public struct DeviceSnapshot: Sendable {
  /// The tenant's current policy version; 0 before the first.
  public var policyVersion: Int
  /// Nil when the caller knows this version, and when there is none.
  public var policyDocument: [UInt8]?
  /// What is kept for a time is held against this where the server's clock is ahead of it (``RetentionClock``); nil:
  /// there is no such tenant.
  public var retentionAt: Instant?
  /// Nil when the device has neither reported nor been written to.
  public var device: StoredDevice?
  /// In the order of the ids' bytes.
  public var queue: [StoredEntry]
  public var plan: PlanSummary?
  public var priming: PrimingFacts
  public var truth = DeviceTruth()
  /// Of the inbox the device shows, if it was asked about.
  public var inbox = InboxCount()
  /// What is open of what came due, and all of what the report speaks of; empty without a report.
  public var deliveries: [StoredDelivery] = []
  /// Of the report's events, those the device has told before.
  public var knownEvents: Set<String> = []
}

/// What a report speaks of, to be read along with the device.
public struct ReportMentions: Hashable, Sendable {
  /// Of what it says was delivered, tapped or dismissed.
  public var notifications: [NotificationID]
  /// Ids of its events.
  public var events: [String]

  public init(notifications: [NotificationID], events: [String]) {
    self.notifications = notifications
    self.events = events
  }
}
