import CarillonModel

/// A queue made ready for one device: types found, triggers compiled, the dates of one-time requests resolved.
///
/// It depends on the queue, the policy's types and quiet hours, and the device's zone and week; neither on the time nor on what the
/// device holds or allows, so that one serves many plans.
struct CompiledQueue: Sendable {
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
    var kind: Kind
    /// Asked for by the device's wall clock.
    var isWallTime = false
    /// What the device is told to add when it fires at `fire`.
    var held = Candidate.HeldTrigger.original
    var type: Int32
    /// Of its content.
    var level: InterruptionLevel
    /// Index into the calendars, the recurrences or the refusals.
    var rule: Int32 = 0
    /// Milliseconds since 1970: the wish, or an interval's anchor.
    var fire: Int64 = 0
    /// An interval's length, in milliseconds.
    var period: Int64 = 0
    /// Milliseconds since 1970; the last instant at which it may fire.
    var expiry: Int64
    /// When no quiet window holds `fire` any more, in milliseconds since 1970; `fire` itself where none does.
    var quietEnd = Entry.unknown

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

  private(set) var entries: [Entry] = []
  private(set) var calendars: [Calendar] = []
  private(set) var recurrences: [Recurrence] = []
  private(set) var refusals: [RejectedRequest] = []
  /// Ids that look as if planning had made them: with an `@`, as those of occurrences and digests.
  private(set) var lookalikes: Set<NotificationID> = []
  /// Those that fire once, by (priority of the type, fire, id) and by (fire, priority of the type, id); nil when they
  /// were not sorted.
  private(set) var onceByPriority: [Int32]?
  private(set) var onceByFire: [Int32]?
  /// Nil when nobody has looked ahead, or there are no caps.
  private var ahead: FiresAhead?
  private let zone: ZoneTable
  private let week: WeekRule

  /// - Parameter forManyPlans: also sorts what no plan changes, which pays from the second plan on.
  init(
    _ queue: [QueueEntry], policy: CompiledPolicy, device: PlanningDevice, zones: some ZoneLookup,
    forManyPlans: Bool
  ) {
    zone = device.zone
    week = device.week
    entries.reserveCapacity(queue.count)
    var lookup = NamedZones(device.zone, zones)
    for index in queue.indices {
      if queue[index].head.id.text.utf8.contains(UInt8(ascii: "@")) {
        lookalikes.insert(queue[index].head.id)
      }
      let expiry = queue[index].head.expiresAt?.milliseconds ?? .max
      let type = policy.storage.index(of: queue[index].head.id, named: queue[index].head.type)
      add(
        queue[index],
        Entry(
          kind: .once, type: Int32(type), level: queue[index].head.summary.interruptionLevel, expiry: expiry),
        &lookup)
    }
    if let quietHours = policy.policy.quietHours { findQuietEnds(quietHours) }
    if forManyPlans { sort(queue, policy.storage) }
  }

  private mutating func findQuietEnds(_ quietHours: QuietHours) {
    var windows = QuietWindows(quietHours, zone: zone)
    entries.withUnsafeMutableBufferPointer { entries in
      for index in entries.indices where entries[index].kind == .once {
        entries[index].quietEnd = windows.end(of: entries[index].fire) ?? Entry.unknown
      }
    }
  }

  /// Sorts once what no plan changes: most requests stay where they were wished.
  private mutating func sort(_ queue: [QueueEntry], _ policy: CompiledPolicy.Storage) {
    let entries = entries
    func precedes(_ left: Int32, _ right: Int32, byFire: Bool) -> Bool {
      let (one, other) = (entries[Int(left)], entries[Int(right)])
      let priorities = (policy.rules[Int(one.type)].priority, policy.rules[Int(other.type)].priority)
      if byFire, one.fire != other.fire { return one.fire < other.fire }
      if priorities.0 != priorities.1 { return priorities.0 < priorities.1 }
      if one.fire != other.fire { return one.fire < other.fire }
      return queue[Int(left)].head.id.precedes(queue[Int(right)].head.id)
    }
    let once = entries.indices.filter { entries[$0].kind == .once }.map { Int32($0) }
    onceByFire = once.sorted { precedes($0, $1, byFire: true) }
    onceByPriority = once.sorted { precedes($0, $1, byFire: false) }
  }

  /// Finds once what plans of the time to come all ask for: when what repeats fires.
  mutating func lookAhead(_ borrowed: Frame) {
    for index in calendars.indices {
      guard let fire = calendars[index].bounded.next(after: borrowed.nowSeconds) else { continue }
      calendars[index].known = (borrowed.nowSeconds, fire)
    }
    guard !borrowed.policy.policy.frequencyCaps.isEmpty else { return }
    var frame = borrowed
    frame.reachability = .unlimited
    var gatherer = Gatherer(
      frame, self, priorities: frame.policy.rules.map(\.priority), counts: true)
    gatherer.gather()
    ahead = FiresAhead(
      (consume gatherer).finish().repeaters, frame.policy, after: frame.now, zone: zone)
  }

  /// The fires of what repeats, if they are known from a time before this plan's, and nothing that repeats is withheld.
  func ahead(in frame: Frame) -> FiresAhead? {
    guard let ahead, ahead.start <= frame.now,
      frame.reachability.reachesWithAll || !frame.policy.withholdsUnreachable
    else { return nil }
    return ahead
  }

  /// Whether it was made for such a device.
  func fits(_ device: PlanningDevice) -> Bool { zone.isSame(as: device.zone) && week == device.week }

  private mutating func add(
    _ queued: QueueEntry, _ plain: Entry, _ lookup: inout NamedZones<some ZoneLookup>
  ) {
    var entry = plain
    switch queued.head.trigger {
    case .instant(let at): entry.fire = at.milliseconds
    case .local(let local): entry.resolve(Int(local.wallSeconds), in: zone, isWallTime: true)
    case .calendar(let trigger):
      guard let zone = lookup.zone(named: trigger.timeZone) else {
        return refuse(queued, entry, lookup.refusal(trigger.timeZone))
      }
      if !trigger.repeats, let wall = trigger.onlyWallTime {
        entry.resolve(wall, in: zone, isWallTime: trigger.timeZone == nil)
      } else {
        entry.kind = trigger.repeats ? .calendar : .calendarOnce
        entry.rule = Int32(calendars.count)
        add(trigger, zone)
      }
    case .interval(let trigger):
      let anchor = trigger.anchor ?? queued.acceptedAt
      entry.kind = trigger.repeats ? .interval : .once
      entry.fire =
        (trigger.repeats ? anchor : trigger.fire(after: anchor, anchor: anchor)).milliseconds
      entry.period = trigger.period
    case .recurrence(let trigger):
      guard let zone = lookup.zone(named: trigger.timeZone) else {
        return refuse(queued, entry, lookup.refusal(trigger.timeZone))
      }
      do {
        let compiled = try CompiledRecurrence(trigger, zone: zone)
        entry.kind = .recurrence
        entry.rule = Int32(recurrences.count)
        // What it expires at when nothing matches any more.
        entry.fire = Int64(zone.rawReading(Int(trigger.start.wallSeconds)).fire) * 1000
        recurrences.append(Recurrence(compiled: compiled, isWallTime: trigger.timeZone == nil))
      } catch {
        return refuse(queued, entry, error)
      }
    case .location: entry.kind = .location
    }
    entries.append(entry)
  }

  private mutating func add(_ trigger: CalendarTrigger, _ zone: ZoneTable) {
    calendars.append(
      Calendar(
        bounded: BoundedCalendar(trigger, zone: zone, week: week),
        repeatsLikeApple: CalendarRule.repeatsLikeApple(trigger.components),
        isWallTime: trigger.timeZone == nil, hasEnd: trigger.endsAt != nil,
        isDevicesZone: zone.isSame(as: self.zone), known: nil))
  }

  private mutating func refuse(_ queued: QueueEntry, _ plain: Entry, _ refusal: TriggerRefusal) {
    var entry = plain
    entry.kind = .rejected
    entry.rule = Int32(refusals.count)
    entries.append(entry)
    refusals.append(
      RejectedRequest(
        id: queued.head.id, pointer: refusal.pointer, code: refusal.code.rawValue, detail: refusal.detail))
  }
}

extension CompiledQueue.Entry {
  /// Lets it fire once, when a clock shows a wall time.
  fileprivate mutating func resolve(_ wall: Int, in zone: ZoneTable, isWallTime: Bool) {
    let reading = zone.rawReading(wall)
    fire = Int64(reading.fire) * 1000
    held = reading.kind == .unique ? .original : .instant
    self.isWallTime = isWallTime
  }
}

/// Looks up zones by name; entries mostly share one.
private struct NamedZones<Zones: ZoneLookup> {
  private let devices: ZoneTable
  private let zones: Zones
  private var last: ZoneTable?

  init(_ devices: ZoneTable, _ zones: Zones) {
    self.devices = devices
    self.zones = zones
  }

  mutating func zone(named name: String?) -> ZoneTable? {
    guard let name else { return devices }
    if name == devices.name { return devices }
    if let last, last.name == name { return last }
    last = zones.zone(named: name)
    return last
  }

  func refusal(_ name: String?) -> TriggerRefusal {
    TriggerRefusal(
      .unknownTimeZone, "/trigger/timeZone",
      "There is no time zone \(name ?? "") in the zone data \(zones.version).")
  }
}
