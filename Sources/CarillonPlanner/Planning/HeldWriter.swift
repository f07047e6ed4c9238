import CarillonModel

/// Writes the held requests one after another, in the order of their fires: badges count up.
struct HeldWriter {
  private let frame: Frame
  private let gathered: Gathered
  private var badge: Int
  /// For hashing the triggers of what was moved.
  private var hasher = RevisionHasher()

  init(_ frame: Frame, _ gathered: Gathered, unread: Int) {
    self.frame = frame
    self.gathered = gathered
    badge = unread
  }

  mutating func request(_ candidate: Candidate, slot: HeldRequest.Slot) -> HeldRequest {
    let entry = Int(candidate.entry)
    var number: Int?
    if candidate.form == .single, frame.queue[entry].head.summary.hasBadge {
      badge += 1
      number = badge
    }
    let digestCount = candidate.digestCount > 0 ? Int(candidate.digestCount) : nil
    let trigger = trigger(of: candidate)
    return HeldRequest(
      id: gathered.id(of: candidate, in: frame.queue), source: frame.queue[entry].head.id,
      type: frame.policy.names[Int(candidate.type)], priority: Int(candidate.priority),
      fireAt: candidate.form == .location ? nil : Instant(milliseconds: candidate.fire),
      revisionHash: Revision.hash(
        wishHash(of: candidate, trigger), badge: number, digestCount: digestCount),
      trigger: trigger, reach: candidate.reach,
      unmetNeeds: frame.reachability.unmet(frame.queue[entry].head.needs),
      moves: gathered.moves(of: candidate), slot: slot, badge: number, digestCount: digestCount)
  }

  private func trigger(of candidate: Candidate) -> Trigger {
    switch candidate.trigger {
    case .original: frame.queue[Int(candidate.entry)].head.trigger
    case .instant: .instant(Instant(milliseconds: candidate.fire))
    case .local(let wall): .local(LocalDateTime(wallSeconds: Int64(wall)))
    }
  }

  /// Of content and trigger. How far away a place was last seen does not make it another request.
  private mutating func wishHash(of candidate: Candidate, _ trigger: Trigger) -> UInt64 {
    let entry = Int(candidate.entry)
    if case .location(var place) = trigger, place.distance != nil {
      place.distance = nil
      return hasher.hash(of: .location(place), summary: frame.queue[entry].head.summary)
    }
    if candidate.trigger == .original { return frame.queue[entry].head.wishHash }
    return hasher.hash(of: trigger, summary: frame.queue[entry].head.summary)
  }
}
