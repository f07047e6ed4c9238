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
    let compiled = input.compiledQueue(zones)
    let plan = input.withFrame(compiled) { frame in
      Planning(frame, compiled, input, zones: zones).plan(input)
    }
    let diff = PlanDiff(held: plan.held, input: input)
    return PlanResult(plan: consume plan, diff: diff)
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
  /// Of the capacity, what is not taken by requests that ring yet.
  let free: Int
  /// Of the queue.
  private let ids: [NotificationID]

  init(_ frame: Frame, _ compiled: CompiledQueue, _ input: PlanInput, zones: some ZoneLookup) {
    zoneData = zones.version
    ids = compiled.ids
    self.frame = frame
    let gathered = Self.gathered(frame, compiled, input)
    foreign = Self.foreignCount(input)
    capacity = max(0, frame.policy.policy.slots - foreign)
    free = max(0, capacity - Self.ringingCount(input))
    foreignRegions = input.foreign.regions
    let ranked = Ranking.ranked(gathered, frame, compiled)
    selection = Selection(
      gathered, frame, ranked: ranked, capacity: free, foreignRegions: foreignRegions)
    self.gathered = consume gathered
  }

  private static func gathered(_ frame: Frame, _ compiled: CompiledQueue, _ input: PlanInput) -> Gathered {
    let ahead = compiled.ahead(in: frame)
    var gatherer = Gatherer(
      frame, compiled, priorities: frame.policy.effectivePriorities(input.engagement),
      counts: ahead == nil && !frame.policy.policy.frequencyCaps.isEmpty)
    gatherer.gather()
    var gathered = (consume gatherer).finish()
    let fatigue = input.recoversAt == nil ? nil : frame.policy.policy.fatigue
    gathered.place(frame, compiled, ahead, fatigue: fatigue)
    return gathered
  }

  func plan(_ input: PlanInput) -> Plan {
    var plan = gathered.withCandidates(frame) { list in
      PlanWriter(frame: frame, list: list, capacity: capacity, ids: ids)
        .plan(gathered, selection, unread: input.unread)
    }
    plan.policyVersion = input.policyVersion
    plan.zoneData = zoneData
    plan.foreign = foreign
    // There may be more room then: the device must have come back to get it.
    if let end = input.recoversAt, plan.mayGain(fromHigherCaps: frame.policy.policy.frequencyCaps) {
      plan.refreshBy = plan.refreshBy.map { min($0, end) } ?? end
    }
    return plan
  }

  private static func ringingCount(_ input: PlanInput) -> Int {
    guard !input.stillRinging.isEmpty, let pending = input.pending else { return 0 }
    return Set(pending.map(\.id)).intersection(input.stillRinging).count
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

extension Plan {
  /// Whether anything might come earlier, or at all, if caps were higher.
  fileprivate func mayGain(fromHigherCaps caps: [FrequencyCap]) -> Bool {
    guard !caps.isEmpty else { return false }
    return !held.isEmpty || !queued.isEmpty || !expired.isEmpty || withheld.contains { $0.reason == .capped }
  }
}
