import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonPlanner

/// A request of the last plan, ready to be planned again.
struct KnownRequest {
  let request: SyncAddition
  private let badge: Int?
  let entry: QueueEntry

  /// Nil when its content cannot be read.
  init?(_ request: SyncAddition, now: Instant) {
    guard let content = try? NotificationContent(canonical: request.content) else { return nil }
    self.request = request
    badge = content.badge
    let trigger = request.isOccurrence ? Self.onlyOccurrence(request.trigger) : request.trigger
    entry = QueueEntry(
      head: NotificationHead(
        id: request.id, type: request.type, trigger: trigger, summary: content.summary),
      acceptedAt: Self.acceptedAt(request, now: now))
  }

  /// A recurrence with one occurrence: it counts, and is not moved, as those of a plan.
  private static func onlyOccurrence(_ trigger: Trigger) -> Trigger {
    switch trigger {
    case .local(let wall): .recurrence(RecurrenceTrigger(start: wall, rule: "FREQ=DAILY;COUNT=1"))
    case .instant(let at):
      .recurrence(
        RecurrenceTrigger(
          start: LocalDateTime(wallSeconds: at.seconds), rule: "FREQ=DAILY;COUNT=1", timeZone: "UTC"))
    case .calendar, .interval, .recurrence, .location: trigger
    }
  }

  /// Whether a planned request is this one, and not an occurrence into which it would be expanded.
  func isPlanned(as id: NotificationID) -> Bool { request.isOccurrence || id == request.id }

  /// A time of acceptance from which its fire is what the server said.
  private static func acceptedAt(_ request: SyncAddition, now: Instant) -> Instant {
    guard let fire = request.fireAt else { return now }
    switch request.trigger {
    case .interval(let interval):
      let period = (min(interval.seconds, 1e12) * 1000).rounded()
      return Instant(milliseconds: fire.milliseconds - Int64(period))
    // It means the first such time after its put: in another zone that is another one.
    case .calendar(let calendar) where !calendar.repeats: return min(now, fire.adding(seconds: -1))
    case .instant, .local, .calendar, .recurrence, .location: return now
    }
  }

  /// The number its badge has, where it is one of those that count up.
  var countedBadge: Int? { request.trigger.repeats ? nil : badge }

  /// Whether it has rung: it stands in Notification Center and is not pending any more.
  func hasRung(on moment: DeviceMoment) -> Bool {
    !request.trigger.repeats && !moment.pending.contains { $0.id == request.id }
      && moment.delivered.contains { $0.id == request.id && $0.revision == request.revision }
  }

  /// As the new plan has it: what has not changed keeps the revision the server gave, also where a device cannot
  /// compute it, as a digest's.
  func replanned(_ held: HeldRequest) throws(JSONError) -> SyncAddition {
    var next = request
    next.fireAt = held.fireAt
    guard held.trigger != request.trigger || held.badge != badge else { return next }
    next.trigger = held.trigger
    next.revision = held.revision
    next.content = try held.content(from: request.content)
    return next
  }
}

extension SyncAddition {
  /// Of something that repeats.
  var isOccurrence: Bool { source.map { id.text.hasPrefix($0.text + "@") } ?? false }
}
