import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonStore

extension DevicePlanner {
  /// What was delivered so far, for planning, and what of it to remember.
  struct Deliveries {
    var history: [PastDelivery] = []
    var memory = DeliveryMemory()
    /// Whether the memory holds more than what is stored.
    var isNews = false
  }

  func deliveries(_ situation: Situation, now: Instant) throws(ServiceError) -> Deliveries {
    guard let previous = situation.previous else { return Deliveries() }
    let hasFired = previous.nextFireAt.map { $0 <= now } ?? false
    guard !previous.deliveries.isEmpty || hasFired else { return Deliveries() }
    let stored = try Self.read(previous.deliveries, .deliveries) { (bytes) throws(JSONError) in
      try DeliveryMemory(stored: bytes)
    }
    var memory = stored
    if hasFired {
      let plan = try Self.plan(previous)
      let fires = PastFires(
        // Where the device was when they came.
        device: try planningDevice(situation.before), zones: zones, now: now,
        earliest: now.adding(seconds: -secondsRemembered))
      memory.note(plan, now: now) { fires.of($0) }
    }
    let evidence = situation.evidence
    memory.settle(evidence, now: now)
    return Deliveries(
      history: memory.history(evidence), memory: memory, isNews: !memory.knowsTheSame(as: stored))
  }

  /// What to store of a memory beside a plan.
  ///
  /// - Parameter isNew: whether the plan is another one than the stored one.
  func remembered(
    _ deliveries: Deliveries, with plan: Plan, isNew: Bool, _ situation: Situation, now: Instant
  ) throws(ServiceError) -> [UInt8] {
    guard let previous = situation.previous else { return [] }
    // Time alone makes nothing worth writing.
    guard isNew || deliveries.isNews else { return previous.deliveries }
    var memory = deliveries.memory
    if isNew {
      let evidence = situation.evidence
      memory.supersede(try Self.plan(previous), by: plan, now: now) { evidence.mayHold($0) }
    }
    let needs = QueueNeeds(situation.queue)
    memory.prune(now: now, seconds: secondsRemembered) { needs.contains($0) }
    return memory.stored
  }

  static func plan(_ stored: PlanSummary) throws(ServiceError) -> Plan {
    try read(stored.document, .plan) { (bytes) throws(JSONError) in try Plan.decode(bytes) }
  }

  /// As far back as the longest cap looks.
  private var secondsRemembered: Int64 {
    policy.policy.frequencyCaps.reduce(DeliveryMemory.secondsKept) { longest, cap in
      guard case .rolling(let seconds) = cap.per else { return longest }
      return max(longest, Int64(seconds))
    }
  }

  private static func read<Value>(
    _ bytes: [UInt8], _ kind: StoreError.StoredValue, _ body: ([UInt8]) throws(JSONError) -> Value
  ) throws(ServiceError) -> Value {
    do { return try body(bytes) } catch { throw .store(.unreadable(kind)) }
  }
}

extension DevicePlanner.Situation {
  fileprivate var evidence: DeliveryEvidence {
    DeliveryEvidence(state: before, report: report, isRepetition: isRepetition)
  }
}

/// Of which deliveries the queue still asks whether they were made.
private struct QueueNeeds {
  private var once: Set<NotificationID> = []
  private var groups: Set<Substring> = []

  init(_ queue: [StoredEntry]) {
    for entry in queue where !entry.head.trigger.repeats {
      once.insert(entry.head.id)
      if let group = entry.head.group { groups.insert(group[...]) }
    }
  }

  func contains(_ id: NotificationID) -> Bool {
    once.contains(id) || Self.group(ofDigest: id.text).map { groups.contains($0) } ?? false
  }

  /// `g` of `digest.g@20260102T0700`.
  private static func group(ofDigest id: String) -> Substring? {
    let prefix = "digest."
    guard id.hasPrefix(prefix), let end = id.lastIndex(of: "@") else { return nil }
    let rest = id.dropFirst(prefix.count)
    return rest.startIndex <= end ? rest[..<end] : nil
  }
}
