/// How a tenant's notifications share the slots of a device. Absent members have the documented defaults.
public struct Policy: Hashable, Sendable {
  public var slots = 64
  public var horizonDays = 30
  public var order = RankOrder.soonestFirst
  /// Nil: the default types (``NotificationType/defaults``).
  public var types: [NotificationType]?
  public var quietHours: QuietHours?
  public var frequencyCaps: [FrequencyCap] = []
  public var adaptivePriority: AdaptivePriority?
  public var fatigue: FatigueRule?
  public var priming = PrimingRule()
  public var wake = WakeRule()
  public var rescue = RescueRule()
  public var unreachable = UnreachableRule.withhold
  public var locationSlots = 20

  public init() {}
}

public enum RankOrder: String, Hashable, Sendable, CaseIterable { case soonestFirst, priorityFirst }
public enum UnreachableRule: String, Hashable, Sendable, CaseIterable { case withhold, hold }
public enum QuietHoursRule: String, Hashable, Sendable, CaseIterable { case hold, inbox, drop, ring }
public enum CapRule: String, Hashable, Sendable, CaseIterable { case hold, inbox, drop }

/// A kind of notification: found by id prefix, with its place in the order and its share of the slots.
public struct NotificationType: Hashable, Sendable {
  public var name: String
  public var prefixes: [String] = []
  /// Smaller is more important; 0 is set by the user.
  public var priority: Int
  /// Slots kept for this type, by rank, before the others compete.
  public var reserve: Int?
  /// Most slots this type may take.
  public var limit: Int?
  public var quietHours = QuietHoursRule.hold
  public var cap = CapRule.hold
  public var capExempt = false
  public var adaptive = false
  public var digest = false

  public init(name: String, prefixes: [String] = [], priority: Int) {
    self.name = name
    self.prefixes = prefixes
    self.priority = priority
  }

  /// What a notification of no known type is.
  public static let unknown = NotificationType(name: "unknown", priority: 99)
}

public struct QuietHours: Hashable, Sendable {
  public var windows: [QuietWindow] = []
  public var exempt: [InterruptionLevel] = [.timeSensitive, .critical]
  public init() {}
}

/// A half-open span `[from, to)` of local wall time on some days of the week; it wraps over midnight.
public struct QuietWindow: Hashable, Sendable {
  /// Seconds after local midnight. A whole day is 0 to 86,400.
  public var from: Int
  public var to: Int
  /// Weekdays on which it starts, 1 = Sunday.
  public var days: Set<Int> = [1, 2, 3, 4, 5, 6, 7]

  public init(from: Int, to: Int) {
    self.from = from
    self.to = to
  }
}

public struct FrequencyCap: Hashable, Sendable {
  public enum Window: Hashable, Sendable {
    /// Elapsed seconds.
    case rolling(seconds: Int)
    case calendarDay
  }
  public var limit: Int
  public var per: Window
  /// Nil: all types.
  public var types: [String]?

  public init(limit: Int, per: Window, types: [String]? = nil) {
    self.limit = limit
    self.per = per
    self.types = types
  }
}

public struct AdaptivePriority: Hashable, Sendable {
  public var minSamples = 20
  public var maxShift = 1
  public var halfLifeDays = 30
  public init() {}
}

public struct FatigueRule: Hashable, Sendable {
  public var capScale = 0.5
  public var minPriority = 2
  public var recoveryDays = 14
  public init() {}
}

public struct PrimingRule: Hashable, Sendable {
  /// Nil: every named action counts as a value action.
  public var actions: [String]?
  /// Seconds.
  public var cooldown = 604_800
  public var maxPostpones = 3
  public var level = "authorized"
  public init() {}
}

public struct WakeRule: Hashable, Sendable {
  public var enabled = true
  /// Seconds.
  public var lead = 86_400
  public var perHour = 2
  public init() {}
}

public struct RescueRule: Hashable, Sendable {
  public var enabled = false
  public var types: [String] = []
  /// Seconds.
  public var grace = 60
  public init() {}
}
