import CarillonModel

/// How one plan of a device differs from another. Ranks and versions do not count: they change nothing that the
/// device holds or that waits.
public struct PlanChange: Hashable, Sendable {
  public var device: DeviceID
  /// Held then, and not before.
  public var added = 0
  /// Held before, and not then.
  public var removed = 0
  /// Held both times, with another trigger or content.
  public var replaced = 0
  /// Whether others wait, or for another reason.
  public var changesQueued: Bool
  /// Whether others are withheld, or for another reason.
  public var changesWithheld: Bool

  public init(from before: Plan, to after: Plan, of device: DeviceID) {
    self.device = device
    let revisions = Dictionary(before.held.map { ($0.id, $0.revisionHash) }) { _, last in last }
    for request in after.held {
      guard let revision = revisions[request.id] else {
        added += 1
        continue
      }
      if revision != request.revisionHash { replaced += 1 }
    }
    removed = before.held.count - (after.held.count - added)
    changesQueued = Self.queued(before) != Self.queued(after)
    changesWithheld = Self.withheld(before) != Self.withheld(after)
  }

  /// Whether the device would hold, or be kept waiting for, anything else.
  public var isChange: Bool {
    added > 0 || removed > 0 || replaced > 0 || changesQueued || changesWithheld
  }

  private static func queued(_ plan: Plan) -> [NotificationID: QueuedRequest.Reason] {
    Dictionary(plan.queued.map { ($0.id, $0.reason) }) { _, last in last }
  }

  private static func withheld(_ plan: Plan) -> [NotificationID: WithheldRequest.Reason] {
    Dictionary(plan.withheld.map { ($0.id, $0.reason) }) { _, last in last }
  }
}
