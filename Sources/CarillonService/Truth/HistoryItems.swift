import CarillonAPI
import CarillonModel
import CarillonStore

// How the history of a device is shown: on the wire and by `tenantctl` in the same form.

extension DeviceStanding {
  /// - Parameter plan: the stored one; nil: there is none.
  public init(_ truth: DeviceTruth?, plan: StoredPlan?) throws(ServiceError) {
    self.init()
    if let truth {
      fatiguedAt = truth.fatiguedAt
      drift.dropped = truth.drift.dropped
      drift.unplanned = truth.drift.unplanned
      drift.altered = truth.drift.altered
      drift.lastAt = truth.drift.at
    }
    guard let plan else { return }
    let held: [HeldRequest]
    do { held = try PlanCodec.decode(plan.document).held } catch { throw .store(.unreadable(.plan)) }
    for request in held {
      reach[request.reach, default: 0] += 1
      for need in request.unmetNeeds { unmetNeeds[need, default: 0] += 1 }
    }
  }
}

extension DeviceChangeItem {
  public init(_ stored: StoredStateChange) {
    self.init(
      number: stored.number, at: stored.at, sequence: stored.sequence, sentAt: stored.sentAt,
      appVersion: stored.appVersion, authorizationStatus: stored.authorizationStatus,
      fatigue: stored.fatigue?.rawValue,
      changes: stored.members.map { Change(member: $0.path, from: $0.from, to: $0.to) },
      puts: stored.edits.puts, cancels: stored.edits.cancels, more: stored.edits.more)
  }
}

extension DeliveryItem {
  public init(_ stored: StoredDelivery) {
    self.init(
      notification: stored.notification, wishedAt: stored.wishedAt, request: stored.request,
      type: stored.type, at: stored.dueAt, outcome: stored.outcome, reason: stored.reason,
      settledAt: stored.settledAt, tappedAt: stored.tappedAt, dismissedAt: stored.dismissedAt,
      reach: stored.reach, unmetNeeds: stored.unmetNeeds)
  }
}
