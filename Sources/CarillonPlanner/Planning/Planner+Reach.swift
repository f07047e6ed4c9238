import CarillonModel

extension Planner {
  /// Whether a device may hold a request for a notification at all: it allows notifications, and somebody could notice
  /// this one, or the policy does not ask.
  public static func mayHold(
    _ head: NotificationHead, on device: PlanningDevice, policy: CompiledPolicy
  ) -> Bool {
    let reachability = Reachability(status: device.authorizationStatus, settings: device.settings)
    guard reachability.refusal == nil else { return false }
    return policy.policy.unreachable != .withhold
      || reachability.reach(of: ContentKind(head.summary)) != .none
  }
}
