/// When a notification fires.
public enum Trigger: Hashable, Sendable {
  /// That instant, wherever the device is.
  case instant(Instant)
  /// That wall time in the device's present zone.
  case local(LocalDateTime)
  case calendar(CalendarTrigger)
  case interval(IntervalTrigger)
  case recurrence(RecurrenceTrigger)
  case location(LocationTrigger)
}

/// Apple's `UNCalendarNotificationTrigger`, with what it lacks: a start, an end, a rule for missing days.
public struct CalendarTrigger: Hashable, Sendable {
  public var components: CalendarComponents
  public var repeats: Bool
  /// An IANA name; nil means the device's zone.
  public var timeZone: String?
  public var onMissingDay: MissingDayRule
  public var startsAt: LocalBound?
  public var endsAt: LocalBound?

  public init(
    components: CalendarComponents, repeats: Bool, timeZone: String? = nil,
    onMissingDay: MissingDayRule = .skip, startsAt: LocalBound? = nil, endsAt: LocalBound? = nil
  ) {
    self.components = components
    self.repeats = repeats
    self.timeZone = timeZone
    self.onMissingDay = onMissingDay
    self.startsAt = startsAt
    self.endsAt = endsAt
  }
}

/// What happens on a month that lacks the wanted day. The stored day is never changed.
public enum MissingDayRule: String, Hashable, Sendable, CaseIterable { case skip, lastDay, nextDay }

/// A local date or date-time without offset. A date means its first instant.
public enum LocalBound: Hashable, Sendable {
  case date(LocalDateTime)
  case dateTime(LocalDateTime)
}

/// Apple's `UNTimeIntervalNotificationTrigger`.
public struct IntervalTrigger: Hashable, Sendable {
  /// Finite and above 0; at least 60 when it repeats.
  public var seconds: Double
  public var repeats: Bool
  /// Where the grid starts; nil until the notification is accepted, then the time of acceptance.
  public var anchor: Instant?

  public init(seconds: Double, repeats: Bool, anchor: Instant? = nil) {
    self.seconds = seconds
    self.repeats = repeats
    self.anchor = anchor
  }
}

/// RFC 5545 RRULE: what iOS cannot express. The planner expands it.
public struct RecurrenceTrigger: Hashable, Sendable {
  public var start: LocalDateTime
  /// The rule's text, checked when the planner compiles it.
  public var rule: String
  public var except: [LocalDateTime]
  public var timeZone: String?

  public init(start: LocalDateTime, rule: String, except: [LocalDateTime] = [], timeZone: String? = nil) {
    self.start = start
    self.rule = rule
    self.except = except
    self.timeZone = timeZone
  }
}

/// Apple's `UNLocationNotificationTrigger` over a circular region.
public struct LocationTrigger: Hashable, Sendable {
  public var latitude: Double
  public var longitude: Double
  /// Metres, above 0.
  public var radius: Double
  public var onEntry: Bool
  public var onExit: Bool
  public var repeats: Bool
  /// Metres, as the device last knew it; nil ranks after every known distance.
  public var distance: Double?

  public init(
    latitude: Double, longitude: Double, radius: Double, onEntry: Bool = true, onExit: Bool = false,
    repeats: Bool = false, distance: Double? = nil
  ) {
    self.latitude = latitude
    self.longitude = longitude
    self.radius = radius
    self.onEntry = onEntry
    self.onExit = onExit
    self.repeats = repeats
    self.distance = distance
  }
}
