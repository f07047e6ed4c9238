import CarillonModel

/// What the next plan and the next report of a device need of its history, kept so that nothing has to be counted
/// anew.
public struct DeviceTruth: Hashable, Sendable {
  /// Everything that came due by then is recorded; nil: nothing is.
  public var lookedAt: Instant?
  /// The ``StoredDevice/rowVersion`` of the write that recorded it.
  public var lookedVersion: Int64 = 0
  /// One-time notifications whose wished time has passed and which are still to come: moved, or late.
  public var waiting: Set<NotificationID> = []
  /// Requests that the device lost before they were due and has not shown again.
  public var vanished: Set<NotificationID> = []
  /// What was delivered and is over, though its time is, or may be, still to come: by the notification's id, or by an
  /// occurrence's.
  public var delivered: [NotificationID: Delivered] = [:]
  /// The newest plan the device said it has applied; nil: it has never said.
  public var appliedPlanVersion: Int?
  /// In the order of the types' names.
  public var tallies: [TypeTally] = []
  /// The moment the tallies' weights are of; nil before the first.
  public var talliedAt: Instant?
  /// Sound and lock screen were both on, and no degradation was found since.
  public var wasNoticeable = false
  /// When the device was last found to have lost both; nil: never, or it has them back.
  public var fatiguedAt: Instant?
  public var drift = DriftCounts()

  /// One delivery, and which put under its id it was of.
  public struct Delivered: Hashable, Sendable {
    public var at: Instant
    public var acceptedAt: Instant

    public init(at: Instant, acceptedAt: Instant) {
      self.at = at
      self.acceptedAt = acceptedAt
    }
  }

  public init() {}
}

/// How the notifications of a type were received on one device, older ones weighing less.
public struct TypeTally: Hashable, Sendable {
  public var type: String
  public var delivered: Double
  public var tapped: Double

  public init(type: String, delivered: Double, tapped: Double) {
    self.type = type
    self.delivered = delivered
    self.tapped = tapped
  }
}

/// How often a device was found to hold something else than it should.
public struct DriftCounts: Hashable, Sendable {
  /// Requests of ours that were gone before they were due.
  public var dropped = 0
  /// Requests of our kind that no plan named.
  public var unplanned = 0
  /// Requests under one of our ids that are not what was sent.
  public var altered = 0
  /// When the last was found; nil: none was.
  public var at: Instant?

  public init(dropped: Int = 0, unplanned: Int = 0, altered: Int = 0, at: Instant? = nil) {
    self.dropped = dropped
    self.unplanned = unplanned
    self.altered = altered
    self.at = at
  }

  public var isEmpty: Bool { dropped == 0 && unplanned == 0 && altered == 0 }
}
