import CarillonModel

/// Which candidates get a slot. Reads candidates by index and keeps only numbers.
struct Selection {
  /// From `rank` on it is held.
  enum State: UInt8, Comparable {
    case waiting, atLimit, rank, reserve, location

    @inline(__always)
    static func < (left: State, right: State) -> Bool { left.rawValue < right.rawValue }

    /// Nil for what waits.
    @inline(__always)
    var slot: HeldRequest.Slot? {
      switch self {
      case .location: .location
      case .reserve: .reserve
      case .rank: .rank
      case .waiting, .atLimit: nil
      }
    }
  }

  /// All but locations, by the policy's order.
  let ranked: [Int32]
  /// Locations, nearest of the most important first.
  let locations: [Int32]
  /// For each candidate.
  let states: [State]

  /// - Parameter ranked: all but locations, by the policy's order.
  init(_ gathered: Gathered, _ frame: Frame, ranked: [Int32], capacity: Int, foreignRegions: Int) {
    self.ranked = ranked
    locations =
      ranked.count == gathered.candidates.count
      ? [] : gathered.withCandidates(frame) { Self.nearest($0, frame) }
    let regions = min(
      frame.policy.policy.locationSlots, Planner.mostRegions - foreignRegions, capacity)
    var selector = Selector(gathered.candidates, rules: frame.policy.rules, free: capacity)
    if !locations.isEmpty { selector.take(locations, atMost: max(0, regions), as: .location) }
    for type in frame.policy.reserving { selector.reserve(type, ranked) }
    selector.take(ranked, atMost: .max, as: .rank)
    states = selector.states
  }

  func isHeld(_ index: Int) -> Bool { states[index] >= .rank }

  /// Nil for what waits.
  func slot(of index: Int) -> HeldRequest.Slot? { states[index].slot }

  private static func nearest(_ list: CandidateList, _ frame: Frame) -> [Int32] {
    func distance(_ candidate: Candidate) -> Double {
      guard case .location(let trigger) = frame.queue[Int(candidate.entry)].head.trigger else {
        return .infinity
      }
      return trigger.distance ?? .infinity
    }
    let locations = list.candidates.indices.filter { list.candidates[$0].form == .location }
    return locations.map { Int32($0) }.sorted { left, right in
      let (one, other) = (list[left], list[right])
      if one.priority != other.priority { return one.priority < other.priority }
      let (near, far) = (distance(one), distance(other))
      if near != far { return near < far }
      return list.id(of: left).precedes(list.id(of: right))
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
    var free = free
    order.withUnsafeBufferPointer { order in
      candidates.withUnsafeBufferPointer { candidates in
        rules.withUnsafeBufferPointer { rules in
          states.withUnsafeMutableBufferPointer { states in
            taken.withUnsafeMutableBufferPointer { taken in
              for index in order where states[Int(index)] == .waiting {
                let type = Int(candidates[Int(index)].type)
                if taken[type] >= rules[type].limit {
                  states[Int(index)] = .atLimit
                } else if free > 0, left > 0 {
                  states[Int(index)] = state
                  taken[type] &+= 1
                  free &-= 1
                  left &-= 1
                }
              }
            }
          }
        }
      }
    }
    self.free = free
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
