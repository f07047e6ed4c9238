import CarillonModel

/// Moves one-time requests out of quiet windows and under the caps.
///
/// In the order (effective priority, fire, id), so that what matters most gets the room, each takes the earliest
/// instant at or after its wish that is in no window and breaks no cap. Repeating requests and their occurrences
/// keep the user's hour: they count and do not move.
struct Placer: ~Copyable {
  /// How far a request may be moved; one that finds no place within it waits for a better day.
  static let farthestMove: Int64 = 366 * 86_400_000

  let zone: ZoneTable
  private var windows: QuietWindows?
  /// Milliseconds since 1970.
  let now: Int64
  private let rules: [TypeRule]
  private let exemptLevels: ExemptLevels
  /// Owned, one a cap.
  private let ledgers: UnsafeMutableBufferPointer<CapLedger>
  /// By ledger, for what fatigue holds back.
  private let tiredLimits: [Int]
  private let leastTiredPriority: Int32
  /// How what ``place(type:priority:level:wish:)`` placed last came there.
  private(set) var steps: [Step] = []

  /// - Parameter fatigue: the policy's rule, when the device is tired.
  init(_ frame: Frame, _ repeaters: Repeaters, fatigue: FatigueRule?) {
    let policy = frame.policy.policy
    zone = frame.zone
    now = frame.now
    rules = frame.policy.rules
    windows = policy.quietHours.map { QuietWindows($0, zone: frame.zone) }
    exemptLevels = ExemptLevels((policy.quietHours ?? QuietHours()).exempt, frame.reachability)
    ledgers = .allocate(capacity: policy.frequencyCaps.count)
    for (index, cap) in policy.frequencyCaps.enumerated() {
      ledgers.initializeElement(
        at: index, to: CapLedger(cap, names: frame.policy.names, repeaters, expected: frame.queue.count))
    }
    tiredLimits = policy.frequencyCaps.map { cap in
      fatigue.map { min(cap.limit, max(1, Int(Double(cap.limit) * $0.capScale))) } ?? cap.limit
    }
    leastTiredPriority = Int32(truncatingIfNeeded: fatigue?.minPriority ?? Int(Int32.max))
    for delivery in frame.history where !ledgers.isEmpty {
      let type = Int32(frame.policy.index(ofTypeNamed: delivery.type))
      for index in ledgers.indices where ledgers[index].concerns(type: type) {
        ledgers[index].addFixed(delivery.at.milliseconds)
      }
    }
  }

  deinit {
    ledgers.deinitialize()
    ledgers.deallocate()
  }

  enum Outcome: Equatable {
    /// Milliseconds since 1970.
    case placed(Int64)
    case withheld(WithheldRequest.Reason)
  }

  /// Finds the place of one request; ``steps`` then says how it came there.
  ///
  /// - Parameters:
  ///   - priority: the effective one.
  ///   - level: of its content.
  ///   - wish: milliseconds since 1970.
  mutating func place(type: Int32, priority: Int32, level: InterruptionLevel, wish: Int64) -> Outcome {
    if !steps.isEmpty { steps.removeAll(keepingCapacity: true) }
    if exemptLevels.contains(level) { return .placed(wish) }
    let rule = rules[Int(type)]
    let isCapped = !rule.capExempt && !ledgers.isEmpty
    var time = wish
    while true {
      if rule.quietHours != .ring {
        guard let end = quietEnd(of: time) else { return .withheld(.quietHours) }
        if end != time {
          guard rule.quietHours == .hold else { return .withheld(.quietHours) }
          steps.append(Step(rule: .quietHours, from: time, to: end))
          time = end
        }
      }
      guard isCapped else { break }
      guard let free = earliest(time, type, priority) else { return .withheld(.capped) }
      if free == time { break }
      guard rule.cap == .hold else { return .withheld(.capped) }
      steps.append(Step(rule: .frequencyCaps, from: time, to: free))
      time = free
      if time - wish > Self.farthestMove { return .withheld(.capped) }
    }
    return time - wish > Self.farthestMove ? .withheld(.capped) : .placed(time)
  }

  /// What most requests need: no window and no cap is in the way of a wish that is still to come, and it counts
  /// from now on. Else nothing has happened.
  @inline(__always)
  mutating func takesAsWished(_ candidate: Candidate, _ frame: Frame) -> Bool {
    let head = frame.queue.baseAddress! + Int(candidate.entry)
    let wish = candidate.fire
    if wish <= now { return false }
    if let expiry = head.pointee.head.expiresAt, wish > expiry.milliseconds { return false }
    let rule = rules[Int(candidate.type)]
    if !exemptLevels.contains(head.pointee.head.summary.interruptionLevel) {
      if rule.quietHours != .ring, quietEnd(of: wish) != wish { return false }
      if !rule.capExempt {
        let isTired = candidate.priority >= leastTiredPriority
        for index in ledgers.indices where ledgers[index].concerns(type: candidate.type) {
          let limit = isTired ? tiredLimits[index] : ledgers[index].limit
          if !ledgers[index].hasRoom(at: wish, limit: limit, after: now, zone: zone) { return false }
        }
      }
    }
    take(wish, type: candidate.type)
    return true
  }

  /// The first instant at or after one that no quiet window holds; nil when they cover the week.
  @inline(__always)
  mutating func quietEnd(of time: Int64) -> Int64? { windows == nil ? time : windows?.end(of: time) }

  /// Whether an entry's level, as far as the device allows it, lets it ring at its time.
  func isExempt(_ level: InterruptionLevel) -> Bool { exemptLevels.contains(level) }

  /// Lets a request that was placed count.
  mutating func take(_ time: Int64, type: Int32) {
    for index in ledgers.indices where ledgers[index].concerns(type: type) { ledgers[index].add(time) }
  }

  private mutating func earliest(_ time: Int64, _ type: Int32, _ priority: Int32) -> Int64? {
    let isTired = priority >= leastTiredPriority
    var time = time
    let start = time
    var settled = false
    while !settled {
      settled = true
      for index in ledgers.indices where ledgers[index].concerns(type: type) {
        let limit = isTired ? tiredLimits[index] : ledgers[index].limit
        guard let free = ledgers[index].earliest(time, limit: limit, after: now, zone: zone) else {
          return nil
        }
        if free != time {
          time = free
          settled = false
        }
      }
      if time - start > Self.farthestMove { return nil }
    }
    return time
  }
}

/// The levels that quiet hours and caps do not move, as far as the device lets them have their way.
private struct ExemptLevels {
  private var passive: Bool
  private var active: Bool
  private var timeSensitive: Bool
  private var critical: Bool

  init(_ exempt: [InterruptionLevel], _ reachability: Reachability) {
    func isExempt(_ level: InterruptionLevel) -> Bool { exempt.contains(reachability.effective(level)) }
    passive = isExempt(.passive)
    active = isExempt(.active)
    timeSensitive = isExempt(.timeSensitive)
    critical = isExempt(.critical)
  }

  func contains(_ level: InterruptionLevel) -> Bool {
    switch level {
    case .passive: passive
    case .active: active
    case .timeSensitive: timeSensitive
    case .critical: critical
    }
  }
}
