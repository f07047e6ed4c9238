import CarillonModel
import CarillonPlanner
import CarillonStore

extension Explanation {
  /// Tells of a notification that is over what became of it: the planner sees only that its time has passed.
  mutating func tellWhatBecame(
    of id: NotificationID, _ situation: DevicePlanner.Situation, now: Instant
  ) throws(ServiceError) {
    guard state == .expired, notification == id, let requestedAt,
      let entry = situation.queue.first(where: { $0.head.id == id })
    else { return }
    let row = situation.occurrences.filter {
      $0.notification == id && $0.user == entry.user
        && ($0.wishedAt == requestedAt || $0.dueAt == requestedAt)
    }.max { $0.dueAt < $1.dueAt }
    if let row {
      tell(row.outcome, row.reason, at: row.dueAt)
    } else if requestedAt > entry.acceptedAt, requestedAt <= now,
      let reason = try situation.previous?.plan().reasonForAbsence(of: id)
    {
      // Nobody has looked since: the plan that was in force knows.
      tell(reason == WithheldRequest.Reason.denied.rawValue ? .suppressed : .missed, reason, at: requestedAt)
    }
  }

  private mutating func tell(_ outcome: DeliveryOutcome, _ reason: String?, at time: Instant) {
    switch outcome {
    case .open:
      guard reason == StoredDelivery.untold else { return }
      summary =
        "It came due at \(time.text). Whether it was delivered nobody can know: the device had asked for another plan before it told which one it lived by."
    case .delivered: summary = "It was delivered at \(time.text)."
    case .inferredDelivered:
      summary =
        "It was delivered at \(time.text), as far as can be known: the device had it, was allowed to show it, and holds it no more."
    case .rescued: summary = "It was missed at \(time.text), and a push made up for it."
    case .removedOnDevice: summary = "It was missed at \(time.text): the device had lost it before."
    case .suppressed: summary = "It was missed at \(time.text): the user had denied notifications."
    case .missed: summary = "It was missed at \(time.text): \(Self.cause(reason))."
    case .expired:
      switch reason {
      case StoredDelivery.past?: summary = "Its time, \(time.text), had passed when it was put."
      case StoredDelivery.travelled?: summary = "Its time, \(time.text), was leapt over by a journey."
      default: return
      }
    }
    switch outcome {
    case .missed, .suppressed, .expired, .open: self.reason = reason ?? outcome.rawValue
    default: self.reason = outcome.rawValue
    }
  }

  private static func cause(_ reason: String?) -> String {
    if let reason = reason.flatMap(WithheldRequest.Reason.init) {
      return switch reason {
      case .denied: "the user had denied notifications"
      case .notDetermined: "the user had not been asked yet"
      case .unknownStatus: "the device reported an authorization status this server does not know"
      case .unreachable: "with the device's settings nobody would have noticed it, so it took no slot"
      case .capped: "a frequency cap left it no place"
      case .quietHours: "it fell into quiet hours, and its type does not wait for their end"
      }
    }
    return switch reason.flatMap(QueuedRequest.Reason.init) {
    case .noSlot?: "it waited for a slot until then"
    case .typeLimit?: "it waited behind the limit of its type until then"
    case nil where reason == StoredDelivery.signedOut: "its user was not signed in on the device"
    case nil where reason == StoredDelivery.takenBack: "it was taken back before it rang"
    default:
      reason == nil
        ? "the answer that named it did not reach the device"
        : "it was put and came due between two reports of the device"
    }
  }
}

extension Plan {
  /// The plan's word for why it does not hold a notification; nil: it holds it, or does not know it.
  fileprivate func reasonForAbsence(of id: NotificationID) -> String? {
    withheld.first { $0.id == id }?.reason.rawValue
      ?? queued.first { $0.id == id && $0.reason != .digest }?.reason.rawValue
  }
}
