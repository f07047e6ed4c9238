import CarillonModel

/// Which candidates get a slot. Reads candidates by index and keeps only numbers.
struct Selection {
  enum State: UInt8 { case waiting, atLimit, rank, reserve, location }

  /// All but locations, by the policy's order.
  var ranked: [Int32] = []
  /// Locations, nearest of the most important first.
  var locations: [Int32] = []
  /// For each candidate.
  var states: [State]

  init(_ gathered: Gathered, input: PlanInput, capacity: Int) {
    let candidates = gathered.candidates
    states = [State](repeating: .waiting, count: candidates.count)
    for index in candidates.indices {
      if candidates[index].form == .location {
        locations.append(Int32(index))
      } else {
        ranked.append(Int32(index))
      }
    }
    rank(gathered, input)
    let policy = input.policy.policy
    let regions = min(policy.locationSlots, Planner.mostRegions - input.foreign.regions, capacity)
    var selector = Selector(rules: input.policy.rules, free: capacity)
    selector.take(locations, atMost: max(0, regions), as: .location, candidates, &states)
    for type in input.policy.reserving { selector.reserve(type, ranked, candidates, &states) }
    selector.take(ranked, atMost: .max, as: .rank, candidates, &states)
  }

  private mutating func rank(_ gathered: Gathered, _ input: PlanInput) {
    let candidates = gathered.candidates
    func id(_ index: Int32) -> NotificationID { gathered.id(of: candidates[Int(index)], in: input.queue) }
    func distance(_ index: Int32) -> Double {
      guard case .location(let trigger) = input.queue[Int(candidates[Int(index)].entry)].head.trigger else {
        return .infinity
      }
      return trigger.distance ?? .infinity
    }
    locations.sort { left, right in
      let first = candidates[Int(left)].priority
      let second = candidates[Int(right)].priority
      if first != second { return first < second }
      let (near, far) = (distance(left), distance(right))
      return near != far ? near < far : id(left).precedes(id(right))
    }
    let bySoonest = input.policy.policy.order == .soonestFirst
    ranked = RankKeys(candidates, bySoonest: bySoonest, now: input.now.milliseconds).sorted(ranked, id: id)
  }
}

/// The slots that are still free, and how many each type has.
private struct Selector {
  let rules: [TypeRule]
  var free: Int
  var taken: [Int]

  init(rules: [TypeRule], free: Int) {
    self.rules = rules
    self.free = free
    taken = [Int](repeating: 0, count: rules.count)
  }

  mutating func take(
    _ order: [Int32], atMost most: Int, as state: Selection.State, _ candidates: [Candidate],
    _ states: inout [Selection.State]
  ) {
    var left = most
    for index in order where states[Int(index)] == .waiting {
      let type = Int(candidates[Int(index)].type)
      if taken[type] >= rules[type].limit {
        states[Int(index)] = .atLimit
      } else if free > 0, left > 0 {
        states[Int(index)] = state
        taken[type] += 1
        free -= 1
        left -= 1
      }
    }
  }

  /// The first of a type by rank, up to its reserve.
  mutating func reserve(
    _ type: Int, _ order: [Int32], _ candidates: [Candidate], _ states: inout [Selection.State]
  ) {
    var left = min(rules[type].reserve, rules[type].limit - taken[type], free)
    for index in order where candidates[Int(index)].type == type {
      guard left > 0 else { return }
      states[Int(index)] = .reserve
      taken[type] += 1
      free -= 1
      left -= 1
    }
  }
}
