import CarillonModel

/// Writes the held requests one after another, in the order of their fires: badges count up.
struct HeldWriter {
  private let frame: Frame
  private let list: CandidateList
  private var badge: Int
  /// For the triggers of what was moved.
  private var hasher = RevisionHasher()

  init(_ frame: Frame, _ list: CandidateList, unread: Int) {
    self.frame = frame
    self.list = list
    badge = unread
  }

  @inline(__always)
  mutating func request(_ index: Int32, slot: HeldRequest.Slot) -> HeldRequest {
    let candidate = list[index]
    let entry = Int(candidate.entry)
    var number: Int?
    if candidate.form == .single, frame.queue[entry].head.summary.hasBadge {
      badge += 1
      number = badge
    }
    let digestCount = candidate.digestCount > 0 ? Int(candidate.digestCount) : nil
    let trigger =
      switch candidate.trigger {
      case .original: frame.queue[entry].head.trigger
      case .instant: Trigger.instant(Instant(milliseconds: candidate.fire))
      case .local(let wall): Trigger.local(LocalDateTime(wallSeconds: Int64(wall)))
      }
    return HeldRequest(
      id: list.id(of: index), source: candidate.occurrence < 0 ? nil : frame.queue[entry].head.id,
      type: frame.policy.names[Int(candidate.type)], priority: Int(candidate.priority),
      fireAt: candidate.form == .location ? nil : Instant(milliseconds: candidate.fire),
      revisionHash: Revision.hash(
        wishHash(of: candidate, trigger), badge: number, digestCount: digestCount),
      trigger: trigger, reach: candidate.reach,
      unmetNeeds: frame.reachability.unmet(frame.queue[entry].head.needs),
      moves: list.moves(of: index), slot: slot, badge: number, digestCount: digestCount)
  }

  /// Of content and trigger. How far away a place was last seen does not make it another request.
  @inline(__always)
  private mutating func wishHash(of candidate: Candidate, _ trigger: Trigger) -> UInt64 {
    let entry = Int(candidate.entry)
    if candidate.form == .location, case .location(var place) = trigger, place.distance != nil {
      place.distance = nil
      return hasher.hash(of: .location(place), summary: frame.queue[entry].head.summary)
    }
    if candidate.trigger == .original { return frame.queue[entry].head.wishHash }
    return hasher.hash(of: trigger, summary: frame.queue[entry].head.summary)
  }
}
