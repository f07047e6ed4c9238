import CarillonModel

/// Everything a plan depends on. Equal inputs give byte-identical plans, on the server and on the device.
public struct PlanInput: Sendable {
  public var policy: CompiledPolicy { didSet { compiledQueue = nil } }
  public var policyVersion: Int
  public var device: PlanningDevice {
    didSet { if let compiledQueue, !compiledQueue.fits(device) { self.compiledQueue = nil } }
  }
  /// The queue, in any order.
  public var queue: [QueueEntry] { didSet { compiledQueue = nil } }
  /// Ids that were once sent to the device and may still be pending there without a revision.
  public var sent: Set<NotificationID>
  /// What the device really holds; nil when it has not said.
  public var pending: [PendingRequest]?
  public var foreign: ForeignRequests
  /// Deliveries already made, for caps.
  public var history: [PastDelivery]
  /// One-time requests that an earlier plan called expired and that were not put again since: they never come back,
  /// whatever caps would make of them now.
  public var expired: Set<NotificationID>
  /// One-time requests that have come since they were put, and when: they are over, though a journey, or a device's
  /// clock, lets their time still come. What ``history`` tells by its times alone need not stand here.
  public var delivered: [NotificationID: Instant]
  /// Requests that are due by ``now`` and still pending, because the device's clock is behind: they ring yet. Each
  /// takes a slot and is not removed. What has one of these ids and is held anew replaces it as ever.
  public var stillRinging: Set<NotificationID>
  /// How each type was received, for adaptive priorities; empty when nothing is known.
  public var engagement: [TypeEngagement]
  /// When the device was last found tired of notifications; nil when it never was.
  public var fatiguedAt: Instant?
  /// Unread inbox items, for badges.
  public var unread: Int
  public var now: Instant
  /// Nil until ``compileQueue(zones:)``, and again once what it was made of has changed.
  private(set) var compiledQueue: CompiledQueue?

  public init(policy: CompiledPolicy, policyVersion: Int, device: PlanningDevice, now: Instant) {
    self.policy = policy
    self.policyVersion = policyVersion
    self.device = device
    self.queue = []
    self.sent = []
    self.pending = nil
    self.foreign = ForeignRequests()
    self.history = []
    self.expired = []
    self.delivered = [:]
    self.stillRinging = []
    self.engagement = []
    self.fatiguedAt = nil
    self.unread = 0
    self.now = now
  }
}

extension PlanInput {
  /// Makes the queue ready once for many plans, as the time goes on or the device reports. Without it each plan
  /// does so for itself. Another queue, policy, zone or week undoes it.
  public mutating func compileQueue(zones: some ZoneLookup) {
    var compiler = QueueCompiler(
      queue, policy: policy, device: device, zones: zones, forManyPlans: true)
    compiledQueue = withFrame(nil) { compiler.lookAhead($0) }
  }

  /// The one that was made ready, else one for this plan alone.
  func compiledQueue(_ zones: some ZoneLookup) -> CompiledQueue {
    if let compiledQueue { return compiledQueue }
    return CompiledQueue(
      QueueCompiler(queue, policy: policy, device: device, zones: zones, forManyPlans: false))
  }

  /// When fatigue lowers caps no longer; nil: it lowers none now.
  public var recoversAt: Instant? {
    guard let rule = policy.policy.fatigue, let fatiguedAt else { return nil }
    let end = fatiguedAt.adding(seconds: Int64(rule.recoveryDays) * 86_400)
    return now < end ? end : nil
  }
}

/// One entry of the queue, with when the server accepted it (the default anchor of an interval).
public struct QueueEntry: Hashable, Sendable {
  public var head: NotificationHead
  public var acceptedAt: Instant

  public init(head: NotificationHead, acceptedAt: Instant) {
    self.head = head
    self.acceptedAt = acceptedAt
  }
}

/// What planning needs of a device.
public struct PlanningDevice: Sendable {
  public var authorizationStatus: AuthorizationStatus
  public var settings: NotificationSettings
  public var zone: ZoneTable
  public var firstWeekday: Int
  public var minimumDaysInFirstWeek: Int

  public init(
    authorizationStatus: AuthorizationStatus, settings: NotificationSettings, zone: ZoneTable,
    firstWeekday: Int = 1, minimumDaysInFirstWeek: Int = 1
  ) {
    self.authorizationStatus = authorizationStatus
    self.settings = settings
    self.zone = zone
    self.firstWeekday = firstWeekday
    self.minimumDaysInFirstWeek = minimumDaysInFirstWeek
  }
}

/// One delivery that was made, or must be taken as made.
public struct PastDelivery: Hashable, Sendable {
  public var id: NotificationID
  public var type: String
  public var at: Instant

  public init(id: NotificationID, type: String, at: Instant) {
    self.id = id
    self.type = type
    self.at = at
  }
}

/// A plan and how the device gets there.
public struct PlanResult: Sendable {
  public var plan: Plan
  public var diff: PlanDiff

  public init(plan: Plan, diff: PlanDiff) {
    self.plan = plan
    self.diff = diff
  }
}
