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
      let isPlaced =
        switch event.kind {
        case .tapped: mark(id, at: event.at) { $0.tappedAt = $0.tappedAt ?? $1 }
        case .dismissed: mark(id, at: event.at) { $0.dismissedAt = $0.dismissedAt ?? $1 }
        case .delivered: mark(id, at: event.at) { _, _ in }
        default: true
        }
      if !isPlaced { left.append(event) }
    }
    unplaced = left
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
  /// - Returns: false when no occurrence is known that this can be about.
  private mutating func mark(
    _ id: NotificationID, at time: Instant, _ body: (inout StoredDelivery, Instant) -> Void
  ) -> Bool {
    let told = min(time, now)
    var keys = latest(of: id, at: told)
    var at = told
    if keys.isEmpty {
      // Its clock is behind: what it speaks of must have come by now, and from us.
      keys = latest(of: id, at: now).filter { occurrences[$0]?.held != nil }
      at = now
    }
    for key in keys {
      guard var row = occurrences[key] else { continue }
      body(&row, at)
      if row.outcome != .rescued { row.outcome = .delivered }
      occurrences[key] = row
    }
    return !keys.isEmpty
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
