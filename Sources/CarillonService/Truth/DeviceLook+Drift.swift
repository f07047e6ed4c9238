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
    let after = try planner.planningDevice(situation.state)
    let isElsewhere = situation.state.info.timeZone != before.info.timeZone
    let latest = max(now, report.sentAt ?? now)
    let finder = DriftFinder(
      plan: try previous.plan(), sent: Set(previous.summary.sent), before: before,
      appliedBefore: truth.appliedPlanVersion, report: report
    ) { [evidence, planner] request in
      if evidence.confirms(request.id) { return true }
      guard !request.trigger.repeats, let fire = request.fireAt else { return false }
      if fire <= latest { return true }
      guard isElsewhere,
        let trigger = try? CompiledTrigger(
          request.trigger, device: after, acceptedAt: fire, zones: planner.zones)
      else { return false }
      return trigger.onlyTime.map { $0 <= latest } ?? false
    }
    let queued = Set(situation.queueBefore.map(\.head.id))
    let finding = finder.find { queued.contains($0) }
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
