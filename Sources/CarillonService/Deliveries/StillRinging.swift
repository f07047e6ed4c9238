import CarillonModel
import CarillonPlanner
import CarillonStore

/// What is due by our clock and still pending, because the device's own is behind: it rings yet, and is left alone.
///
/// It is so while nothing but the time speaks against it: what is cancelled, put anew, not allowed or not noticeable
/// any more is taken back as ever.
struct StillRinging {
  /// A clock that is further behind than this rings nothing that anybody still waits for.
  static let mostSeconds: Int64 = 86_400

  let planner: DevicePlanner
  let situation: DevicePlanner.Situation
  let evidence: DeliveryEvidence
  let occurrences: Occurrences
  let now: Instant

  /// - Parameter undecided: fires that have come, of which nobody has said what became of them.
  func requests(of undecided: [DeliveryMemory.Due]) throws(ServiceError) -> [DeliveryMemory.Due] {
    let pending = undecided.filter { due in
      let end = due.delivery.at.adding(seconds: Self.mostSeconds)
      return !due.repeats && due.delivery.at <= now && now < end
        && evidence.listsAsPending(due, seenAt: situation.seenAt)
    }
    guard !pending.isEmpty else { return [] }
    let device = try planner.planningDevice(situation.state)
    let old = try planner.planningDevice(situation.before)
    let before = QueueIndex(situation.queueBefore)
    let after = QueueIndex(situation.queue)
    let held = try situation.previous?.plan().held ?? []
    return pending.filter { due in
      let request = held.first { $0.id == due.delivery.id && $0.revisionHash == due.revisionHash }
      return notifications(of: due).allSatisfy { id in
        guard let entry = after[id], entry == before[id], entry.acceptedAt <= due.delivery.at,
          Planner.mayHold(entry.head, on: device, policy: planner.policy)
        else { return false }
        // By the clock of where it is now, its time may be still to come: then it is planned as ever.
        if !entry.head.trigger.repeats, let wish = planner.wish(of: entry, on: device, now: now), wish > now {
          return false
        }
        return request.map { isUnchanged(entry, in: $0, on: old) } ?? true
      }
    }
  }

  /// The members of a digest, else the one that it was made from.
  private func notifications(of due: DeliveryMemory.Due) -> Set<NotificationID> {
    let rows = occurrences.items.values.filter {
      $0.row.request == due.delivery.id && $0.row.dueAt == due.delivery.at
    }
    if !rows.isEmpty { return Set(rows.map(\.row.notification)) }
    let text = due.delivery.id.text
    guard !situation.queue.contains(where: { $0.head.id == due.delivery.id }),
      let end = text.lastIndex(of: "@")
    else { return [due.delivery.id] }
    // The members of a digest stand in the history alone.
    return text.hasPrefix("digest.") ? [] : [NotificationID(unchecked: String(text[..<end]))]
  }

  /// Whether the request is still what the notification makes of it: it may have been put anew since it was planned.
  private func isUnchanged(_ entry: StoredEntry, in request: HeldRequest, on before: PlanningDevice) -> Bool {
    // A digest is known by its members, and its content may be that of another one.
    guard request.digestCount == nil else { return true }
    let hash = Revision.hash(of: request.trigger, summary: entry.head.summary)
    guard Revision.hash(hash, badge: request.badge) == request.revisionHash else { return false }
    if entry.head.trigger.repeats { return true }
    return planner.wish(of: entry, on: before, now: now) == request.moves.first?.from ?? request.fireAt
  }
}

extension StoredDelivery {
  /// The ``reason`` of what was pending when it was due by our clock, and was removed or replaced before it rang.
  static let takenBack = "takenBack"
}

extension StoredDelivery {
  /// The ``reason`` of what is open and stays so, unless an event tells: the device never said whether it had it.
  static let untold = "untold"

  var isUntold: Bool { outcome == .open && reason == Self.untold }
}

extension PlanResult {
  /// Whether it takes a pending request away, or puts another in its place.
  func takesBack(_ due: DeliveryMemory.Due) -> Bool {
    let id = due.delivery.id
    return diff.remove.contains(id) || diff.add.contains { plan.held[$0].id == id }
  }
}
