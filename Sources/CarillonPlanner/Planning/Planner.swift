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
    input.withFrame { frame in
      let plan = Planning(frame, input, zones: zones).plan(input)
      return PlanResult(plan: plan, diff: PlanDiff(held: plan.held, input: input))
    }
  }
}

/// One run of the planner, with all it found on the way.
struct Planning {
  let frame: Frame
  let gathered: Gathered
  let selection: Selection
  private let zoneData: String
  /// Requests that are not ours.
  private let foreign: Int
  let foreignRegions: Int
  let capacity: Int

  init(_ borrowed: Frame, _ input: PlanInput, zones: some ZoneLookup) {
    zoneData = zones.version
    let compiled =
      input.compiledQueue
      ?? CompiledQueue(
        input.queue, policy: input.policy, device: input.device, zones: zones, forManyPlans: false)
    var frame = borrowed
    frame.lookalikes = compiled.lookalikes
    self.frame = frame
    let ahead = compiled.ahead(in: frame)
    var gatherer = Gatherer(
      frame, compiled, priorities: frame.policy.effectivePriorities(input.engagement),
      counts: ahead == nil && !frame.policy.policy.frequencyCaps.isEmpty)
    gatherer.gather()
    var gathered = (consume gatherer).finish()
    let fatigue = frame.policy.policy.fatigue.flatMap { rule in input.isFatigued(rule) ? rule : nil }
    gathered.place(frame, compiled, ahead, fatigue: fatigue)
    foreign = Self.foreignCount(input)
    capacity = max(0, frame.policy.policy.slots - foreign)
    foreignRegions = input.foreign.regions
    let ranked = Ranking.ranked(gathered, frame, compiled)
    selection = Selection(
      gathered, frame, ranked: ranked, capacity: capacity, foreignRegions: foreignRegions)
    self.gathered = gathered
  }

  func plan(_ input: PlanInput) -> Plan {
    var plan = gathered.withCandidates(frame) { list in
      PlanWriter(frame: frame, list: list, capacity: capacity)
        .plan(gathered, selection, unread: input.unread)
    }
    plan.policyVersion = input.policyVersion
    plan.zoneData = zoneData
    plan.foreign = foreign
    return plan
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
