import CarillonModel

/// What the next plan must know of the last one.
public struct PlanSummary: Hashable, Sendable {
  public var version: Int
  public var policyVersion: Int
  /// The IANA release it was made with.
  public var zoneData: String
  /// Of the document without its version: an equal one need not be stored again.
  public var digest: UInt64
  public var computedAt: Instant
  /// The ids that may be pending on the device because a plan once named them.
  public var sent: [NotificationID]
  /// Until when the plan stays what it is if nothing is reported and nothing changed.
  public var validUntil: Instant?
  /// What was delivered lately; the service's own form.
  public var deliveries: [UInt8]
  /// The first fire of what it holds; nil: nothing of it has one.
  public var nextFireAt: Instant?
  /// The plan as ``PlanCodec`` has it.
  public var document: [UInt8]

  public init(
    version: Int, policyVersion: Int, zoneData: String, digest: UInt64, computedAt: Instant,
    sent: [NotificationID], validUntil: Instant? = nil, deliveries: [UInt8] = [], nextFireAt: Instant? = nil,
    document: [UInt8]
  ) {
    self.version = version
    self.policyVersion = policyVersion
    self.zoneData = zoneData
    self.digest = digest
    self.computedAt = computedAt
    self.sent = sent
    self.validUntil = validUntil
    self.deliveries = deliveries
    self.nextFireAt = nextFireAt
    self.document = document
  }
}

/// A device's plan as it was answered last.
public struct StoredPlan: Hashable, Sendable {
  public var version: Int
  public var policyVersion: Int
  public var zoneData: String
  /// The plan as ``PlanCodec`` has it.
  public var document: [UInt8]
  public var computedAt: Instant
}

/// A plan about to be kept in place of the last one.
public struct PlanDraft: Hashable, Sendable {
  public var version: Int
  public var policyVersion: Int
  public var zoneData: String
  public var digest: UInt64
  public var document: [UInt8]
  public var sent: [NotificationID]
  /// The first fire of what it holds; nil: nothing of it has one.
  public var nextFireAt: Instant?
  /// What was delivered lately; the service's own form.
  public var deliveries: [UInt8]
  /// How many notifications it leaves without a slot, by type; empty where the day's count has them already.
  public var evictions: [String: Int]

  public init(
    version: Int, policyVersion: Int, zoneData: String, digest: UInt64, document: [UInt8],
    sent: [NotificationID], nextFireAt: Instant? = nil, deliveries: [UInt8] = [],
    evictions: [String: Int] = [:]
  ) {
    self.version = version
    self.policyVersion = policyVersion
    self.zoneData = zoneData
    self.digest = digest
    self.document = document
    self.sent = sent
    self.nextFireAt = nextFireAt
    self.deliveries = deliveries
    self.evictions = evictions
  }
}
