import CarillonModel

/// All that one sync, or one planning, changes of a device: it is stored whole or not at all.
public struct DeviceChange: Sendable {
  /// The ``StoredDevice/rowVersion`` the change was computed from; nil: the device must not exist yet.
  public var expectedRowVersion: Int64?
  /// The server's time.
  public var now: Instant
  /// What the change forgets, it forgets as of then (``RetentionClock``); nil: as of ``now``.
  public var forgetsAsOf: Instant?
  /// Nil: as it was.
  public var state: DeviceState?
  /// Of the state nothing differs from what is stored but what is pending, and how much is not ours.
  public var changesOnlyRequests = false
  /// The report's; nil when there was no report (a plan asked for). A sequence that is not newer is a conflict.
  public var sequence: Int64?
  /// What a repetition of the report may be answered; nil: nothing, the next one goes the long way.
  public var steady: SteadyState?
  /// No more than the queue, which is as it was loaded, has room for.
  public var puts: [QueueItem] = []
  /// Taken out of the queue before the puts.
  public var cancels: [NotificationID] = []
  /// Expired so long ago that nobody asks for them any more: taken out like cancels.
  public var prunes: [NotificationID] = []
  /// Nil: the plan is the same as before.
  public var plan: PlanDraft?
  /// An event whose id the device has sent before is left out.
  public var events: [DeviceEvent] = []
  /// Events received before this are forgotten; nil: none.
  public var forgetEventsBefore: Instant?
  /// What the sync adds to the device's history; nil: nothing.
  public var history: DeviceHistory?
  /// What the sync changes of the inbox; nil: nothing.
  public var inbox: InboxChange?
  /// The ``StoredDevice/inboxVersion`` that ``steady`` was computed from; where it is another one by now, the change is
  /// stored without it. Nil: any.
  public var inboxVersion: Int64?
  /// When something in the queue next comes due; nil: nothing does. See ``QueueAnswer/lookFirst``.
  public var lookAt: Instant?
  /// What the sync changes of what is known of priming; nil: nothing.
  public var priming: PrimingChange?
  /// What the sync changes of who has what; nil: nothing. Only with a report.
  public var identity: IdentityChange?
  /// What the request that brings the change is answered, and the device that was asked; nil: nothing is kept.
  public var keeping: (answer: AnswerDraft, device: DeviceID)?
  /// Whose contents to read back, the puts included.
  public var wantedContents: [NotificationID] = []

  public init(expectedRowVersion: Int64?, now: Instant) {
    self.expectedRowVersion = expectedRowVersion
    self.now = now
  }
}

/// What is kept so that a report without news is answered by one statement.
public struct SteadyState: Hashable, Sendable {
  /// Of the whole report but its sequence and time of sending.
  public var digest: UInt64
  public var validUntil: Instant
  /// The policy version the plan was made with.
  public var policyVersion: Int
  /// What to answer from; the service's own form.
  public var answer: [UInt8]

  public init(digest: UInt64, validUntil: Instant, policyVersion: Int, answer: [UInt8]) {
    self.digest = digest
    self.validUntil = validUntil
    self.policyVersion = policyVersion
    self.answer = answer
  }
}

/// The stored answer to a report without news.
public struct SteadyAnswer: Hashable, Sendable {
  public var planVersion: Int
  public var answer: [UInt8]

  public init(planVersion: Int, answer: [UInt8]) {
    self.planVersion = planVersion
    self.answer = answer
  }
}

/// Something that happened on a device, told once.
public struct DeviceEvent: Hashable, Sendable {
  /// Unique on its device.
  public var id: String
  public var kind: String
  public var notification: NotificationID?
  /// Of a value action.
  public var name: String?
  /// By the device's clock.
  public var at: Instant

  public init(id: String, kind: String, notification: NotificationID? = nil, name: String? = nil, at: Instant)
  {
    self.id = id
    self.kind = kind
    self.notification = notification
    self.name = name
    self.at = at
  }
}

/// What became of a ``DeviceChange``.
public enum ApplyOutcome: Hashable, Sendable {
  /// Durable. The wanted contents, as far as their notifications stand in the queue.
  case applied(contents: [NotificationID: [UInt8]])
  /// The device has changed since it was loaded, or a newer report was stored; nothing was changed. Load again.
  case conflict
}
