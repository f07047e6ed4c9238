import CarillonAPI
import CarillonModel

/// One request the server wants the device to hold.
struct PlannedAddition: Hashable, Sendable {
  var id: NotificationID
  var revision: String
  /// Nil for a location.
  var fireAt: Instant?
  var trigger: Trigger
  /// Nil when it cannot be read.
  var content: NotificationContent?

  /// What to hand to the center at this moment. Between the plan and the call time passes: what was valid then may
  /// abort the process now.
  enum Preparation: Hashable {
    case request(CenterRequest)
    /// Its one time has passed.
    case expired
    /// The center would refuse it, or iOS has no such trigger.
    case unsupported(String)
  }

  func prepared(at now: Instant) -> Preparation {
    if let fireAt, !trigger.repeats, fireAt <= now { return .expired }
    guard let content else { return .unsupported("its content cannot be read") }
    switch centerTrigger(at: now) {
    case .success(let trigger):
      let request = CenterRequest(id: id, content: content, trigger: trigger)
      return .request(request.marked(revision: revision))
    case .failure(.expired): return .expired
    case .failure(.unsupported(let why)): return .unsupported(why)
    }
  }

  private enum Obstacle: Error { case expired, unsupported(String) }

  private func centerTrigger(at now: Instant) -> Result<CenterTrigger, Obstacle> {
    switch trigger {
    case .instant(let at):
      // iOS has no instant: a wall time in UTC is one, wherever the device goes. Never before the asked moment.
      let seconds = at.milliseconds % 1000 == 0 ? at.seconds : at.seconds + 1
      let components = CalendarComponents(LocalDateTime(wallSeconds: seconds))
      return .success(.calendar(components, timeZone: "UTC", repeats: false))
    case .local(let wall):
      return .success(.calendar(CalendarComponents(wall), timeZone: nil, repeats: false))
    case .calendar(let calendar):
      return .success(
        .calendar(calendar.components, timeZone: calendar.timeZone, repeats: calendar.repeats))
    case .interval(let interval):
      return Self.centerTrigger(interval, fireAt: fireAt, now: now)
    case .recurrence:
      return .failure(.unsupported("a recurrence comes expanded into single requests"))
    case .location(let region):
      guard region.radius > 0, (-90...90).contains(region.latitude),
        (-180...180).contains(region.longitude)
      else { return .failure(.unsupported("the region is not on the globe")) }
      return .success(.location(region))
    }
  }

  private static func centerTrigger(
    _ interval: IntervalTrigger, fireAt: Instant?, now: Instant
  ) -> Result<CenterTrigger, Obstacle> {
    guard interval.seconds.isFinite, interval.seconds > 0 else {
      return .failure(.unsupported("the interval is not above 0"))
    }
    if interval.repeats {
      guard interval.seconds >= 60 else {
        return .failure(.unsupported("a repeating interval is at least 60 seconds"))
      }
      return .success(.interval(seconds: interval.seconds, repeats: true))
    }
    // What is left of it: iOS counts from the moment it is added.
    var left = interval.seconds
    if let fireAt {
      left = Double(fireAt.milliseconds - now.milliseconds) / 1000
    } else if let anchor = interval.anchor {
      left -= Double(now.milliseconds - anchor.milliseconds) / 1000
    }
    return left > 0 ? .success(.interval(seconds: left, repeats: false)) : .failure(.expired)
  }
}

extension PlannedAddition {
  init(_ addition: SyncAddition) {
    self.init(
      id: addition.id, revision: addition.revision, fireAt: addition.fireAt, trigger: addition.trigger,
      content: try? NotificationContent(canonical: addition.content))
  }
}

extension CalendarComponents {
  /// A whole wall time, year to second.
  init(_ wall: LocalDateTime) {
    self.init()
    let date = wall.date
    let second = wall.secondOfDay
    year = date.year
    month = date.month
    day = date.day
    hour = second / 3600
    minute = second / 60 % 60
    self.second = second % 60
  }
}
