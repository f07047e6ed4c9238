import CarillonModel
import CarillonPlanner
import CarillonStore

/// When a notification that is put again, just as it stands in the queue, is a new request.
///
/// An interval counts from its put, and components without a date mean the next time that matches them. Once that time
/// is over, whoever puts the same again asks for the next one. Before, it is a repetition that pushes nothing away. A
/// time that names its date stays what it is, past or not.
struct Renewal {
  let zones: any ZoneLookup
  /// Where the device was, and where it is.
  let devices: [PlanningDevice]
  let now: Instant

  /// Whether a put may be one of what is over: whether its time depends on when it was put.
  static func isPossible(_ head: NotificationHead) -> Bool {
    switch head.trigger {
    case .interval(let trigger): !trigger.repeats && trigger.anchor == nil
    case .calendar(let trigger): !trigger.repeats
    case .instant, .local, .recurrence, .location: false
    }
  }

  /// Whether the time of what stands in the queue has passed, and would be to come if it were put now.
  func isOver(_ entry: StoredEntry) -> Bool {
    guard Self.isPossible(entry.head) else { return false }
    func fire(acceptedAt: Instant, _ device: PlanningDevice) -> Instant? {
      Planner.firstFire(of: entry.head, acceptedAt: acceptedAt, now: now, device: device, zones: zones)
    }
    let has = devices.compactMap { fire(acceptedAt: entry.acceptedAt, $0) }.contains { $0 <= now }
    return has && devices.last.flatMap { fire(acceptedAt: now, $0) }.map { $0 > now } ?? false
  }
}

extension Plan {
  /// Whether it brings a notification that rings once yet, late or moved: then it is not over.
  func stillBrings(_ head: NotificationHead, now: Instant) -> Bool {
    func isToCome(_ fire: Instant?) -> Bool { fire.map { $0 > now } ?? false }
    let isMember = queued.contains { $0.id == head.id && $0.reason == .digest }
    return held.contains { request in
      guard isToCome(request.fireAt) else { return false }
      return request.source == head.id
        || isMember && request.digestCount != nil && request.id.text.hasPrefix("digest.\(head.group ?? "")@")
    } || queued.contains { $0.id == head.id && $0.reason != .digest && isToCome($0.fireAt) }
  }
}
