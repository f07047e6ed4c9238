import CarillonModel

/// Who took whose slot, read from one run of the planner.
extension Planning {
  /// The candidates of an id: the one it names, or all occurrences of an entry in the order of their fires.
  func candidates(of id: NotificationID) -> [Int] {
    gathered.candidates.indices
      .filter { index in
        let candidate = gathered.candidates[index]
        if self.id(of: index) == id { return true }
        return candidate.form == .occurrence && frame.queue[Int(candidate.entry)].head.id == id
      }
      .sorted { (gathered.candidates[$0].fire, $0) < (gathered.candidates[$1].fire, $1) }
  }

  func id(of index: Int) -> NotificationID {
    gathered.withCandidates(frame) { $0.id(of: Int32(index)) }
  }

  func moves(of index: Int) -> [Move] { gathered.withCandidates(frame) { $0.moves(of: [Int32(index)]) } }

  /// Its place by the policy's order, from 1.
  func rank(of index: Int) -> Int? {
    (order(of: index).firstIndex(of: Int32(index))).map { $0 + 1 }
  }

  private func order(of index: Int) -> [Int32] {
    gathered.candidates[index].form == .location ? selection.locations : selection.ranked
  }

  /// The last by rank of those that got a slot one that waits could have had: one without a reserve, if there is any.
  func last(before index: Int, ofType type: Int32? = nil) -> Int? {
    let order = order(of: index).map { Int($0) }
      .filter { selection.isHeld($0) && (type == nil || gathered.candidates[$0].type == type) }
    return order.last { selection.states[$0] != .reserve } ?? order.last
  }

  /// How many others that wait come before it.
  func waiting(before index: Int, ofType type: Int32? = nil) -> Int {
    order(of: index).prefix { Int($0) != index }
      .count { !selection.isHeld(Int($0)) && (type == nil || gathered.candidates[Int($0)].type == type) }
  }

  /// The one that would get the slot of what is held, if that left: found by choosing again without it.
  func runnerUp(of index: Int) -> Int? {
    var without = gathered
    without.candidates.remove(at: index)
    let other = Selection(
      without, frame, ranked: Ranking.ranked(without, frame), capacity: free,
      foreignRegions: foreignRegions)
    func original(_ shifted: Int32) -> Int { Int(shifted) >= index ? Int(shifted) + 1 : Int(shifted) }
    return (other.locations + other.ranked)
      .first { other.isHeld(Int($0)) && !selection.isHeld(original($0)) }
      .map { original($0) }
  }
}
