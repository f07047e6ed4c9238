import CarillonAPI
import CarillonModel
import CarillonPlanner

/// What a device is to hold while the server cannot be asked: the last plan, what the app has asked for since, and the
/// last policy, by the planner that the server has.
///
/// It knows nothing of what waits on the server, so it never makes room there is no need for. What the server planned
/// goes only when the app put or cancelled it, when its time is over, or when something put since ranks higher and there
/// is no other room. What the device holds of ours and nobody knows any more (after a lost state) keeps its place.
///
/// A pure function of its inputs.
struct LocalPlan {
  /// With what was planned; to be saved before anything of it is done.
  private(set) var state: ClientState
  private(set) var remove: [NotificationID] = []
  private(set) var add: [PlannedAddition] = []
  /// Everything the device is to hold, as far as it is known.
  private(set) var held: [SyncAddition] = []
  private(set) var slots = SlotCounts(slots: 0, foreign: 0, capacity: 0, held: 0, queued: 0)
  private(set) var refreshBy: Instant?

  private let moment: DeviceMoment
  private let wishes: OfflineWishes
  /// The last one.
  private let told: [SyncAddition]
  /// What of it is planned again, by id.
  private let known: [NotificationID: KnownRequest]
  /// Requests that keep their places, whatever the planner says.
  private var fixed: Set<NotificationID> = []

  init(_ state: ClientState, on moment: DeviceMoment, zones: some ZoneLookup) {
    self.state = state
    self.moment = moment
    wishes = OfflineWishes(state.outbox, on: moment.device, now: moment.now, zones: zones)
    told = state.plan
    var known: [NotificationID: KnownRequest] = [:]
    for request in told where !wishes.replace(request) {
      guard let entry = KnownRequest(request, now: moment.now), !entry.hasRung(on: moment) else { continue }
      known[request.id] = entry
    }
    self.known = known
    fixed = unknown()
    make(zones, unknown: fixed.count)
  }

  /// Of ours that is pending: what no answer told and was not planned here, or cannot be read.
  private func unknown() -> Set<NotificationID> {
    let replaced = told.filter(wishes.replace).map(\.id)
    let ended = Set(replaced).union(state.plannedHere.map(\.id))
    return Set(
      moment.revisions.keys.filter { id in
        known[id] == nil && !ended.contains(id) && !wishes.replace(id)
      })
  }

  // MARK: Planning

  /// - Parameter unknown: how many of ours nobody knows any more.
  private mutating func make(_ zones: some ZoneLookup, unknown: Int) {
    var plan = self.plan(zones)
    // What the planner would take back for another reason than room keeps its place, and the rest is planned around it.
    let stuck = self.stuck(in: plan)
    if !stuck.isEmpty {
      fixed.formUnion(stuck)
      plan = self.plan(zones)
      fixed.formUnion(self.stuck(in: plan))
    }
    fixed.formUnion(unneeded(plan))
    take(plan)
    pin(plan)
    state.zoneData = zones.version
    state.keep(
      plannedHere: held.filter { request in known[request.id]?.request.revision != request.revision })
    refreshBy = [state.refreshBy, plan.refreshBy].compactMap(\.self).min()
    let foreign = moment.pending.count { $0.revision == nil }
    slots = SlotCounts(
      slots: plan.slots, foreign: foreign, capacity: max(0, plan.slots - foreign), held: held.count + unknown,
      queued: plan.queued.count { known($0) == nil })
  }

  private func plan(_ zones: some ZoneLookup) -> Plan {
    let policy = state.policy.flatMap { try? Policy(parsing: $0.document) } ?? Policy()
    var input = PlanInput(
      policy: CompiledPolicy(policy), policyVersion: state.policy?.version ?? 0, device: moment.device,
      now: moment.now)
    input.queue = known.values.filter { !fixed.contains($0.request.id) }.map(\.entry)
    input.queue += wishes.puts.map { QueueEntry(head: $0.head, acceptedAt: moment.now) }
    let strangers = moment.pending.filter { $0.revision == nil || fixed.contains($0.id) }
    input.foreign = ForeignRequests(count: strangers.count, regions: strangers.count(where: \.isRegion))
    input.unread = badgeBase
    return Planner.plan(input, zones: zones).plan
  }

  /// What badges count on from: the server knows what came since, the device sees it in the numbers of what is left.
  private var badgeBase: Int {
    let left = told.filter { $0.fireAt.map { $0 > moment.now } ?? false }
    let numbers = left.compactMap { KnownRequest($0, now: moment.now)?.countedBadge }
    if let first = numbers.min() { return first - 1 }
    return state.unread + told.count { $0.fireAt.map { $0 <= moment.now } ?? false }
  }

  /// The request of the last plan that is planned again as this one; nil for what was put since.
  private func known(_ planned: NotificationID, from source: NotificationID?) -> KnownRequest? {
    let entry = known[planned] ?? source.flatMap { known[$0] }
    return entry.flatMap { $0.isPlanned(as: planned) ? $0 : nil }
  }

  private func known(_ waiting: QueuedRequest) -> KnownRequest? {
    known(waiting.id, from: waiting.id.occurrenceSource)
  }

  /// What was planned, waits for no room, is not over, and is not held all the same.
  private func stuck(in plan: Plan) -> Set<NotificationID> {
    let settled =
      plan.held.compactMap { known($0.id, from: $0.source)?.request.id }
      + plan.queued.compactMap { known($0)?.request.id } + plan.expired.map(\.id)
    return Set(known.keys).subtracting(settled).subtracting(fixed)
  }

  /// Of what is to lose its place, what nothing that was put needs: the best of it.
  private func unneeded(_ plan: Plan) -> Set<NotificationID> {
    let revisions = moment.revisions
    let losers = plan.queued.sorted { $0.rank < $1.rank }.compactMap { known($0)?.request.id }
      .filter { revisions[$0] != nil }
    let wanted = plan.held.count { known($0.id, from: $0.source) == nil }
    let freed = revisions.keys.count { known[$0] == nil && !fixed.contains($0) }
    return Set(losers.dropLast(max(0, wanted - freed)))
  }

  // MARK: What follows

  private mutating func take(_ plan: Plan) {
    let revisions = moment.revisions
    let contents = Dictionary(wishes.puts.map { ($0.head.id, $0.content) }) { $1 }
    for request in plan.held {
      guard let addition = addition(request, contents) else { continue }
      held.append(addition)
      if isMissing(addition, revisions) { add.append(PlannedAddition(addition)) }
    }
    let kept = known.values.map(\.request).filter { fixed.contains($0.id) && revisions[$0.id] != nil }
    held += kept.sorted { $0.id.text.utf8.lexicographicallyPrecedes($1.id.text.utf8) }
    let staying = Set(held.map(\.id)).union(fixed)
    remove = revisions.keys.filter { !staying.contains($0) }
      .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
  }

  private func addition(
    _ request: HeldRequest, _ contents: [NotificationID: NotificationContent]
  ) -> SyncAddition? {
    // The contents were read before they were taken.
    if let known = known(request.id, from: request.source) { return try? known.replanned(request) }
    guard let content = contents[request.source],
      let bytes = try? request.content(from: content.canonicalBytes)
    else { return nil }
    return SyncAddition(
      id: request.id, revision: request.revision, fireAt: request.fireAt, trigger: request.trigger,
      content: bytes, type: request.type, source: request.source == request.id ? nil : request.source)
  }

  /// A place may have been reached, and left Notification Center again: then it would announce itself twice.
  private func isMissing(_ request: SyncAddition, _ revisions: [NotificationID: String]) -> Bool {
    if let present = revisions[request.id] { return present != request.revision }
    let hasRung = moment.delivered.contains { $0.id == request.id && $0.revision == request.revision }
    if known[request.id]?.request.revision == request.revision {
      return !request.trigger.isRegion && !hasRung
    }
    return !hasRung || request.trigger.repeats
  }

  /// What is planned here keeps the time by which it was.
  private mutating func pin(_ plan: Plan) {
    let planned = Set(plan.held.map(\.source))
    for notification in wishes.puts where planned.contains(notification.head.id) {
      state.outbox.reword(notification)
    }
  }
}
