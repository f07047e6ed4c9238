import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonStore

extension DevicePlanner {
  /// What was delivered so far, for planning, and what of it to remember.
  func deliveries(
    _ situation: Situation, now: Instant
  ) throws(ServiceError) -> (history: [PastDelivery], memory: [UInt8]) {
    guard let previous = situation.previous else { return ([], []) }
    guard !previous.deliveries.isEmpty || previous.firedDocument != nil else { return ([], []) }
    let stored = try Self.read(previous.deliveries, .deliveries) { (bytes) throws(JSONError) in
      try DeliveryMemory(stored: bytes)
    }
    var memory = stored
    if let document = previous.firedDocument {
      let plan = try Self.read(document, .plan) { (bytes) throws(JSONError) in try Plan.decode(bytes) }
      let fires = PastFires(
        // Where the device was when they came.
        device: try planningDevice(situation.before), zones: zones, now: now,
        earliest: now.adding(seconds: -secondsRemembered))
      memory.note(plan, now: now) { fires.of($0) }
    }
    let evidence = DeliveryEvidence(state: situation.before, report: situation.report)
    memory.settle(evidence)
    let history = memory.history(evidence)
    // Time alone makes nothing worth writing.
    guard memory != stored else { return (history, previous.deliveries) }
    let needs = QueueNeeds(situation.queue)
    memory.prune(now: now, seconds: secondsRemembered) { needs.contains($0) }
    return (history, memory.stored)
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
