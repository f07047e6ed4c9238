import CarillonModel

extension PlanDiff {
  /// What turns the pending requests into the held ones: removes name only ids that leave, a changed one is a
  /// single add, and what is not ours is never named.
  init(held: [HeldRequest], input: PlanInput) {
    self.init()
    // A device that has not said what it holds may hold all that was ever sent.
    let pending = input.pending ?? input.sent.map { PendingRequest(id: $0) }
    var leaving: [Int] = []
    held.withUnsafeBufferPointer { held in
      pending.withUnsafeBufferPointer { pending in
        var index = HeldIndex(held)
        for number in pending.indices where !index.mark(pending, number) { leaving.append(number) }
        for number in held.indices where !index.isThere[number] { add.append(number) }
      }
    }
    removeOurs(leaving.map { pending[$0] }, input)
  }

  private mutating func removeOurs(_ leaving: [PendingRequest], _ input: PlanInput) {
    guard !leaving.isEmpty else { return }
    var queued: Set<NotificationID>?
    for request in leaving {
      var isOurs = request.revision != nil || input.sent.contains(request.id)
      if !isOurs {
        if queued == nil { queued = Set(input.queue.map(\.head.id)) }
        isOurs = queued?.contains(request.id) ?? false
      }
      if isOurs { remove.append(request.id) }
    }
    remove.sort { $0.precedes($1) }
  }
}

/// Finds held requests by id: a table of places, probed one after another. It lives as long as one diff, and
/// copies no id.
private struct HeldIndex {
  private let held: UnsafeBufferPointer<HeldRequest>
  /// Indices of held requests, or -1.
  private var places: [Int32]
  private let mask: Int
  /// For each held request, whether the device has it just so.
  private(set) var isThere: [Bool]

  init(_ held: UnsafeBufferPointer<HeldRequest>) {
    self.held = held
    var size = 16
    while size < 2 * held.count { size *= 2 }
    let mask = size - 1
    self.mask = mask
    places = [Int32](repeating: -1, count: size)
    isThere = [Bool](repeating: false, count: held.count)
    places.withUnsafeMutableBufferPointer { places in
      for index in 0..<held.count {
        var place = Int(truncatingIfNeeded: held[index].id.quickHash) & mask
        while places[place] >= 0 { place = (place &+ 1) & mask }
        places[place] = Int32(truncatingIfNeeded: index)
      }
    }
  }

  /// - Returns: whether a request of that id is held.
  mutating func mark(_ pending: UnsafeBufferPointer<PendingRequest>, _ number: Int) -> Bool {
    var place = Int(truncatingIfNeeded: pending[number].id.quickHash) & mask
    while places[place] >= 0 {
      let index = Int(places[place])
      if held[index].id.isSame(as: pending[number].id) {
        if pending[number].revisionHash == held[index].revisionHash { isThere[index] = true }
        return true
      }
      place = (place &+ 1) & mask
    }
    return false
  }
}
