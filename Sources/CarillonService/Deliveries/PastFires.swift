import CarillonModel
import CarillonPlanner

/// The fires of a held request that have come since its plan was made.
struct PastFires {
  /// Of one request that repeats, so many of the last are counted.
  static let most = 200

  let device: PlanningDevice
  let zones: any ZoneLookup
  let now: Instant
  /// What lies further back counts for nothing.
  let earliest: Instant

  /// Ascending; the first of a request that repeats is its `fireAt`.
  func of(_ request: HeldRequest) -> [Instant] {
    guard let first = request.fireAt, first <= now else { return [] }
    // A grid's fires follow from any of its points, so the first one anchors it.
    guard request.trigger.repeats,
      let trigger = try? CompiledTrigger(
        request.trigger.anchored(at: first), device: device, acceptedAt: first, zones: zones)
    else { return [first] }
    var start = max(first, earliest)
    while true {
      var fires = start <= first ? [first] : []
      var last = fires.last ?? Instant(milliseconds: start.milliseconds - 1)
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
