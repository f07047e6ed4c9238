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
  private var clock: SteadyClock
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
  /// Of all requests, each with a run of its own.
  private(set) var steps: [Step]
  /// So many belong to what was taken; behind them stand those of what was placed last.
  private var taken: Int

  /// - Parameters:
  ///   - repeaters: what repeats, unless its fires are known.
  ///   - ahead: the fires of what repeats.
  ///   - steps: of what moved before.
  ///   - fatigue: the policy's rule, when the device is tired.
  init(
    _ frame: Frame, _ repeaters: Repeaters, _ ahead: FiresAhead?, steps: [Step], fatigue: FatigueRule?
  ) {
    let policy = frame.policy.policy
    self.steps = steps
    taken = steps.count
    self.steps.reserveCapacity(steps.count + frame.queue.count)
    zone = frame.zone
    clock = SteadyClock(frame.zone)
    now = frame.now
    rules = frame.policy.rules
    windows = policy.quietHours.map { QuietWindows($0, zone: frame.zone) }
    exemptLevels = ExemptLevels((policy.quietHours ?? QuietHours()).exempt, frame.reachability)
    ledgers = .allocate(capacity: policy.frequencyCaps.count)
    for (index, cap) in policy.frequencyCaps.enumerated() {
      let counts = frame.policy.counts(in: cap)
      let stream = ahead?.ledgers[index].stream ?? RepeaterStream(repeaters, counts: counts)
      ledgers.initializeElement(
        at: index, to: CapLedger(cap, counts: counts, stream, expected: frame.queue.count))
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
    if let ahead {
      for index in ledgers.indices { ledgers[index].addFixed(ahead.ledgers[index].times, after: now) }
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

  /// Finds the place of one request. It counts once it is taken with ``take(_:into:)``.
  ///
  /// - Parameters:
  ///   - priority: the effective one.
  ///   - level: of its content.
  ///   - wish: milliseconds since 1970.
  ///   - quietEnd: ``quietEnd(of:)`` of the wish, where it is known.
  @inline(__always)
  mutating func place(
    type: Int32, priority: Int32, level: InterruptionLevel, wish: Int64, quietEnd known: Int64? = nil
  ) -> Outcome {
    if steps.count > taken { forgetSteps() }
    if exemptLevels.contains(level) { return .placed(wish) }
    let rule = rules[Int(type)]
    var time = wish
    if rule.quietHours != .ring, known != wish {
      guard let end = known ?? quietEnd(of: wish), end == wish || rule.quietHours == .hold else {
        return .withheld(.quietHours)
      }
      if end != wish {
        steps.append(Step(rule: .quietHours, from: wish, to: end))
        time = end
      }
    }
    if rule.capExempt || ledgers.isEmpty { return .placed(time) }
    guard let free = earliest(time, type, priority) else { return .withheld(.capped) }
    if free == time { return .placed(time) }
    return move(from: time, to: free, rule, type: type, priority: priority, wish: wish)
  }

  /// A cap is in the way: goes on until neither a window nor a cap is.
  @inline(never)
  private mutating func move(
    from start: Int64, to first: Int64, _ rule: TypeRule, type: Int32, priority: Int32, wish: Int64
  ) -> Outcome {
    guard rule.cap == .hold else { return .withheld(.capped) }
    var time = start
    var free = first
    while free != time {
      steps.append(Step(rule: .frequencyCaps, from: time, to: free))
      time = free
      if time - wish > Self.farthestMove { return .withheld(.capped) }
      if rule.quietHours == .ring { break }
      guard let end = quietEnd(of: time), end == time || rule.quietHours == .hold else {
        return .withheld(.quietHours)
      }
      if end == time { break }
      steps.append(Step(rule: .quietHours, from: time, to: end))
      time = end
      guard let next = earliest(time, type, priority) else { return .withheld(.capped) }
      free = next
    }
    return time - wish > Self.farthestMove ? .withheld(.capped) : .placed(time)
  }

  private mutating func forgetSteps() { steps.removeLast(steps.count - taken) }

  /// Lets what was placed last count, and notes how it came there.
  @inline(__always)
  mutating func take(_ time: Int64, into candidate: inout Candidate) {
    for index in ledgers.indices where ledgers[index].concerns(type: candidate.type) {
      ledgers[index].add(time)
    }
    if steps.count == taken { return }
    candidate.firstStep = Int32(truncatingIfNeeded: taken)
    candidate.stepCount = Int32(truncatingIfNeeded: steps.count &- taken)
    taken = steps.count
  }

  /// What the device is told to add for a wall time that was moved: it stays one, so that travel keeps it, unless
  /// the clock shows it twice.
  @inline(__always)
  mutating func wallTrigger(at time: Int64) -> Candidate.HeldTrigger {
    let seconds = Int(Instant(milliseconds: time).seconds)
    guard Int64(seconds) &* 1000 == time else { return .instant }
    if let offset = clock.offset(at: seconds) { return .local(wall: seconds &+ offset) }
    let wall = seconds + zone.offset(at: seconds)
    return zone.rawReading(wall).kind == .unique ? .local(wall: wall) : .instant
  }

  /// Puts a step before those of what was placed last.
  mutating func lead(with step: Step) { steps.insert(step, at: taken) }

  /// Lets the way of what was placed last begin at another time.
  mutating func begin(at time: Int64) { steps[taken].from = time }

  /// The first instant at or after one that no quiet window holds; nil when they cover the week.
  @inline(__always)
  mutating func quietEnd(of time: Int64) -> Int64? { windows == nil ? time : windows?.end(of: time) }

  /// Whether an entry's level, as far as the device allows it, lets it ring at its time.
  func isExempt(_ level: InterruptionLevel) -> Bool { exemptLevels.contains(level) }

  /// The first instant from `start` on at which no cap is in the way: each in turn is asked until all agree.
  @inline(__always)
  private mutating func earliest(_ start: Int64, _ type: Int32, _ priority: Int32) -> Int64? {
    var time = start
    var index = 0
    var agreed = 0
    while agreed < ledgers.count {
      if ledgers[index].concerns(type: type) {
        let limit = priority >= leastTiredPriority ? tiredLimits[index] : ledgers[index].limit
        let last = start &+ Self.farthestMove
        guard
          let free = ledgers[index].earliest(time, through: last, limit: limit, after: now, zone: zone),
          free <= last
        else { return nil }
        if free != time {
          time = free
          agreed = 0
        }
      }
      agreed &+= 1
      index = index &+ 1 == ledgers.count ? 0 : index &+ 1
    }
    return time
  }
}

/// The levels that quiet hours and caps do not move, as far as the device lets them have their way.
private struct ExemptLevels {
  private var bits: UInt8 = 0

  init(_ exempt: [InterruptionLevel], _ reachability: Reachability) {
    for level in InterruptionLevel.allCases where exempt.contains(reachability.effective(level)) {
      bits |= Self.bit(level)
    }
  }

  @inline(__always)
  func contains(_ level: InterruptionLevel) -> Bool { bits & Self.bit(level) != 0 }

  @inline(__always)
  private static func bit(_ level: InterruptionLevel) -> UInt8 {
    switch level {
    case .passive: 1
    case .active: 2
    case .timeSensitive: 4
    case .critical: 8
    }
  }
}
