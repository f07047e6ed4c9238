import CarillonModel
import CarillonPlanner
import CarillonStore

extension DevicePlanner {
  /// What of a look at a device reaches the inbox.
  func inboxChange(_ outcome: Outcome, _ situation: Situation, now: Instant) throws(ServiceError)
    -> InboxChange
  {
    var change = InboxChange()
    let wanted = outcome.cameDue.filter(\.inbox)
    if !wanted.isEmpty {
      let devices = [try planningDevice(situation.before), try planningDevice(situation.state)]
      let journey = try Journey(self, situation, now: now)
      let entries = Dictionary(
        (situation.queueBefore + situation.queue).map { ($0.head.id, $0) }
      ) { first, _ in first }
      let everybodys = PassedWishes.byID(situation.everybodys)
      change.due = wanted.filter { item in
        (item.user == nil ? entries : everybodys)[item.notification].map {
          isAnnounced(
            item, by: $0, on: devices, $0.putVersion <= situation.rowVersion ? journey : nil)
        } ?? false
      }.map { InboxOccurrence($0, now: now) }
    }
    let keys = Set(change.due.map(\.key))
    let user = [StoredEntry].owner(situation.before.info.userId)
    change.settled = (outcome.look.history(nil)?.deliveries ?? [])
      .map { InboxOccurrence($0, shown: user) }
      .filter { $0.outcome != .open && !keys.contains($0.key) }
    return change
  }

  /// Whether an occurrence is one of what stands in the queue. One whose time was over when it was put was never to be
  /// announced: a flood of what is long past helps nobody. And one that the tenant has taken back before its time, by
  /// another time for the same id, may have rung on a device that did not know; but then it rang as something else.
  ///
  /// - Parameter devices: where it was, and where it is.
  private func isAnnounced(
    _ due: CameDue, by entry: StoredEntry, on devices: [PlanningDevice], _ journey: Journey?
  ) -> Bool {
    // By the clock of here it may have passed before it was put: there it was put in time.
    if let journey, journey.wish(of: entry) == due.wishedAt {
      return wish(of: entry, on: devices[0], now: entry.acceptedAt).map { $0 > entry.acceptedAt } ?? false
    }
    guard due.at > entry.acceptedAt else { return false }
    let before = Instant(milliseconds: due.wishedAt.milliseconds - 1)
    return devices.contains { wish(of: entry, on: $0, now: before) == due.wishedAt }
  }
}

extension InboxOccurrence {
  /// What rang before its time has come now.
  fileprivate init(_ due: CameDue, now: Instant) {
    self.init(
      key: InboxKey(notification: due.notification, wishedAt: due.wishedAt), at: min(due.at, now),
      type: due.type, outcome: due.outcome, user: due.user)
  }

  /// - Parameter user: whose inbox the device showed.
  fileprivate init(_ delivery: StoredDelivery, shown user: String?) {
    let owner = [StoredEntry].owner(delivery.user)
    self.init(
      key: InboxKey(notification: delivery.notification, wishedAt: delivery.wishedAt), at: delivery.dueAt,
      type: delivery.type, outcome: delivery.outcome, user: owner == user ? nil : owner)
  }
}
