import CarillonModel
import CarillonPlanner

/// The fires of what repeats that have come by now.
struct PastFires {
  /// Of one request that repeats, so many of the last are counted.
  static let most = 200

  let device: PlanningDevice
  let zones: any ZoneLookup
  let now: Instant

  /// Those of a held request since its plan was made, ascending; the first of one that repeats is its `fireAt`.
  func of(_ request: HeldRequest) -> [Instant] {
    guard let first = request.fireAt, first <= now else { return [] }
    // A grid's fires follow from any of its points, so the first one anchors it.
    guard request.trigger.repeats,
      let trigger = try? CompiledTrigger(
        request.trigger.anchored(at: first), device: device, acceptedAt: first, zones: zones)
    else { return [first] }
    let rest = fires(of: trigger, after: first)
    // Where there were too many, the first is as far back as those that are left out.
    let isWhole = rest.isEmpty || trigger.next(after: first) == rest.first
    return isWhole ? ([first] + rest).suffix(Self.most) : rest
  }

  /// Those of a queue's entry strictly after a time, ascending.
  func of(_ entry: QueueEntry, after start: Instant) -> [Instant] {
    let head = entry.head
    guard
      let trigger = try? CompiledTrigger(
        head.trigger, device: device, acceptedAt: entry.acceptedAt, zones: zones)
    else { return [] }
    let expiry = head.expiresAt
    return fires(of: trigger, after: start).filter { fire in expiry.map { fire <= $0 } ?? true }
  }

  private func fires(of trigger: CompiledTrigger, after start: Instant) -> [Instant] {
    var start = start
    while true {
      var fires: [Instant] = []
      var last = start
      while fires.count <= Self.most, let next = trigger.next(after: last), next <= now {
        fires.append(next)
        last = next
      }
      if fires.count <= Self.most || start >= now { return fires.suffix(Self.most) }
      // Too many: look at the later half.
      start = Instant(milliseconds: start.milliseconds + (now.milliseconds - start.milliseconds + 1) / 2)
    }
  }
}

extension Trigger {
  fileprivate func anchored(at anchor: Instant) -> Trigger {
    guard case .interval(var trigger) = self else { return self }
    trigger.anchor = anchor
    return .interval(trigger)
  }
}
