import CarillonModel
import CarillonPlanner
import CarillonStore

/// What is over and must not ring again, though by the times alone it would: its wall time comes once more in another
/// zone, or it rang before its time by a clock that is ahead.
extension DeviceLook {
  mutating func rememberDelivered() throws(ServiceError) {
    let told = occurrences.changed.filter { $0.outcome != .open && !isOfEarlierPut($0) }
    guard !told.isEmpty || !rungByAnOlderPlan.isEmpty else { return }
    // What the report itself puts may be over at once.
    let entries = PassedWishes.byID(situation.queueBefore + situation.queue + situation.everybodys)
    let devices = [try planner.planningDevice(situation.before), try planner.planningDevice(situation.state)]
    let journey = try Journey(planner, situation, now: now)
    for rung in rungByAnOlderPlan.map(\.request.delivery) where !isOfEarlierPut(rung) {
      guard let entry = entries[rung.id], entry.head.trigger.isFloatingOnce || rung.at > now,
        rung.at > entry.acceptedAt,
        devices.contains(where: { device in
          planner.wish(of: entry, on: device, now: now).map { $0 <= rung.at } ?? false
        })
      else { continue }
      truth.delivered[rung.id] = .init(at: rung.at, acceptedAt: entry.acceptedAt)
    }
    for row in told {
      // What was put since is another wish, and what was wished for another time is another one, too.
      guard let entry = entries[row.notification], isOver(row, entry) else { continue }
      func isWished(_ time: Instant) -> Bool {
        devices.contains { planner.wish(of: entry, on: $0, now: now) == time }
          || journey?.wish(of: entry) == time
      }
      let put = DeviceTruth.Delivered(at: row.dueAt, acceptedAt: entry.acceptedAt)
      if entry.head.trigger.repeats {
        if row.dueAt > now { truth.delivered[row.request] = put }
      } else if needsWord(row, of: entry),
        // What comes after a journey keeps the wish that was told before it.
        entry.head.trigger.isFloatingOnce && (row.dueAt > entry.acceptedAt || isWished(row.dueAt))
          || isWished(row.wishedAt)
      {
        truth.delivered[entry.head.id] = put
      }
    }
  }

  /// Whether it was delivered; or was to be by a wall time, which comes but once, and is not wanted late.
  private func isOver(_ row: StoredDelivery, _ entry: StoredEntry) -> Bool {
    let isFloating = entry.head.trigger.isFloatingOnce
    if isFloating, row.reason == StoredDelivery.travelled || row.reason == StoredDelivery.past { return true }
    guard row.dueAt > entry.acceptedAt else { return false }
    return row.outcome.isDelivered || isFloating && entry.head.overdue == .expire
  }

  /// Whether the history of deliveries does not tell by itself that it is over.
  private func needsWord(_ row: StoredDelivery, of entry: StoredEntry) -> Bool {
    entry.head.trigger.isFloatingOnce || row.dueAt > now || !isInHistory(row)
  }

  /// Keeps what is still in the queue as it was put; and the occurrences of what repeats until their time has come.
  mutating func forgetDelivered() {
    guard !truth.delivered.isEmpty else { return }
    let entries = PassedWishes.byID(situation.queue + situation.asleep)
    truth.delivered = truth.delivered.filter { id, put in
      entries[id].map { $0.acceptedAt == put.acceptedAt } ?? (put.at > now)
    }
  }
}
