import CarillonClient
import CarillonJSON
import CarillonModel
import CarillonPlanner
import CarillonZones

/// When triggers fire on a device, by the planner's own calendar.
struct FireDates: Sendable {
  private let zone: ZoneTable
  private let zones: ZoneFolder

  /// The system's zone data, read once.
  static let systemZones: ZoneFolder = {
    do {
      return try ZoneFolder()
    } catch {
      preconditionFailure("\(error)")
    }
  }()

  /// - Parameter timeZone: an IANA name of the system's data; another is a mistake of the test.
  init(timeZone: String) {
    zones = Self.systemZones
    guard let zone = zones.zone(named: timeZone) else {
      preconditionFailure("\(timeZone) is not a time zone of this system")
    }
    self.zone = zone
  }

  func knows(_ timeZone: String) -> Bool { zones.zone(named: timeZone) != nil }

  /// The first fire strictly after a moment; nil for a place, and when there is none.
  func next(of trigger: CenterTrigger, addedAt: Instant, after now: Instant) -> Instant? {
    switch trigger {
    case .calendar(let components, let timeZone, let repeats):
      let trigger = CalendarTrigger(components: components, repeats: repeats, timeZone: timeZone)
      return next(of: .calendar(trigger), after: now)
    case .interval(let seconds, let repeats):
      let step = Int64((seconds * 1000).rounded(.up))
      let elapsed = now.milliseconds - addedAt.milliseconds
      let count = repeats ? max(elapsed / step + 1, 1) : 1
      let fire = Instant(milliseconds: addedAt.milliseconds + count * step)
      return fire > now ? fire : nil
    case .location:
      return nil
    }
  }

  /// Asks the planner for a plan of this one request.
  private func next(of trigger: Trigger, after now: Instant) -> Instant? {
    var settings = NotificationSettings()
    settings.alert = .enabled
    let device = PlanningDevice(authorizationStatus: .authorized, settings: settings, zone: zone)
    var input = PlanInput(policy: CompiledPolicy(Policy()), policyVersion: 0, device: device, now: now)
    let summary = ContentSummary(
      hasText: true, hasSound: false, hasBadge: false, interruptionLevel: .active, hash: 0)
    let head = NotificationHead(id: NotificationID(unchecked: "any"), trigger: trigger, summary: summary)
    input.queue = [QueueEntry(head: head, acceptedAt: now)]
    return Planner.plan(input, zones: zones).plan.held.first?.fireAt
  }
}
