import CarillonModel

extension PlanDiff {
  /// What turns the pending requests into the held ones: removes name only ids that leave, a changed one is a
  /// single add, and what is not ours is never named.
  init(held: [HeldRequest], input: PlanInput) {
    self.init()
    var queued: Set<NotificationID>?
    func isOurs(_ request: PendingRequest) -> Bool {
      if request.revision != nil || input.sent.contains(request.id) { return true }
      if queued == nil { queued = Set(input.queue.map(\.head.id)) }
      return queued!.contains(request.id)
    }
    // A device that has not said what it holds may hold all that was ever sent.
    let pending = input.pending ?? input.sent.map { PendingRequest(id: $0) }
    let heldOrder = held.indices.sorted { held[$0].id.precedes(held[$1].id) }
    let pendingOrder = pending.indices.sorted { pending[$0].id.precedes(pending[$1].id) }
    var next = 0
    for index in heldOrder {
      let wanted = held[index]
      while next < pendingOrder.count, pending[pendingOrder[next]].id.precedes(wanted.id) {
        let leaving = pending[pendingOrder[next]]
        if isOurs(leaving) { remove.append(leaving.id) }
        next += 1
      }
      var isThere = false
      while next < pendingOrder.count, !wanted.id.precedes(pending[pendingOrder[next]].id) {
        if pending[pendingOrder[next]].revision == wanted.revision { isThere = true }
        next += 1
      }
      if !isThere { add.append(index) }
    }
    for index in pendingOrder[next...] where isOurs(pending[index]) { remove.append(pending[index].id) }
    add.sort()
  }
}
