import CarillonModel
import CarillonPlanner
import Testing

/// Every small world of two types, a few fires and one to three slots, held against what the words of the policy
/// say a right choice is: of all subsets of the queue exactly one is right, and it is the planner's.
@Suite struct SelectionEnumerationTests {
  /// Of each entry: its type, its fire, and whether it repeats.
  struct Kind: Hashable {
    var isA: Bool
    var hour: Int
    var repeats: Bool
  }
  /// The ordinary run is content with one-time requests: a slot does not ask whether its request repeats.
  static let kinds = [true, false].flatMap { isA in
    [1, 2].flatMap { hour in
      (Seeded.isLong ? [true, false] : [false]).map { Kind(isA: isA, hour: hour, repeats: $0) }
    }
  }

  struct Rules {
    var slots: Int
    var foreign: Int
    var order: RankOrder
    /// Of a and of b.
    var priorities: (Int, Int)
    var reserves: (Int, Int)
    var limits: (Int?, Int?)

    var capacity: Int { max(0, slots - foreign) }

    var policy: Policy {
      var policy = Policy()
      policy.slots = slots
      policy.order = order
      var a = NotificationType(name: "a", prefixes: ["a"], priority: priorities.0)
      var b = NotificationType(name: "b", prefixes: ["b"], priority: priorities.1)
      (a.reserve, b.reserve) = reserves
      (a.limit, b.limit) = limits
      policy.types = [a, b]
      return policy
    }
  }

  /// All combinations; what a policy's own checks refuse is left out.
  static func allRules() -> [Rules] {
    var all: [Rules] = []
    let shares = Seeded.isLong ? [(1, 0), (2, 0), (3, 0), (3, 2), (2, 2)] : [(2, 0), (3, 2)]
    for (slots, foreign) in shares {
      for order in RankOrder.allCases {
        for priorities in [(0, 1), (1, 1), (1, 0)] {
          for reserves in [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (1, 2)] {
            for limits in [(nil, nil), (1, nil), (2, nil), (1, 1), (nil, 2), (0, nil)] as [(Int?, Int?)] {
              if reserves.0 + reserves.1 > slots { continue }
              if reserves.0 > limits.0 ?? 9 || reserves.1 > limits.1 ?? 9 { continue }
              all.append(
                Rules(
                  slots: slots, foreign: foreign, order: order, priorities: priorities, reserves: reserves,
                  limits: limits))
            }
          }
        }
      }
    }
    return all
  }

  /// All multisets of at most `most` kinds.
  static func queues(_ most: Int) -> [[Kind]] {
    var all: [[Int]] = [[]]
    var last = all
    for _ in 0..<most {
      last = last.flatMap { queue in ((queue.last ?? 0)..<kinds.count).map { queue + [$0] } }
      all += last
    }
    return all.map { $0.map { kinds[$0] } }
  }

  struct Entry {
    var kind: Kind
    var id: String
    var head: NotificationHead
  }

  /// The entries of a queue; ids ascend with the kinds, or descend, as ties go by them.
  static func entries(_ queue: [Kind], idsDescend: Bool) -> [Entry] {
    queue.enumerated().map { place, kind in
      let id = "\(kind.isA ? "a" : "b")\(idsDescend ? 9 - place : place)"
      let trigger: Trigger =
        kind.repeats
        ? .calendar(CalendarTrigger(components: daily(kind.hour), repeats: true))
        : .instant(instant("2026-01-01T0\(kind.hour):00Z"))
      return Entry(kind: kind, id: id, head: .test(id, trigger))
    }
  }

  @Test func everyWorldHasTheOneRightChoice() {
    let queues = Self.queues(Seeded.isLong ? 5 : 3)
    let rules = Self.allRules()
    var worlds = 0
    for rule in rules {
      let policy = CompiledPolicy(rule.policy)
      for queue in queues {
        for idsDescend in [false, true] where !queue.isEmpty || !idsDescend {
          let entries = Self.entries(queue, idsDescend: idsDescend)
          worlds += 1
          let held = Self.held(entries, rule, policy)
          let right = Self.subsets(entries.count).filter { Self.isRight($0, entries, rule) }
          guard right.count == 1, right[0].map({ entries[$0].id }).sorted() == held else {
            Issue.record("\(rule) \(entries.map { "\($0.id) \($0.kind)" }): held \(held), right \(right)")
            return
          }
        }
      }
    }
    print("everyWorldHasTheOneRightChoice: \(worlds) worlds, \(rules.count) policies")
    #expect(worlds == rules.count * (2 * queues.count - 1))
  }

  private static func held(_ entries: [Entry], _ rule: Rules, _ policy: CompiledPolicy) -> [String] {
    var input = PlanInput(
      policy: policy, policyVersion: 1,
      device: PlanningDevice(
        authorizationStatus: .authorized, settings: NotificationSettings(), zone: .utc),
      now: instant("2026-01-01T00:00Z"))
    input.queue = entries.map { QueueEntry(head: $0.head, acceptedAt: input.now) }
    input.foreign.count = rule.foreign
    return input.planned().plan.heldIDs.sorted()
  }

  static func subsets(_ count: Int) -> [[Int]] {
    (0..<(1 << count)).map { bits in (0..<count).filter { bits >> $0 & 1 == 1 } }
  }

  /// - Parameter chosen: indices of the entries that get a slot.
  static func isRight(_ chosen: [Int], _ entries: [Entry], _ rule: Rules) -> Bool {
    func priority(_ entry: Int) -> Int { entries[entry].kind.isA ? rule.priorities.0 : rule.priorities.1 }
    func limit(_ isA: Bool) -> Int { (isA ? rule.limits.0 : rule.limits.1) ?? .max }
    func count(_ isA: Bool) -> Int { chosen.count { entries[$0].kind.isA == isA } }
    func isBefore(_ left: Int, _ right: Int) -> Bool {
      let fires = (entries[left].kind.hour, entries[right].kind.hour)
      if rule.order == .soonestFirst, fires.0 != fires.1 { return fires.0 < fires.1 }
      if priority(left) != priority(right) { return priority(left) < priority(right) }
      return fires.0 != fires.1 ? fires.0 < fires.1 : entries[left].id < entries[right].id
    }
    // Neither the slots nor a limit are exceeded.
    guard chosen.count <= rule.capacity, count(true) <= limit(true), count(false) <= limit(false) else {
      return false
    }
    // What a type has reserved is its first by rank; where foreign requests squeeze, the more important type's.
    let aFirst = rule.priorities.0 <= rule.priorities.1
    var reserved: [Int] = []
    for isA in aFirst ? [true, false] : [false, true] {
      let own = entries.indices.filter { entries[$0].kind.isA == isA }.sorted(by: isBefore)
      let most = min(isA ? rule.reserves.0 : rule.reserves.1, rule.capacity - reserved.count)
      reserved += own.prefix(most)
    }
    guard reserved.allSatisfy(chosen.contains) else { return false }
    for outside in entries.indices where !chosen.contains(outside) {
      let isA = entries[outside].kind.isA
      let isAtLimit = count(isA) == limit(isA)
      // A free slot is given to whoever may have it.
      if chosen.count < rule.capacity, !isAtLimit { return false }
      // Nobody who ranks before another stands outside while that one is in by rank, unless a limit forbids it.
      for inside in chosen where !reserved.contains(inside) && isBefore(outside, inside) {
        if !isAtLimit || entries[inside].kind.isA == isA { return false }
      }
    }
    return true
  }
}
