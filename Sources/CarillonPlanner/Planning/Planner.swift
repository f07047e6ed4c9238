import CarillonModel

/// The planner: a pure function from what is wished and what is possible to what a device should hold.
public enum Planner {
  /// Most one-time requests that one repeating notification is expanded into.
  static let mostOccurrences = 64
  /// Most regions iOS monitors for an app.
  static let mostRegions = 20

  /// - Parameters:
  ///   - input: everything the plan depends on.
  ///   - zones: looks up the tables of zones that triggers name.
  public static func plan(_ input: PlanInput, zones: some ZoneLookup) -> PlanResult {
    Planning(input, zones: zones).result()
  }
}

/// One run of the planner, with all it found on the way.
struct Planning {
  let input: PlanInput
  let zoneData: String
  let reachability: Reachability
  let gathered: Gathered
  /// Requests that are not ours.
  let foreign: Int
  let capacity: Int
  let selection: Selection

  init(_ input: PlanInput, zones: some ZoneLookup) {
    self.input = input
    zoneData = zones.version
    let reachability = Reachability(
      status: input.device.authorizationStatus, settings: input.device.settings)
    self.reachability = reachability
    var gatherer = Gatherer(
      input, zones: zones, reachability: reachability,
      priorities: input.policy.effectivePriorities(input.engagement))
    gatherer.gather()
    var gathered = gatherer.result
    gathered.place(input, reachability)
    self.gathered = gathered
    foreign = Self.foreignCount(input)
    capacity = max(0, input.policy.policy.slots - foreign)
    selection = Selection(gathered, input: input, capacity: capacity)
  }

  func result() -> PlanResult {
    var plan = PlanWriter(input, gathered, selection, reachability, capacity: capacity).plan()
    plan.zoneData = zoneData
    plan.foreign = foreign
    plan.capacity = capacity
    return PlanResult(plan: plan, diff: PlanDiff(held: plan.held, input: input))
  }

  /// What the device counted, and at least what it listed that is not ours.
  private static func foreignCount(_ input: PlanInput) -> Int {
    guard let pending = input.pending, pending.contains(where: { $0.revision == nil }) else {
      return max(0, input.foreign.count)
    }
    let queued = Set(input.queue.map(\.head.id))
    let listed = pending.count {
      $0.revision == nil && !input.sent.contains($0.id) && !queued.contains($0.id)
    }
    return max(0, input.foreign.count, listed)
  }
}
