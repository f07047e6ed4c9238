import CarillonModel

extension PlanDiff {
  /// What turns the pending requests into the held ones: removes name only ids that leave, a changed one is a
  /// single add, and what is not ours is never named.
  init(held: [HeldRequest], input: PlanInput) {
    self.init()
    // A device that has not said what it holds may hold all that was ever sent.
    let pending = input.pending ?? input.sent.map { PendingRequest(id: $0) }
    let heldKeys = Self.keys(held.count) { held[$0].id }
    let pendingKeys = Self.keys(pending.count) { pending[$0].id }
    var leaving: [Int] = []
    var next = 0
    var group = 0
    while group < heldKeys.count {
      // Ids of one hash are compared with each other; there is hardly ever more than one.
      let hash = heldKeys[group].hash
      let end = heldKeys[group...].firstIndex { $0.hash != hash } ?? heldKeys.count
      while next < pendingKeys.count, pendingKeys[next].hash < hash {
        leaving.append(pendingKeys[next].index)
        next += 1
      }
      let start = next
      while next < pendingKeys.count, pendingKeys[next].hash == hash { next += 1 }
      let wanted = heldKeys[group..<end]
      for key in wanted {
        let request = held[key.index]
        let isThere = pendingKeys[start..<next].contains {
          pending[$0.index].revision.map { Revision.hash(ofText: $0) } == request.revisionHash
            && pending[$0.index].id.isSame(as: request.id)
        }
        if !isThere { add.append(key.index) }
      }
      for key in pendingKeys[start..<next]
      where !wanted.contains(where: { held[$0.index].id.isSame(as: pending[key.index].id) }) {
        leaving.append(key.index)
      }
      group = end
    }
    leaving += pendingKeys[next...].map(\.index)
    add.sort()
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

  private struct Key {
    var hash: UInt64
    var index: Int
  }

  private static func keys(_ count: Int, _ id: (Int) -> NotificationID) -> [Key] {
    var keys: [Key] = []
    keys.reserveCapacity(count)
    for index in 0..<count { keys.append(Key(hash: id(index).quickHash, index: index)) }
    keys.sort { $0.hash < $1.hash }
    return keys
  }
}
