import CarillonModel

extension Planner {
  /// Why one notification is held, waits, is withheld, has expired or is unknown.
  ///
  /// It runs the planner that ``plan(_:zones:)`` runs and reads what that found, so the two never disagree.
  ///
  /// - Parameters:
  ///   - id: of an entry of the queue, of one occurrence of it, or of a digest.
  ///   - input: as for the plan.
  public static func explain(
    _ id: NotificationID, in input: PlanInput, zones: some ZoneLookup
  ) -> Explanation {
    let compiled = input.compiledQueue(zones)
    return input.withFrame(compiled) { frame in
      let planning = Planning(frame, compiled, input, zones: zones)
      return Explainer(planning, plan: planning.plan(input), input: input, zones: zones).explain(id)
    }
  }
}

/// Reads one notification's story out of a run of the planner.
struct Explainer<Zones: ZoneLookup> {
  let planning: Planning
  let plan: Plan
  let input: PlanInput
  let zones: Zones
  private var policy: CompiledPolicy.Storage { planning.frame.policy }

  init(_ planning: Planning, plan: Plan, input: PlanInput, zones: Zones) {
    self.planning = planning
    self.plan = plan
    self.input = input
    self.zones = zones
  }

  func explain(_ id: NotificationID) -> Explanation {
    let found = planning.candidates(of: id)
    var explanation = Explanation(id: id, state: .unknown, slots: slots)
    if let first = found.first {
      describe(first, in: &explanation)
      explanation.occurrences = occurrences(of: id, found)
    } else if let member = plan.queued.first(where: { $0.id == id && $0.reason == .digest }) {
      describe(member, in: &explanation)
    } else {
      describeOutside(id, in: &explanation)
    }
    if let entry = explanation.notification.flatMap({ entry(of: $0) }) {
      describeEntry(input.queue[entry].head, in: &explanation)
    }
    explanation.summary = explanation.sentence
    return explanation
  }

  private var slots: Explanation.SlotUse {
    Explanation.SlotUse(
      slots: plan.slots, foreign: plan.foreign, capacity: plan.capacity, held: plan.held.count,
      queued: plan.queued.count, order: policy.policy.order)
  }

  private func entry(of id: NotificationID) -> Int? { input.queue.firstIndex { $0.head.id == id } }

  // MARK: What competes for a slot

  private func describe(_ index: Int, in explanation: inout Explanation) {
    let candidate = planning.gathered.candidates[index]
    let moves = planning.moves(of: index)
    explanation.notification = input.queue[Int(candidate.entry)].head.id
    explanation.moves = moves
    if candidate.form != .location {
      explanation.fireAt = Instant(milliseconds: candidate.fire)
      explanation.requestedAt = moves.first?.from ?? explanation.fireAt
    }
    explanation.rank = planning.rank(of: index)
    explanation.reach = candidate.reach
    switch planning.selection.states[index] {
    case .waiting:
      explanation.state = .queued
      explanation.reason = QueuedRequest.Reason.noSlot.rawValue
      explanation.tookSlot = planning.last(before: index).map { competitor($0) }
      explanation.waitingBefore = planning.waiting(before: index)
    case .atLimit:
      explanation.state = .queued
      explanation.reason = QueuedRequest.Reason.typeLimit.rawValue
      explanation.tookSlot = planning.last(before: index, ofType: candidate.type).map { competitor($0) }
      explanation.waitingBefore = planning.waiting(before: index, ofType: candidate.type)
    case .rank, .reserve, .location:
      explanation.state = .held
      explanation.slot = planning.selection.slot(of: index)
      explanation.runnerUp = planning.runnerUp(of: index).map { competitor($0) }
    }
  }

  private func competitor(_ index: Int) -> Explanation.Competitor {
    let candidate = planning.gathered.candidates[index]
    return Explanation.Competitor(
      id: planning.id(of: index),
      type: policy.names[Int(candidate.type)], priority: Int(candidate.priority),
      fireAt: candidate.form == .location ? nil : Instant(milliseconds: candidate.fire),
      rank: planning.rank(of: index) ?? 0)
  }

  private func occurrences(of id: NotificationID, _ found: [Int]) -> [Explanation.Occurrence] {
    found.compactMap { index in
      let candidate = planning.gathered.candidates[index]
      guard candidate.form == .occurrence else { return nil }
      return Explanation.Occurrence(
        id: planning.id(of: index),
        fireAt: Instant(milliseconds: candidate.fire),
        state: planning.selection.isHeld(index) ? .held : .queued, rank: planning.rank(of: index) ?? 0)
    }
  }

  /// A member of a digest: its story is that of the request that stands for it.
  private func describe(_ member: QueuedRequest, in explanation: inout Explanation) {
    explanation.notification = member.id
    explanation.state = .queued
    explanation.reason = member.reason.rawValue
    explanation.requestedAt = member.fireAt
    explanation.rank = member.rank
    guard let digested = planning.gathered.digested.first(where: { $0.id == member.id }) else { return }
    explanation.digest = planning.gathered.occurrenceIDs[Int(digested.digest)]
    let standing = planning.gathered.candidates.first { $0.occurrence == digested.digest }
    guard let standing else { return }
    explanation.fireAt = Instant(milliseconds: standing.fire)
    explanation.reach = standing.reach
    if let from = member.fireAt, let to = explanation.fireAt {
      explanation.moves = [Move(by: "digest", from: from, to: to)]
    }
  }

  // MARK: What does not

  private func describeOutside(_ id: NotificationID, in explanation: inout Explanation) {
    if let request = plan.withheld.first(where: { $0.id == id }) {
      explanation.state = .withheld
      explanation.reason = request.reason.rawValue
    } else if let request = plan.expired.first(where: { $0.id == id }) {
      explanation.state = .expired
      explanation.reason = "expired"
      explanation.requestedAt = request.fireAt
    } else if let request = plan.rejected.first(where: { $0.id == id }) {
      explanation.state = .rejected
      explanation.reason = request.code
    }
    guard let entry = entry(of: id) else { return }
    let head = input.queue[entry].head
    explanation.notification = id
    explanation.reach = planning.frame.reachability.reach(of: ContentKind(head.summary))
    if explanation.state == .withheld {
      explanation.requestedAt = Planner.firstFire(
        of: head, acceptedAt: input.queue[entry].acceptedAt, now: input.now, device: input.device,
        zones: zones)
    }
  }

  private func describeEntry(_ head: NotificationHead, in explanation: inout Explanation) {
    let type = policy.index(of: head.id, named: head.type)
    explanation.type = typeReason(head, type)
    explanation.priority = policy.priorityReason(ofType: type, input)
    explanation.unmetNeeds = planning.frame.reachability.unmet(head.needs)
  }

  private func typeReason(_ head: NotificationHead, _ type: Int) -> Explanation.TypeReason {
    let name = policy.names[type]
    if head.type != nil { return Explanation.TypeReason(name: name, by: .given) }
    let prefix = policy.prefix(of: head.id, inType: type)
    return Explanation.TypeReason(name: name, by: prefix == nil ? .none : .prefix, prefix: prefix)
  }
}
