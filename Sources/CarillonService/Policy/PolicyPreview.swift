import CarillonModel

/// What a policy would do to the devices of a tenant: a tally of their plans before and after.
public struct PolicyPreview: Sendable {
  /// So many changed devices are named; the rest is counted.
  public static let mostNamedDevices = 100

  /// The plans of all devices under one policy, added up.
  public struct Side: Hashable, Sendable {
    public var held = 0
    public var queued = 0
    public var withheld = 0
    public var expired = 0
    /// Held, but at another time than was wished.
    public var moved = 0
    /// Devices whose repeating requests leave no slot that can ever free.
    public var starvedDevices = 0
    public var evictionsByType: [String: Int] = [:]
    public var withheldByReason: [WithheldRequest.Reason: Int] = [:]

    public init() {}

    mutating func add(_ plan: Plan) {
      held += plan.held.count
      queued += plan.queued.count
      withheld += plan.withheld.count
      expired += plan.expired.count
      moved += plan.held.count { !$0.moves.isEmpty }
      starvedDevices += plan.starved ? 1 : 0
      for (type, count) in plan.evictionsByType { evictionsByType[type, default: 0] += count }
      for request in plan.withheld { withheldByReason[request.reason, default: 0] += 1 }
    }
  }

  /// The current policy's; 0 before the first.
  public let policyVersion: Int
  /// The moment all plans were made for.
  public let plannedAt: Instant
  /// The devices the tenant has.
  public var total: Int
  public private(set) var planned = 0
  /// Devices whose zone is not in the zone data.
  public private(set) var skipped = 0
  public private(set) var changed = 0
  public private(set) var before = Side()
  public private(set) var after = Side()
  /// The first of the changed devices, in the order in which they were added.
  public private(set) var changes: [PlanChange] = []
  /// The device whose plans are shown side by side; counted above only when it was also added.
  public var shown: PlanPair?

  public init(policyVersion: Int, plannedAt: Instant, total: Int) {
    self.policyVersion = policyVersion
    self.plannedAt = plannedAt
    self.total = total
  }

  /// - Parameter plans: of one device; nil when it could not be planned.
  public mutating func add(_ plans: PlanPair?) {
    guard let plans else {
      skipped += 1
      return
    }
    planned += 1
    before.add(plans.before)
    after.add(plans.after)
    let change = plans.change
    guard change.isChange else { return }
    changed += 1
    if changes.count < Self.mostNamedDevices { changes.append(change) }
  }

  /// Whether any device that was looked at would hold, or wait for, anything else.
  public var findsChanges: Bool { changed > 0 || shown?.change.isChange ?? false }
}
