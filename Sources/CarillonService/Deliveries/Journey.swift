import CarillonModel
import CarillonPlanner
import CarillonStore

/// A device that reports from another zone than the time before.
///
/// What waits for a wall time rings by the clock of where the device is, and nobody tells when it went. So it may have
/// rung at its time in either zone, and what the clock has leapt over on the way rings never.
struct Journey {
  let before: PlanningDevice
  let after: PlanningDevice
  let zones: any ZoneLookup
  /// When the device last reported: what it held then had not rung.
  let seenAt: Instant
  let now: Instant

  /// What a journey did to one time.
  enum Passage: Hashable {
    /// It came in one of the zones since the device was last heard of: the earlier one where it came in both.
    /// `again`: by the new zone it is still to come.
    case came(Instant, again: Bool)
    /// The device was never there at that time: it has passed in the new zone, and had before the device came.
    case leapt(Instant)
    /// It is still to come.
    case ahead(Instant)
  }

  /// Nil when nothing tells of a journey.
  init?(_ planner: DevicePlanner, _ situation: DevicePlanner.Situation, now: Instant) throws(ServiceError) {
    guard let seenAt = situation.seenAt, let old = situation.before.info.timeZone,
      let new = situation.state.info.timeZone, old != new
    else { return nil }
    before = try planner.planningDevice(situation.before)
    after = try planner.planningDevice(situation.state)
    zones = planner.zones
    self.seenAt = seenAt
    self.now = now
  }

  /// - Parameters:
  ///   - old: the time by the zone of the last report, which had not come when the device was last looked at.
  ///   - new: by the zone of this one.
  ///   - acceptedAt: before that nothing of it could ring.
  func passage(from old: Instant, to new: Instant, acceptedAt: Instant) -> Passage {
    let since = max(seenAt, acceptedAt)
    if let came = [old, new].filter({ $0 > since && $0 <= now }).min() {
      return .came(came, again: new > now)
    }
    return new <= now ? .leapt(new) : .ahead(new)
  }

  /// What it did to a request of the plan; nil for one that keeps its instant, and for what repeats.
  ///
  /// - Parameter acceptedAt: of the notification in the queue; nil: it stands there no more.
  func passage(of request: HeldRequest, acceptedAt: Instant?) -> Passage? {
    guard let old = request.fireAt, request.trigger.isFloatingOnce,
      let new = time(of: request.trigger, acceptedAt: acceptedAt ?? old), new != old
    else { return nil }
    return passage(from: old, to: new, acceptedAt: acceptedAt ?? seenAt)
  }

  private func time(of trigger: Trigger, acceptedAt: Instant) -> Instant? {
    let found = (try? CompiledTrigger(trigger, device: after, acceptedAt: acceptedAt, zones: zones))?.onlyTime
    if found != nil { return found }
    // A date that had passed there when it was put: its wall time is that of before.
    let old = try? CompiledTrigger(trigger, device: before, acceptedAt: acceptedAt, zones: zones)
    return (old?.onlyTime).map(elsewhere)
  }

  /// When a wall time comes by the zone of the last report, and by that of this one.
  func times(of wall: LocalDateTime) -> (old: Instant, new: Instant) {
    (before.zone.fire(of: wall), after.zone.fire(of: wall))
  }

  /// When the clock of where the device is shows what that of where it was shows at a time.
  func elsewhere(_ time: Instant) -> Instant {
    let wall = before.zone.local(at: time)
    return after.zone.fire(of: LocalDateTime(wallSeconds: Int64(wall.wallSeconds)))
  }

  /// When a notification is wished for by the clock of where the device is.
  func wish(of entry: StoredEntry) -> Instant? {
    guard entry.head.trigger.isFloatingOnce else { return nil }
    return time(of: entry.head.trigger, acceptedAt: entry.acceptedAt)
  }

  /// Whether a request of the plan that is pending no more may have rung, or never will.
  func explains(_ request: HeldRequest, acceptedAt: Instant?) -> Bool {
    switch passage(of: request, acceptedAt: acceptedAt) {
    case .came, .leapt: true
    case .ahead, nil: false
    }
  }
}

extension StoredDelivery {
  /// The ``reason`` of what rang nowhere: the device went past its wall time on a journey.
  static let travelled = "travelled"
  /// The ``reason`` of what came due while its user was not signed in on the device.
  static let signedOut = "signedOut"
  /// The ``reason`` of what was over when it was put.
  static let past = "past"
}

extension Trigger {
  /// Whether it rings once, at a wall time of where the device is.
  var isFloatingOnce: Bool {
    switch self {
    case .local: true
    case .calendar(let trigger): !trigger.repeats && trigger.timeZone == nil
    case .instant, .interval, .recurrence, .location: false
    }
  }
}
