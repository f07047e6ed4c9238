import CarillonModel

/// Writes the held requests one after another, in the order of their fires: badges count up.
struct HeldWriter {
  private let frame: Frame
  private let list: CandidateList
  private var badge: Int
  /// Of all that will be written, in its order.
  private let moves: [Move]
  private var nextMove = 0
  /// For the triggers of what was moved.
  private var hasher = RevisionHasher()

  /// - Parameter order: candidates, in the order in which they will be written.
  init(_ frame: Frame, _ list: CandidateList, order: [Int32], unread: Int) {
    moves = list.moves(of: order)
    self.frame = frame
    self.list = list
    badge = unread
  }

  /// - Parameter candidate: the one with that index.
  @inline(__always)
  mutating func request(
    _ index: Int32, _ candidate: UnsafePointer<Candidate>, slot: HeldRequest.Slot
  ) -> HeldRequest {
    let entry = frame.queue.baseAddress! + Int(candidate.pointee.entry)
    var number: Int?
    if candidate.pointee.form == .single, entry.pointee.head.summary.hasBadge {
      badge &+= 1
      number = badge
    }
    let digestCount = candidate.pointee.digestCount > 0 ? Int(candidate.pointee.digestCount) : nil
    let trigger = trigger(of: candidate, entry)
    return HeldRequest(
      id: list.id(of: index), source: candidate.pointee.occurrence < 0 ? nil : entry.pointee.head.id,
      type: frame.policy.names[Int(candidate.pointee.type)], priority: Int(candidate.pointee.priority),
      fireAt: candidate.pointee.form == .location ? nil : Instant(milliseconds: candidate.pointee.fire),
      revisionHash: Revision.hash(
        wishHash(of: candidate, entry, trigger), badge: number, digestCount: digestCount),
      trigger: trigger, reach: candidate.pointee.reach,
      unmetNeeds: entry.pointee.head.needs.isEmpty ? [] : frame.reachability.unmet(entry.pointee.head.needs),
      moves: moves(of: candidate), slot: slot, badge: number, digestCount: digestCount)
  }

  @inline(__always)
  private mutating func moves(of candidate: UnsafePointer<Candidate>) -> Moves {
    let count = Int(candidate.pointee.stepCount)
    if count == 0 { return [] }
    defer { nextMove &+= count }
    return Moves(of: moves, from: nextMove, count: count)
  }

  @inline(__always)
  private func trigger(of candidate: UnsafePointer<Candidate>, _ entry: UnsafePointer<QueueEntry>) -> Trigger
  {
    switch candidate.pointee.trigger {
    case .original:
      // The two that most have are copied without asking what else a trigger may hold.
      switch entry.pointee.head.trigger {
      case .local(let time): .local(time)
      case .instant(let time): .instant(time)
      default: entry.pointee.head.trigger
      }
    case .instant: .instant(Instant(milliseconds: candidate.pointee.fire))
    case .local(let wall): .local(LocalDateTime(wallSeconds: Int64(wall)))
    }
  }

  /// Of content and trigger. How far away a place was last seen does not make it another request.
  @inline(__always)
  private mutating func wishHash(
    of candidate: UnsafePointer<Candidate>, _ entry: UnsafePointer<QueueEntry>, _ trigger: Trigger
  ) -> UInt64 {
    if candidate.pointee.form == .location, case .location(var place) = trigger, place.distance != nil {
      place.distance = nil
      return hasher.hash(of: .location(place), summary: entry.pointee.head.summary)
    }
    if candidate.pointee.trigger == .original { return entry.pointee.head.wishHash }
    return hasher.hash(of: trigger, summary: entry.pointee.head.summary)
  }
}
