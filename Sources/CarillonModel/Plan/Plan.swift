import CarillonJSON

/// What one device should hold now, and why everything else waits. Shape and words: the plan of the wire.
public struct Plan: Hashable, Sendable {
  /// Grows by one when anything below changes; 0 before the first.
  public var version = 0
  public var policyVersion = 0
  /// Which IANA release the fire times come from, e.g. `2025b`.
  public var zoneData = ""
  public var slots = 64
  public var foreign = 0
  public var capacity = 64
  public var starved = false
  /// Location requests first, then by fire, then by id.
  public var held: [HeldRequest] = []
  public var queued: QueuedRequests = []
  /// What cannot be planned, e.g. for a time zone this server's data lacks.
  public var rejected: [RejectedRequest] = []
  public var withheld: [WithheldRequest] = []
  public var expired: [ExpiredRequest] = []
  /// How many of each type wait for a slot, by type name.
  public var evictionsByType: [String: Int] = [:]
  /// The moment by which the device must have synced; nil when nothing waits.
  public var refreshBy: Instant?
  /// The fire of the last held one-time request when something waits, else nil.
  public var coversUntil: Instant?

  public init() {}
}

/// A request the device should hold.
public struct HeldRequest: Hashable, Sendable {
  public enum Slot: String, Hashable, Sendable, CaseIterable { case rank, reserve, location }

  public var id: NotificationID
  /// The queue entry it comes from; differs from `id` for a digest and for one occurrence of an expanded trigger.
  public var source: NotificationID {
    get { madeFrom ?? id }
    set { madeFrom = newValue == id ? nil : newValue }
  }
  /// ``source`` where it is another one.
  @usableFromInline var madeFrom: Optional<NotificationID>
  public var type: String
  public var priority: Int
  /// Nil for a location.
  public var fireAt: Instant?
  /// What ``revision`` writes: a plan is made, compared and thrown away far more often than it is written.
  public var revisionHash: UInt64
  /// What the device must add.
  public var trigger: Trigger
  public var reach: Reach
  public var unmetNeeds: [Need]
  public var moves: Moves
  public var slot: Slot
  /// The number the content's badge gets; nil where the content has none or a repeating request drops it.
  public var badge: Int?
  /// How many a digest stands for: its content's `userInfo.count`. Nil when it is no digest.
  public var digestCount: Int?

  /// Inlined over the border: the planner makes some sixty in each plan.
  ///
  /// - Parameter source: nil when it is `id` itself.
  @inlinable
  public init(
    id: NotificationID, source: NotificationID?, type: String, priority: Int, fireAt: Instant?,
    revisionHash: UInt64, trigger: Trigger, reach: Reach, unmetNeeds: [Need] = [], moves: Moves = [],
    slot: Slot, badge: Int? = nil, digestCount: Int? = nil
  ) {
    let madeFrom = source.flatMap { $0 == id ? nil : $0 }
    self.id = id
    self.madeFrom = madeFrom
    self.type = type
    self.priority = priority
    self.fireAt = fireAt
    self.revisionHash = revisionHash
    self.trigger = trigger
    self.reach = reach
    self.unmetNeeds = unmetNeeds
    self.moves = moves
    self.slot = slot
    self.badge = badge
    self.digestCount = digestCount
  }

  /// - Parameter revision: 16 hexadecimal digits.
  public init(
    id: NotificationID, source: NotificationID?, type: String, priority: Int, fireAt: Instant?,
    revision: String, trigger: Trigger, reach: Reach, unmetNeeds: [Need] = [], moves: Moves = [],
    slot: Slot, badge: Int? = nil, digestCount: Int? = nil
  ) {
    self.init(
      id: id, source: source, type: type, priority: priority, fireAt: fireAt,
      revisionHash: Revision.hash(ofText: revision), trigger: trigger, reach: reach, unmetNeeds: unmetNeeds,
      moves: moves, slot: slot, badge: badge, digestCount: digestCount)
  }

  /// 16 lower-case hexadecimal digits.
  public var revision: String {
    get { StableHash.hex(revisionHash) }
    set { revisionHash = Revision.hash(ofText: newValue) }
  }
}

/// How a notification can be noticed on this device, from its settings.
public enum Reach: String, Hashable, Sendable, CaseIterable {
  case audible, visible, quiet, soundOnly, badgeOnly, none
}

/// One change of a wished time, by the rule that made it.
public struct Move: Hashable, Sendable {
  public var by: String
  public var from: Instant
  public var to: Instant

  public init(by: String, from: Instant, to: Instant) {
    self.by = by
    self.from = from
    self.to = to
  }
}

/// A request that waits.
public struct QueuedRequest: Hashable, Sendable {
  public enum Reason: String, Hashable, Sendable, CaseIterable { case noSlot, typeLimit, digest }

  public var id: NotificationID
  public var type: String
  public var fireAt: Instant?
  /// Its place by the policy's order, from 1.
  public var rank: Int
  public var reason: Reason

  @inlinable
  public init(id: NotificationID, type: String, fireAt: Instant?, rank: Int, reason: Reason) {
    self.id = id
    self.type = type
    self.fireAt = fireAt
    self.rank = rank
    self.reason = reason
  }
}

/// A request that cannot be planned as it is.
public struct RejectedRequest: Hashable, Sendable {
  public var id: NotificationID
  /// A JSON pointer into the notification.
  public var pointer: String
  public var code: String
  public var detail: String

  public init(id: NotificationID, pointer: String, code: String, detail: String) {
    self.id = id
    self.pointer = pointer
    self.code = code
    self.detail = detail
  }
}

/// A request that a slot would not help.
public struct WithheldRequest: Hashable, Sendable {
  public enum Reason: String, Hashable, Sendable, CaseIterable {
    case denied, notDetermined, unknownStatus, unreachable, capped, quietHours
  }

  public var id: NotificationID
  public var reason: Reason

  public init(id: NotificationID, reason: Reason) {
    self.id = id
    self.reason = reason
  }
}

/// A one-time request whose time has passed.
public struct ExpiredRequest: Hashable, Sendable {
  public var id: NotificationID
  public var fireAt: Instant

  public init(id: NotificationID, fireAt: Instant) {
    self.id = id
    self.fireAt = fireAt
  }
}

/// What the device must do to hold the plan: first all removes, then all adds.
public struct PlanDiff: Hashable, Sendable {
  public var remove: [NotificationID] = []
  /// Indices into the plan's `held`.
  public var add: [Int] = []

  public init() {}

  public var isEmpty: Bool { remove.isEmpty && add.isEmpty }
}
