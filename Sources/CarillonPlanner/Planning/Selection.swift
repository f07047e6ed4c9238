import CarillonModel

/// Which candidates get a slot. Reads candidates by index and keeps only numbers.
struct Selection {
  enum State: UInt8 { case waiting, atLimit, rank, reserve, location }

  /// All but locations, by the policy's order.
  let ranked: [Int32]
  /// Locations, nearest of the most important first.
  let locations: [Int32]
  /// For each candidate.
  let states: [State]

  init(_ gathered: Gathered, _ frame: Frame, capacity: Int, foreignRegions: Int) {
    ranked = Ranking.order(gathered, bySoonest: frame.policy.bySoonest, frame: frame) { $0 != .location }
    locations = ranked.count == gathered.candidates.count ? [] : Self.nearest(gathered, frame)
    let regions = min(
      frame.policy.policy.locationSlots, Planner.mostRegions - foreignRegions, capacity)
    var selector = Selector(gathered.candidates, rules: frame.policy.rules, free: capacity)
    selector.take(locations, atMost: max(0, regions), as: .location)
    for type in frame.policy.reserving { selector.reserve(type, ranked) }
    selector.take(ranked, atMost: .max, as: .rank)
    states = selector.states
  }

  func isHeld(_ index: Int) -> Bool {
    switch states[index] {
    case .waiting, .atLimit: false
    case .rank, .reserve, .location: true
    }
  }

  /// Nil for what waits.
  func slot(of index: Int) -> HeldRequest.Slot? {
    switch states[index] {
    case .location: .location
    case .reserve: .reserve
    case .rank: .rank
    case .waiting, .atLimit: nil
    }
  }

  private static func nearest(_ gathered: Gathered, _ frame: Frame) -> [Int32] {
    let candidates = gathered.candidates
    func distance(_ candidate: Candidate) -> Double {
      guard case .location(let trigger) = frame.queue[Int(candidate.entry)].head.trigger else {
        return .infinity
      }
      return trigger.distance ?? .infinity
    }
    let locations = candidates.indices.filter { candidates[$0].form == .location }
    return locations.map { Int32($0) }.sorted { left, right in
      let (one, other) = (candidates[Int(left)], candidates[Int(right)])
      if one.priority != other.priority { return one.priority < other.priority }
      let (near, far) = (distance(one), distance(other))
      if near != far { return near < far }
      return gathered.id(of: one, in: frame.queue).precedes(gathered.id(of: other, in: frame.queue))
    }
  }
}

/// The slots that are still free, and how many each type has.
private struct Selector {
  private let candidates: [Candidate]
  private let rules: [TypeRule]
  private var free: Int
  private var taken: [Int]
  private(set) var states: [Selection.State]

  init(_ candidates: [Candidate], rules: [TypeRule], free: Int) {
    self.candidates = candidates
    self.rules = rules
    self.free = free
    taken = [Int](repeating: 0, count: rules.count)
    states = [Selection.State](repeating: .waiting, count: candidates.count)
  }

  mutating func take(_ order: [Int32], atMost most: Int, as state: Selection.State) {
    var left = most
    order.withUnsafeBufferPointer { order in
      candidates.withUnsafeBufferPointer { candidates in
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
    }
  }

  /// The first of a type by rank, up to its reserve.
  mutating func reserve(_ type: Int, _ order: [Int32]) {
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
