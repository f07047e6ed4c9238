/// What one device is planned from, besides the policy.
public struct PlanningSnapshot: Sendable {
  public var device: StoredDevice
  /// In the order of the ids' bytes.
  public var queue: [StoredEntry]
  /// Nil before the first plan.
  public var plan: PlanSummary?
  public var truth: DeviceTruth

  public init(
    device: StoredDevice, queue: [StoredEntry], plan: PlanSummary?, truth: DeviceTruth = DeviceTruth()
  ) {
    self.truth = truth
    self.device = device
    self.queue = queue
    self.plan = plan
  }
}
