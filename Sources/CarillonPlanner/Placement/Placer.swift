import CarillonModel

/// Moves one-time requests out of quiet windows and under the caps.
///
/// In the order (effective priority, fire, id), so that what matters most gets the room, each takes the earliest
/// instant at or after its wish that is in no window and breaks no cap. Repeating requests and their occurrences
/// keep the user's hour: they count and do not move.
struct Placer {
  /// How far a request may be moved; one that finds no place within it waits for a better day.
  static let farthestMove: Int64 = 366 * 86_400_000

  let input: PlanInput
  let zone: ZoneTable
  let reachability: Reachability
  let windows: QuietWindows?
  private let exemptLevels: [Bool]
  var ledgers: [CapLedger]
  /// By ledger, for what fatigue holds back.
  let tiredLimits: [Int]
  let leastTiredPriority: Int32
  var repeaters: [Repeater]
  /// Up to when the fires of repeating requests stand in the ledgers, in milliseconds.
  var counted: Int64

  init(_ input: PlanInput, _ gathered: Gathered, _ reachability: Reachability) {
    let policy = input.policy.policy
    self.input = input
    self.reachability = reachability
    zone = input.device.zone
    windows = policy.quietHours.map { QuietWindows($0, zone: input.device.zone) }
    let exempt = (policy.quietHours ?? QuietHours()).exempt
    exemptLevels = InterruptionLevel.allCases.map { exempt.contains(reachability.effective($0)) }
    ledgers = policy.frequencyCaps.map { CapLedger($0, types: input.policy.types) }
    let fatigue = policy.fatigue.flatMap { rule in input.isFatigued(rule) ? rule : nil }
    tiredLimits = ledgers.map { ledger in
      fatigue.map { min(ledger.limit, max(1, Int(Double(ledger.limit) * $0.capScale))) } ?? ledger.limit
    }
    leastTiredPriority = Int32(truncatingIfNeeded: fatigue?.minPriority ?? Int(Int32.max))
    repeaters = gathered.repeaters
    counted = input.now.milliseconds
    for index in ledgers.indices {
      let made = input.history.filter { delivery in
        ledgers[index].concerns(type: input.policy.index(ofTypeNamed: delivery.type))
      }
      ledgers[index].add(made.map(\.at.milliseconds))
    }
  }

  enum Outcome {
    case placed(Int64, [Move])
    case withheld(WithheldRequest.Reason)
  }

  /// Finds the place of one request and takes it.
  ///
  /// - Parameter wish: milliseconds since 1970.
  mutating func place(_ candidate: Candidate, wish: Int64) -> Outcome {
    let type = input.policy.types[Int(candidate.type)]
    let isExempt = isExempt(Int(candidate.entry))
    var time = wish
    var moves: [Move] = []
    var settled = false
    while !settled {
      settled = true
      if !isExempt, type.quietHours != .ring, let windows {
        guard let end = windows.end(of: time) else { return .withheld(.quietHours) }
        if end != time {
          guard type.quietHours == .hold else { return .withheld(.quietHours) }
          moves.add("quietHours", time, end)
          time = end
        }
      }
      if !isExempt, !type.capExempt, !ledgers.isEmpty {
        guard let free = earliest(time, candidate) else { return .withheld(.capped) }
        if free != time {
          guard type.cap == .hold else { return .withheld(.capped) }
          moves.add("frequencyCaps", time, free)
          time = free
          settled = false
        }
      }
      if time - wish > Self.farthestMove { return .withheld(.capped) }
    }
    return .placed(time, moves)
  }

  /// Whether an entry's level, as far as the device allows it, lets it ring at its time.
  func isExempt(_ entry: Int) -> Bool {
    switch input.queue[entry].head.summary.interruptionLevel {
    case .passive: exemptLevels[0]
    case .active: exemptLevels[1]
    case .timeSensitive: exemptLevels[2]
    case .critical: exemptLevels[3]
    }
  }

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
        count(until: time + ledgers[index].reach)
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

  /// Enters the fires of repeating requests up to an instant, some days ahead so that this is rarely needed.
  private mutating func count(until time: Int64) {
    guard time > counted, !repeaters.isEmpty else { return }
    counted = time + 7 * 86_400_000
    var fires = [[Int64]](repeating: [], count: ledgers.count)
    for index in repeaters.indices {
      while let fire = repeaters[index].pop(upTo: counted) {
        for ledger in ledgers.indices where ledgers[ledger].concerns(type: repeaters[index].type) {
          fires[ledger].append(fire)
        }
      }
    }
    for ledger in ledgers.indices { ledgers[ledger].add(fires[ledger]) }
  }
}

extension [Move] {
  fileprivate mutating func add(_ rule: String, _ from: Int64, _ to: Int64) {
    append(Move(by: rule, from: Instant(milliseconds: from), to: Instant(milliseconds: to)))
  }
}

/// The fires of one repeating request, one after another.
struct Repeater {
  /// Beyond this many fires a repeating request no longer counts: one that rings each minute fills any cap.
  static let mostFires = 400

  var type: Int
  /// Milliseconds; nil after the last.
  private var next: Int64?
  private var left = Repeater.mostFires
  private let following: (Int64) -> Int64?

  init(type: Int, first: Int64, following: @escaping (_ after: Int64) -> Int64?) {
    self.type = type
    next = first
    self.following = following
  }

  mutating func pop(upTo limit: Int64) -> Int64? {
    guard let fire = next, fire <= limit, left > 0 else { return nil }
    left -= 1
    next = following(fire)
    return fire
  }
}
