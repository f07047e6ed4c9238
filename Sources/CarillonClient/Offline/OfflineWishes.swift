import CarillonModel
import CarillonPlanner

/// What the app asked for and the server has not confirmed, in the words in which a device can plan it.
struct OfflineWishes {
  /// In the order in which they were made.
  private(set) var puts: [Notification] = []
  /// Put or cancelled.
  private var named: Set<NotificationID> = []

  /// - Parameter device: where wall times are read.
  init(_ outbox: Outbox, on device: PlanningDevice, now: Instant, zones: some ZoneLookup) {
    for entry in outbox.entries {
      guard let id = entry.operation.id else { continue }
      named.insert(id)
      if case .put(let notification) = entry.operation {
        puts.append(notification.pinned(at: now, on: device, zones: zones))
      }
    }
  }

  /// Whether a planned request is of a notification that is put anew or cancelled. Of a digest the members are not
  /// known: it stays until the server says.
  func replace(_ known: SyncAddition) -> Bool {
    if named.contains(known.id) { return true }
    guard known.isOccurrence, let source = known.source else { return false }
    return named.contains(source)
  }

  /// The same of a request of which nothing is known but its id.
  func replace(_ id: NotificationID) -> Bool {
    named.contains(id) || id.occurrenceSource.map(named.contains) ?? false
  }
}

extension Notification {
  /// The same wish, by the time at which it was planned: what counts from its acceptance would otherwise ring once by
  /// this device's reckoning, and again by the server's, which hears of it later.
  fileprivate func pinned(at now: Instant, on device: PlanningDevice, zones: some ZoneLookup) -> Notification
  {
    var pinned = self
    switch head.trigger {
    case .interval(var interval) where interval.anchor == nil:
      interval.anchor = now
      pinned.head.trigger = .interval(interval)
    case .calendar(let calendar) where !calendar.repeats && calendar.components.year == nil:
      let fire = Planner.firstFire(of: head, acceptedAt: now, now: now, device: device, zones: zones)
      guard let fire else { return self }
      let wall = fire.seconds + Int64(device.zone.offset(at: fire))
      pinned.head.trigger =
        calendar.timeZone == nil ? .local(LocalDateTime(wallSeconds: wall)) : .instant(fire)
    case .instant, .local, .calendar, .interval, .recurrence, .location: break
    }
    return pinned
  }
}

extension NotificationID {
  /// `standup` of `standup@20260103T0900`; nil for another form.
  var occurrenceSource: NotificationID? {
    guard let at = text.lastIndex(of: "@"), at != text.startIndex else { return nil }
    let time = text[text.index(after: at)...].utf8.reversed().drop { $0 == UInt8(ascii: "~") }.reversed()
    let digits = time.enumerated().allSatisfy { offset, byte in
      offset == 8 ? byte == UInt8(ascii: "T") : (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
    guard digits, time.count == 13 || time.count == 15 else { return nil }
    return NotificationID(unchecked: String(text[..<at]))
  }
}
