import CarillonAPI
import CarillonModel
import CarillonPlanner
import CarillonStore

/// What a device tells of its notifications.
extension DeviceLook {
  /// Taps, dismissals and deliveries that the device tells one by one, each once.
  mutating func placeEvents() {
    var left: [SyncEvent] = []
    for event in unplaced {
      guard let id = event.notification else { continue }
      noteVisit(id, event)
      switch event.kind {
      case .tapped, .dismissed, .delivered: if !place(event, of: id) { left.append(event) }
      default: break
      }
    }
    unplaced = left
  }

  /// - Returns: false when no occurrence is known that this can be about.
  private mutating func place(_ event: SyncEvent, of id: NotificationID) -> Bool {
    let (keys, at) = occurrences(of: id, toldAt: event.at)
    if event.kind == .tapped, keys.contains(where: { wasThere($0, by: event.at) }) {
      tapsOfDelivered.insert(event.id)
    }
    for key in keys {
      guard var row = occurrences[key] else { continue }
      switch event.kind {
      case .tapped: row.tappedAt = row.tappedAt ?? at
      case .dismissed: row.dismissedAt = row.dismissedAt ?? at
      default: break
      }
      if row.isUntold { row.reason = nil }
      if row.outcome != .rescued { row.outcome = .delivered }
      occurrences[key] = row
    }
    return !keys.isEmpty
  }

  /// Whether an occurrence is of what a plan told the device to hold, or of what rang by an older one, and has come by our
  /// clock or by the device's own: without that the device's word is no evidence that its user saw anything of us.
  private func wasThere(_ key: Occurrences.Key, by told: Instant) -> Bool {
    guard let row = occurrences[key] else { return false }
    let latest = min(told, now.adding(seconds: DeliveryEvidence.mostSecondsAhead))
    guard row.dueAt <= max(now, latest.adding(seconds: 1)) else { return false }
    return row.held != nil || row.reach != nil || isInHistory(row)
  }

  /// Seconds within which two events are taken to be about one visit to a place.
  private static let secondsOfVisit: Int64 = 60

  /// A place has no time that could come: its occurrences are those that the device tells of. What is told of one
  /// twice, or long after it came, tells of another.
  private mutating func noteVisit(_ id: NotificationID, _ event: SyncEvent) {
    guard [.tapped, .dismissed, .delivered].contains(event.kind),
      let head = situation.queueBefore.first(where: { $0.head.id == id })?.head, case .location = head.trigger
    else { return }
    let told = min(event.at, now)
    if let last = latest(of: id, at: told).first.flatMap({ occurrences[$0] }) {
      let isKnown =
        switch event.kind {
        case .tapped: last.tappedAt == nil
        case .dismissed: last.dismissedAt == nil
        default: false
        }
      if isKnown || told <= last.dueAt.adding(seconds: Self.secondsOfVisit) { return }
    }
    var row = StoredDelivery(
      notification: id, wishedAt: told, request: id,
      type: planner.policy.type(of: id, named: head.type).name, dueAt: told, outcome: .delivered)
    if let held = (try? situation.previous?.plan())?.held.first(where: { $0.id == id }) {
      row.reach = held.reach
      row.unmetNeeds = held.unmetNeeds
    }
    occurrences.add(row)
  }

  /// What stands in Notification Center was delivered, where it was taken for that already.
  mutating func takeNotificationCenter() {
    for id in situation.report?.delivered ?? [] {
      for key in latest(of: id, at: now) {
        guard var row = occurrences[key], row.outcome == .inferredDelivered else { continue }
        row.outcome = .delivered
        occurrences[key] = row
      }
    }
  }

  /// - Parameter time: by the device's clock, which is also the one that its notifications rang by.
  /// - Returns: those that an event is about, and when it came by ours.
  private func occurrences(
    of id: NotificationID, toldAt time: Instant
  ) -> (keys: [Occurrences.Key], at: Instant) {
    let told = min(time, now)
    let keys = latest(of: id, at: told)
    if !keys.isEmpty { return (keys, told) }
    // Its clock is behind: what it speaks of must have come by now, and from us.
    return (latest(of: id, at: now).filter { occurrences[$0]?.held != nil }, now)
  }

  /// The occurrences of a notification or request that came due last by a time: one, or the members of a digest.
  private func latest(of id: NotificationID, at time: Instant) -> [Occurrences.Key] {
    // One that rang before its time, by a clock that is ahead, has come by now.
    let found = occurrences.items.filter {
      ($0.value.row.request == id || $0.value.row.notification == id) && min($0.value.row.dueAt, now) <= time
    }
    guard let last = found.values.map(\.row.dueAt).max() else { return [] }
    return found.filter { $0.value.row.dueAt == last }.map(\.key)
  }
}
