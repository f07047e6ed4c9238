import CarillonModel

extension PlanDiff {
  /// What turns the pending requests into the held ones: removes name only ids that leave, a changed one is a
  /// single add, and what is not ours is never named.
  init(held: [HeldRequest], input: PlanInput) {
    self.init()
    // A device that has not said what it holds may hold all that was ever sent.
    let pending = input.pending ?? input.sent.map { PendingRequest(id: $0) }
    let leaving = held.withUnsafeBufferPointer { held in
      pending.withUnsafeBufferPointer { pending in addMissing(held, pending) }
    }
    removeOurs(leaving.map { pending[$0] }, input)
  }

  /// - Returns: which of the pending are not held at all.
  private mutating func addMissing(
    _ held: UnsafeBufferPointer<HeldRequest>, _ pending: UnsafeBufferPointer<PendingRequest>
  ) -> [Int] {
    // Revisions are hashes already: what has not changed is found by them, and that is nearly all.
    let revisions = ProbeTable(held.count) { held[$0].revisionHash }
    var isThere = [Bool](repeating: false, count: held.count)
    var others: [Int] = []
    for number in pending.indices {
      if let revision = pending[number].revisionHash,
        let index = revisions.first(
          revision,
          where: { index in
            held[index].revisionHash == revision && held[index].id == pending[number].id
          })
      {
        isThere[index] = true
      } else {
        others.append(number)
      }
    }
    add = held.indices.filter { !isThere[$0] }
    guard !others.isEmpty else { return [] }
    let ids = ProbeTable(held.count) { held[$0].id.quickHash }
    return others.filter { number in
      let id = pending[number].id
      return ids.first(id.quickHash, where: { held[$0].id == id }) == nil
    }
  }

  private mutating func removeOurs(_ leaving: [PendingRequest], _ input: PlanInput) {
    guard !leaving.isEmpty else { return }
    var queued: Set<NotificationID>?
    for request in leaving where !input.stillRinging.contains(request.id) {
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

/// Finds numbers by a hash: a table of places, probed one after another.
private struct ProbeTable {
  /// Numbers, or -1.
  private let places: [Int32]
  private let mask: Int

  /// - Parameter hash: of each number from 0 on.
  @inline(__always)
  init(_ count: Int, hash: (Int) -> UInt64) {
    var size = 16
    while size < 2 * count { size *= 2 }
    let mask = size - 1
    self.mask = mask
    places = [Int32](unsafeUninitializedCapacity: size) { places, filled in
      places.initialize(repeating: -1)
      for number in 0..<count {
        var place = Int(truncatingIfNeeded: hash(number)) & mask
        while places[place] >= 0 { place = (place &+ 1) & mask }
        places[place] = Int32(truncatingIfNeeded: number)
      }
      filled = size
    }
  }

  @inline(__always)
  func first(_ hash: UInt64, where isWanted: (Int) -> Bool) -> Int? {
    places.withUnsafeBufferPointer { places in
      var place = Int(truncatingIfNeeded: hash) & mask
      while places[place] >= 0 {
        if isWanted(Int(places[place])) { return Int(places[place]) }
        place = (place &+ 1) & mask
      }
      return nil
    }
  }
}
