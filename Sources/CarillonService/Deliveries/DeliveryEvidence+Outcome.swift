import CarillonModel
import CarillonPlanner

extension DeliveryEvidence {
  /// What became of a fire of a request that a plan told the device to hold.
  ///
  /// - Parameters:
  ///   - isLast: of all fires of its request.
  ///   - hasVanished: an earlier report showed that the device had lost it, and none has shown it again.
  func outcome(of due: DeliveryMemory.Due, isLast: Bool, hasVanished: Bool) -> DeliveryOutcome {
    // It was there once, so what stands in Notification Center is this one.
    let isConfirmed = isLast && confirms(due.delivery.id, dueAt: due.delivery.at)
    if source == .report, hasVanished, isConfirmed { return .delivered }
    switch verdict(on: due, isLast: isLast) {
    case .open: return .open
    case .untold: return hasVanished ? .removedOnDevice : .open
    case .delivered:
      if isConfirmed { return .delivered }
      return hasVanished ? .removedOnDevice : .inferredDelivered
    case .missed:
      if isDenied || had(due) && !couldDeliver { return .suppressed }
      return hasVanished ? .removedOnDevice : .missed
    }
  }
}
