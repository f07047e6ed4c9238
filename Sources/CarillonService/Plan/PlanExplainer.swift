import CarillonModel
import CarillonPlanner
import CarillonStore

/// Tells why a notification is where it is, for whoever reads the database without a server.
public struct PlanExplainer: Sendable {
  private let planner: DevicePlanner

  /// - Parameter policy: the one in force; nil before the first.
  public init(policy: StoredPolicy?, zones: any ZoneLookup) throws(ServiceError) {
    planner = try DevicePlanner(by: policy, zones: zones)
  }

  /// - Parameter deliveries: those of the notification.
  public func explain(
    _ notification: NotificationID, in snapshot: PlanningSnapshot, deliveries: [StoredDelivery], now: Instant
  ) throws(ServiceError) -> Explanation {
    var situation = DevicePlanner.Situation(
      snapshot.device, state: snapshot.device.state, queue: snapshot.queue,
      previous: snapshot.plan.map(PreviousPlan.init), truth: snapshot.truth)
    situation.occurrences = deliveries
    return try planner.explain(notification, situation, now: now)
  }
}

extension DevicePlanner {
  /// - Parameter stored: the policy in force; nil before the first.
  init(by stored: StoredPolicy?, zones: any ZoneLookup) throws(ServiceError) {
    guard let stored else {
      self.init(zones: zones, policy: CompiledPolicy(Policy()), policyVersion: 0)
      return
    }
    do {
      self.init(
        zones: zones, policy: CompiledPolicy(try Policy(parsing: stored.document)),
        policyVersion: stored.version)
    } catch {
      throw .unreadablePolicy(version: stored.version)
    }
  }
}
