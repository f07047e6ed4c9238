import CarillonModel

/// Moves one-time requests out of quiet windows and under the caps.
///
/// In the order (effective priority, fire, id), so that what matters most gets the room, each takes the earliest
/// instant at or after its wish that is in no window and breaks no cap. Repeating requests and their occurrences
/// keep the user's hour: they count and do not move.
struct Placer {
  /// How far a request may be moved; one that finds no place within it waits for a better day.
  static let farthestMove: Int64 = 366 * 86_400_000

  let zone: ZoneTable
  let windows: QuietWindows?
  /// Milliseconds since 1970.
  let now: Int64
  private let rules: [TypeRule]
  private let exemptLevels: ExemptLevels
  private var ledgers: [CapLedger]
  /// By ledger, for what fatigue holds back.
  private let tiredLimits: [Int]
  private let leastTiredPriority: Int32
  private var repeaters: Repeaters
  /// The moves of what ``place(_:level:wish:)`` placed last, in their order.
  private(set) var moves: [Move] = []

  init(_ input: PlanInput, _ repeaters: Repeaters, _ reachability: Reachability) {
    let policy = input.policy.policy
    zone = input.device.zone
    now = input.now.milliseconds
    rules = input.policy.rules
    windows = policy.quietHours.map { QuietWindows($0, zone: input.device.zone) }
    exemptLevels = ExemptLevels((policy.quietHours ?? QuietHours()).exempt, reachability)
    ledgers = policy.frequencyCaps.map { CapLedger($0, names: input.policy.names) }
    let fatigue = policy.fatigue.flatMap { rule in input.isFatigued(rule) ? rule : nil }
    tiredLimits = ledgers.map { ledger in
      fatigue.map { min(ledger.limit, max(1, Int(Double(ledger.limit) * $0.capScale))) } ?? ledger.limit
    }
    leastTiredPriority = Int32(truncatingIfNeeded: fatigue?.minPriority ?? Int(Int32.max))
    self.repeaters = repeaters
    guard !ledgers.isEmpty else { return }
    for delivery in input.history {
      let type = input.policy.index(ofTypeNamed: delivery.type)
      for index in ledgers.indices where ledgers[index].concerns(type: type) {
        ledgers[index].addFixed(delivery.at.milliseconds)
      }
    }
    for index in ledgers.indices { ledgers[index].settle(from: 0) }
  }

  enum Outcome: Equatable {
    /// Milliseconds since 1970.
    case placed(Int64)
    case withheld(WithheldRequest.Reason)
  }

  /// Finds the place of one request; ``moves`` then says how it came there.
  ///
  /// - Parameters:
  ///   - level: of its content.
  ///   - wish: milliseconds since 1970.
  mutating func place(_ candidate: Candidate, level: InterruptionLevel, wish: Int64) -> Outcome {
    moves.removeAll(keepingCapacity: true)
    let rule = rules[Int(candidate.type)]
    let isExempt = exemptLevels.contains(level)
    if isExempt { return .placed(wish) }
    var time = wish
    var settled = false
    while !settled {
      settled = true
      if rule.quietHours != .ring, let windows {
        guard let end = windows.end(of: time) else { return .withheld(.quietHours) }
        if end != time {
          guard rule.quietHours == .hold else { return .withheld(.quietHours) }
          moves.add("quietHours", time, end)
          time = end
        }
      }
      if !rule.capExempt, !ledgers.isEmpty {
        guard let free = earliest(time, candidate) else { return .withheld(.capped) }
        if free != time {
          guard rule.cap == .hold else { return .withheld(.capped) }
          moves.add("frequencyCaps", time, free)
          time = free
          settled = false
        }
      }
      if time - wish > Self.farthestMove { return .withheld(.capped) }
    }
    return .placed(time)
  }

  /// Whether an entry's level, as far as the device allows it, lets it ring at its time.
  func isExempt(_ level: InterruptionLevel) -> Bool { exemptLevels.contains(level) }

  /// Lets a request that was placed count.
  mutating func take(_ time: Int64, type: Int32) {
    for index in ledgers.indices where ledgers[index].concerns(type: Int(type)) { ledgers[index].add(time) }
  }

  private mutating func earliest(_ time: Int64, _ candidate: Candidate) -> Int64? {
    var time = time
    let start = time
    var settled = false
    while !settled {
      settled = true
      for index in ledgers.indices where ledgers[index].concerns(type: Int(candidate.type)) {
        count(upTo: time + ledgers[index].reach)
        let limit = candidate.priority >= leastTiredPriority ? tiredLimits[index] : ledgers[index].limit
        guard let free = ledgers[index].earliest(time, limit: limit, zone: zone) else { return nil }
        if free != time {
          time = free
          settled = false
        }
      }
      if time - start > Self.farthestMove { return nil }
    }
    return time
  }

  /// Enters the fires of what repeats up to an instant.
  private mutating func count(upTo time: Int64) {
    guard !repeaters.isGiven(upTo: time) else { return }
    let starts = ledgers.map(\.fixedCount)
    repeaters.take(upTo: time, after: now, zone: zone) { fire, type in
      for index in ledgers.indices where ledgers[index].concerns(type: type) { ledgers[index].addFixed(fire) }
    }
    for index in ledgers.indices { ledgers[index].settle(from: starts[index]) }
  }
}

extension [Move] {
  fileprivate mutating func add(_ rule: String, _ from: Int64, _ to: Int64) {
    append(Move(by: rule, from: Instant(milliseconds: from), to: Instant(milliseconds: to)))
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
