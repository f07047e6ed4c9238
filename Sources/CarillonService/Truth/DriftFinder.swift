import CarillonAPI
import CarillonModel
import CarillonPlanner
import CarillonStore

/// Where what a device holds is not what it should hold by all that was sent to it and that it said it applied.
///
/// What has fired is no drift, nor is what our own answers asked for, as far as the device may have followed them: the
/// plan version it reports tells.
struct DriftFinder {
  /// The plan that was answered last.
  let plan: Plan
  /// What may be pending because a plan once named it.
  let sent: Set<NotificationID>
  /// Of the report, and of the device before it.
  let evidence: DeliveryEvidence
  /// The newest plan it had said to have applied before the report.
  let appliedBefore: Int?
  let report: SyncRequest
  /// Whether a request may have fired, by the server's clock or the device's own.
  let mayHaveFired: (HeldRequest) -> Bool

  struct Finding {
    var dropped: [NotificationID] = []
    var unplanned = 0
    var altered = 0
  }

  /// Nothing when the report does not say what is pending.
  func find(queue: (NotificationID) -> Bool) -> Finding {
    var finding = Finding()
    guard let now = evidence.reported else { return finding }
    let old = evidence.before
    // What the device itself changes with this report is no drift.
    let own = Set(report.put.map(\.head.id)).union(report.cancel)
    var held: Set<NotificationID> = []
    for request in plan.held {
      held.insert(request.id)
      let found = now[request.id]
      // As it should be: nearly always.
      if let found, found.revisionHash == request.revisionHash { continue }
      guard !own.contains(request.id), !own.contains(request.source), !mayHaveFired(request) else { continue }
      if let found {
        if isAltered(found, old[request.id], request) { finding.altered += 1 }
      } else if isDropped(old[request.id], request) {
        finding.dropped.append(request.id)
      }
    }
    for (id, request) in now where !held.contains(id) && !sent.contains(id) && old[id] == nil {
      guard !own.contains(id), request.revision != nil || queue(id) else { continue }
      finding.unplanned += 1
    }
    return finding
  }

  /// Whether the device says that it lives by the plan.
  private var hasApplied: Bool { report.planVersion.map { $0 >= plan.version } ?? false }

  /// Whether it says so for the first time.
  private var appliesNow: Bool { hasApplied && (appliedBefore ?? 0) < plan.version }

  private func isDropped(_ old: PendingRequest?, _ request: HeldRequest) -> Bool {
    // It never showed it: found out once, when it says to have applied the plan.
    guard let old else { return appliesNow }
    return (old.revisionHash ?? request.revisionHash) == request.revisionHash || hasApplied
  }

  private func isAltered(_ found: PendingRequest, _ old: PendingRequest?, _ request: HeldRequest) -> Bool {
    if let old, old.revisionHash == request.revisionHash { return true }
    return hasApplied && (old != found || appliesNow)
  }
}
