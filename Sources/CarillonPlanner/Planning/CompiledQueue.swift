import CarillonModel

/// A queue made ready for one device: types found, triggers compiled, the dates of one-time requests resolved.
///
/// It depends on the queue, the policy's types and quiet hours, and the device's zone and week; neither on the time nor
/// on what the device holds or allows, so that one serves many plans. A class, so that handing it on costs nothing.
final class CompiledQueue: Sendable {
  struct Entry {
    enum Kind: UInt8 {
      /// Fires once, at `fire`.
      case once
      /// Fires once, at a date that only planning can tell.
      case calendarOnce
      case calendar, interval, recurrence, location
      /// Can never be planned; `rule` says why.
      case rejected
    }
    /// Index into the queue.
    var queued: Int32
    var type: Int32
    /// Milliseconds since 1970: the wish, or an interval's anchor.
    var fire: Int64 = 0
    /// Milliseconds since 1970; the last instant at which it may fire.
    var expiry: Int64
    /// When no quiet window holds `fire` any more, in milliseconds since 1970; `fire` itself where none does.
    var quietEnd = Entry.unknown
    /// Index into the calendars, the periods, the recurrences or the refusals.
    var rule: Int32 = 0
    var kind = Kind.once
    var content: ContentKind
    /// Of its content.
    var level: InterruptionLevel
    /// Asked for by the device's wall clock.
    var isWallTime = false
    /// The device is told to add it as it is when it fires at `fire`, and not as an instant.
    var isHeldAsWished = true

    static let unknown = Int64.min
  }

  struct Calendar {
    var bounded: BoundedCalendar
    /// iOS, told to repeat the components, fires exactly so, bounds and changes of the clock aside.
    var repeatsLikeApple: Bool
    /// Without a zone of its own.
    var isWallTime: Bool
    var hasEnd: Bool
    /// Read on the device's own clock, whatever name the zone was asked by.
    var isDevicesZone: Bool
    /// The first fire after a time at which somebody has looked.
    var known: (after: Int, fire: Fire)?

    /// The first fire strictly after an instant, in seconds since 1970.
    @inline(__always)
    func next(after now: Int) -> Fire? {
      if let known, known.after <= now, now < known.fire.at { return known.fire }
      return bounded.next(after: now)
    }
  }

  struct Recurrence {
    var compiled: CompiledRecurrence
    var isWallTime: Bool
  }

  /// Of the queue, in its order.
  let ids: [NotificationID]
  /// Where they were sorted, those that fire once come first, by (priority of the type, fire, id).
  let entries: [Entry]
  let calendars: [Calendar]
  /// Lengths of intervals, in milliseconds.
  let periods: [Int64]
  let recurrences: [Recurrence]
  let refusals: [RejectedRequest]
  /// Ids that look as if planning had made them: with an `@`, as those of occurrences and digests.
  let lookalikes: Set<NotificationID>
  /// Entries that fire once, by (fire, priority of the type, id); nil when they were not sorted.
  let onceByFire: [Int32]?
  /// Nil when nobody has looked ahead, or there are no caps.
  private let ahead: FiresAhead?
  private let zone: ZoneTable
  private let week: WeekRule

  init(_ compiler: QueueCompiler, ahead: FiresAhead? = nil) {
    ids = compiler.ids
    entries = compiler.entries
    calendars = compiler.calendars
    periods = compiler.periods
    recurrences = compiler.recurrences
    refusals = compiler.refusals
    lookalikes = compiler.lookalikes
    onceByFire = compiler.onceByFire
    zone = compiler.zone
    week = compiler.week
    self.ahead = ahead
  }

  /// Entries that fire once in the policy's order; nil when they were not sorted.
  func once(bySoonest: Bool) -> [Int32]? {
    guard let onceByFire else { return nil }
    return bySoonest ? onceByFire : onceByFire.indices.map { Int32($0) }
  }

  /// The fires of what repeats, if they are known from a time shortly before this plan's, and nothing that repeats is withheld.
  func ahead(in frame: Frame) -> FiresAhead? {
    guard let ahead, ahead.serves(frame.now),
      frame.reachability.reachesWithAll || !frame.policy.withholdsUnreachable
    else { return nil }
    return ahead
  }

  /// Whether it was made for such a device.
  func fits(_ device: PlanningDevice) -> Bool { zone.isSame(as: device.zone) && week == device.week }
}
