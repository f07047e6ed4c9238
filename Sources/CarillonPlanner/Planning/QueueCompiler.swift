import CarillonModel

/// Makes a ``CompiledQueue``, entry by entry.
struct QueueCompiler {
  typealias Entry = CompiledQueue.Entry

  let ids: [NotificationID]
  private(set) var entries: [Entry] = []
  private(set) var calendars: [CompiledQueue.Calendar] = []
  private(set) var periods: [Int64] = []
  private(set) var recurrences: [CompiledQueue.Recurrence] = []
  private(set) var refusals: [RejectedRequest] = []
  private(set) var lookalikes: Set<NotificationID> = []
  private(set) var onceByFire: [Int32]?
  let zone: ZoneTable
  let week: WeekRule

  /// - Parameter forManyPlans: also sorts what no plan changes, which pays from the second plan on.
  init(
    _ queue: [QueueEntry], policy: CompiledPolicy, device: PlanningDevice, zones: some ZoneLookup,
    forManyPlans: Bool
  ) {
    ids = queue.map(\.head.id)
    zone = device.zone
    week = device.week
    entries.reserveCapacity(queue.count)
    var lookup = NamedZones(device.zone, zones)
    for index in queue.indices {
      if queue[index].head.id.text.utf8.contains(UInt8(ascii: "@")) {
        lookalikes.insert(queue[index].head.id)
      }
      let type = policy.storage.index(of: queue[index].head.id, named: queue[index].head.type)
      add(
        queue[index],
        Entry(
          queued: Int32(index), type: Int32(type), expiry: queue[index].head.expiresAt?.milliseconds ?? .max,
          content: ContentKind(queue[index].head.summary), level: queue[index].head.summary.interruptionLevel),
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
    func precedes(_ one: Entry, _ other: Entry, byFire: Bool) -> Bool {
      let priorities = (policy.rules[Int(one.type)].priority, policy.rules[Int(other.type)].priority)
      if byFire, one.fire != other.fire { return one.fire < other.fire }
      if priorities.0 != priorities.1 { return priorities.0 < priorities.1 }
      if one.fire != other.fire { return one.fire < other.fire }
      return queue[Int(one.queued)].head.id.precedes(queue[Int(other.queued)].head.id)
    }
    // In the order in which they are placed, so that placing walks through memory.
    let once = entries.filter { $0.kind == .once }.sorted { precedes($0, $1, byFire: false) }
    entries = once + entries.filter { $0.kind != .once }
    onceByFire = once.indices.sorted { precedes(once[$0], once[$1], byFire: true) }.map { Int32($0) }
  }

  /// Finds once what plans of the time to come all ask for: when what repeats fires.
  ///
  /// - Parameter frame: of a plan at a time before theirs.
  mutating func lookAhead(_ borrowed: Frame) -> CompiledQueue {
    for index in calendars.indices {
      guard let fire = calendars[index].bounded.next(after: borrowed.nowSeconds) else { continue }
      calendars[index].known = (borrowed.nowSeconds, fire)
    }
    let compiled = CompiledQueue(self)
    guard !borrowed.policy.policy.frequencyCaps.isEmpty else { return compiled }
    var frame = borrowed
    frame.reachability = .unlimited
    var gatherer = Gatherer(
      frame, compiled, priorities: frame.policy.rules.map(\.priority), counts: true)
    gatherer.gather()
    let repeaters = (consume gatherer).finish().repeaters
    return CompiledQueue(self, ahead: FiresAhead(repeaters, frame.policy, after: frame.now, zone: zone))
  }

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
      if trigger.repeats {
        entry.rule = Int32(periods.count)
        periods.append(trigger.period)
      }
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
        recurrences.append(CompiledQueue.Recurrence(compiled: compiled, isWallTime: trigger.timeZone == nil))
      } catch {
        return refuse(queued, entry, error)
      }
    case .location: entry.kind = .location
    }
    entries.append(entry)
  }

  private mutating func add(_ trigger: CalendarTrigger, _ zone: ZoneTable) {
    calendars.append(
      CompiledQueue.Calendar(
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
    isHeldAsWished = reading.kind == .unique
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
