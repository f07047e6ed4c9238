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
    var gatherer = Gatherer(input, zones: zones)
    gatherer.gather()
    var gathered = gatherer.result
    gathered.place(input, gatherer.reachability)
    let foreign = foreignCount(input)
    let capacity = max(0, input.policy.policy.slots - foreign)
    let selection = Selection(gathered, input: input, capacity: capacity)
    var plan = PlanWriter(input, gathered, selection, gatherer.reachability).plan()
    plan.zoneData = zones.version
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
