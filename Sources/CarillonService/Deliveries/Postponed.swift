import CarillonModel
import CarillonPlanner
import CarillonStore

/// What had come due by the clock of where a device was thought to be, and by the device's own is still to come.
///
/// Whoever asks for a plan knows no journey: what came by the clock of the last report is noted as open. A report from
/// further west that still has it pending shows that it has not rung, and will at its wall time there. It stays the
/// occurrence that was told, and is told no second time.
struct Postponed {
  private let planner: DevicePlanner
  private let situation: DevicePlanner.Situation
  private let evidence: DeliveryEvidence
  private let journey: Journey?
  private let device: PlanningDevice
  private let entries: QueueIndex
  private let now: Instant

  init(
    _ planner: DevicePlanner, _ situation: DevicePlanner.Situation, _ evidence: DeliveryEvidence,
    _ journey: Journey?, now: Instant
  ) throws(ServiceError) {
    self.planner = planner
    self.situation = situation
    self.evidence = evidence
    self.journey = journey
    self.now = now
    device = try planner.planningDevice(situation.state)
    entries = QueueIndex(situation.queueBefore)
  }

  /// - Parameter due: noted at an earlier look.
  func contains(_ due: DeliveryMemory.Due) -> Bool {
    guard evidence.source == .report, !due.repeats, due.delivery.at <= now, evidence.stillHolds(due) else {
      return false
    }
    let noted = situation.occurrences.filter { $0.outcome == .open && $0.due == due }.map(\.notification)
    // The members of a digest, else the one that it was made from.
    return (noted.isEmpty ? [due.delivery.id] : noted).allSatisfy { id in
      guard let entry = entries[id], entry.head.trigger.isFloatingOnce, entry.acceptedAt < due.delivery.at
      else { return false }
      if let wish = planner.wish(of: entry, on: device, now: now), wish > now { return true }
      return journey.map { $0.elsewhere(due.delivery.at) > now } ?? false
    }
  }
}

extension StoredDelivery {
  /// Whether its time has come once and is to come again; see ``Postponed``.
  var isPostponed: Bool { outcome == .open && held == nil }
}
