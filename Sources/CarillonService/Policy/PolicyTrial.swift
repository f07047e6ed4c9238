import CarillonModel
import CarillonPlanner
import CarillonStore

/// A policy that is not in force, tried at one moment: each device is planned under the current policy and under this
/// one, so that nothing but the policy makes a difference. Nothing is written.
public struct PolicyTrial: Sendable {
  private let current: DevicePlanner
  private let proposed: DevicePlanner
  private let now: Instant

  /// - Parameter stored: the current policy; nil before the first.
  public init(
    _ policy: Policy, against stored: StoredPolicy?, zones: any ZoneLookup, now: Instant
  ) throws(ServiceError) {
    current = try DevicePlanner(by: stored, zones: zones)
    // The version it would get if it were put now.
    proposed = DevicePlanner(
      zones: zones, policy: CompiledPolicy(policy), policyVersion: current.policyVersion + 1)
    self.now = now
  }

  /// The current policy's; 0 before the first.
  public var policyVersion: Int { current.policyVersion }

  /// An empty tally of this trial.
  ///
  /// - Parameter total: the devices the tenant has.
  public func preview(total: Int) -> PolicyPreview {
    PolicyPreview(policyVersion: policyVersion, plannedAt: now, total: total)
  }

  /// Nil when the device's zone is not in the zone data: it cannot be planned under any policy.
  public func plans(of snapshot: PlanningSnapshot) throws(ServiceError) -> PlanPair? {
    do {
      return PlanPair(
        device: snapshot.device.id, before: try plan(snapshot, by: current),
        after: try plan(snapshot, by: proposed))
    } catch {
      guard case .unknownTimeZone = error else { throw error }
      return nil
    }
  }

  private func plan(_ snapshot: PlanningSnapshot, by planner: DevicePlanner) throws(ServiceError) -> Plan {
    try planner.plan(
      .init(
        snapshot.device, state: snapshot.device.state, queue: snapshot.queue,
        previous: snapshot.plan.map(PreviousPlan.init),
        truth: snapshot.truth),
      now: now
    ).result.plan
  }
}

/// The plans of one device under two policies at the same moment.
public struct PlanPair: Sendable {
  public var device: DeviceID
  public var before: Plan
  public var after: Plan

  public init(device: DeviceID, before: Plan, after: Plan) {
    self.device = device
    self.before = before
    self.after = after
  }

  /// What differs between them.
  public var change: PlanChange { PlanChange(from: before, to: after, of: device) }
}
