import CarillonAPI
import CarillonModel
import CarillonPlanner
import CarillonStore

extension DeviceLook {
  /// Holds what is pending against what should be.
  mutating func findDrift() throws(ServiceError) {
    guard let report = situation.report, let pending = report.pending, let previous = situation.previous
    else { return }
    let before = situation.before
    // The same as before, by the same plan: what is wrong with it was found then.
    guard before.pending != pending || report.planVersion != truth.appliedPlanVersion else { return }
    let journey = try Journey(planner, situation, now: now)
    let entries = QueueIndex(situation.queueBefore)
    let latest = max(now, report.sentAt ?? now)
    // By an older plan, though the newest one brings it once more.
    let rung = newlyDelivered
    let finder = DriftFinder(
      plan: try handedOutPlan(previous), sent: Set(previous.summary.sent), evidence: evidence,
      appliedBefore: truth.appliedPlanVersion, report: report
    ) { [evidence] request in
      if rung.contains(request.id) { return true }
      if let fire = request.fireAt, evidence.confirms(request.id, dueAt: fire) { return true }
      guard !request.trigger.repeats, let fire = request.fireAt else { return false }
      if fire <= latest { return true }
      return journey?.explains(request, acceptedAt: entries[request.source]?.acceptedAt) ?? false
    }
    let finding = finder.find { entries[$0] != nil }
    drift = DriftCounts(
      dropped: finding.dropped.count, unplanned: finding.unplanned, altered: finding.altered)
    truth.vanished.formUnion(finding.dropped)
    truth.vanished.subtract(pending.map(\.id))
    guard !drift.isEmpty else { return }
    drift.at = now
    truth.drift.dropped += drift.dropped
    truth.drift.unplanned += drift.unplanned
    truth.drift.altered += drift.altered
    truth.drift.at = now
  }
}
