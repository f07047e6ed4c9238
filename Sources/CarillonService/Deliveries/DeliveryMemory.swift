import CarillonModel
import CarillonPlanner

/// What was delivered to a device lately, and what came due of which nobody has said yet whether it was.
///
/// A plan tells what comes due; the next report tells, or lets infer, what became of it. What was delivered counts for
/// caps, and is never delivered a second time. A device that has missed an answer lives by an older plan: what that one
/// held, and a newer one holds no more or at another time, may still ring.
struct DeliveryMemory: Hashable, Sendable {
  /// More deliveries than this are not remembered, and as many that are undecided.
  static let mostEntries = 1_000
  /// What no cap and no entry of the queue asks for is remembered this long.
  static let secondsKept: Int64 = 2 * 86_400

  /// A fire that has come, of a request that the device was to hold.
  struct Due: Hashable, Sendable {
    var delivery: PastDelivery
    var revisionHash: UInt64
    /// Of the first plan that held it, of all that have held it since without a break.
    var planVersion: Int
    /// Of the last of these before its time came, or before it was taken back.
    var lastPlanVersion: Int
    var repeats: Bool
  }

  /// A request that a newer plan has taken back, while the device may not know it yet.
  struct Superseded: Hashable, Sendable {
    var request: Due
    /// The version of the plan that took it back.
    var by: Int
    /// What it waits for where it rings by the clock of where the device is: seconds, as if that were UTC.
    var wallSeconds: Int64?
    /// Milliseconds by which it was moved from its wish.
    var delay: Int64 = 0

    var wishedAt: Instant { Instant(milliseconds: request.delivery.at.milliseconds - delay) }
  }

  /// By time.
  private(set) var made: [PastDelivery] = []
  /// By time.
  private(set) var due: [Due] = []
  /// By time.
  private(set) var superseded: [Superseded] = []
  /// Of what is due, what the queue had no more when it came: its id had been put anew with another time.
  var others: Set<PastDelivery> = []
  /// Of what the stored plan holds, and of an answer's what the device has not shown yet: the first plan that held it,
  /// where that is an older one. A device that lives by that one has it, however many plans were made since for whoever asked.
  private(set) var heldSince: [NotificationID: Int] = [:]
  /// The newest plan that answered a report, where the stored one was made for somebody else; nil: it is the stored one.
  /// What no answer has brought to the device rings nowhere.
  var handedOut: Int?
  /// The newest plan that the device asked for by itself; what it lives by, it tells only with the next report.
  var fetched: Int?

  init() {}

  init(
    made: [PastDelivery], due: [Due], superseded: [Superseded] = [], others: Set<PastDelivery> = [],
    heldSince: [NotificationID: Int] = [:], handedOut: Int? = nil, fetched: Int? = nil
  ) {
    self.others = others
    self.handedOut = handedOut
    self.fetched = fetched
    self.made = made
    self.due = due
    self.superseded = superseded
    self.heldSince = heldSince
  }

  var isEmpty: Bool {
    made.isEmpty && due.isEmpty && superseded.isEmpty && heldSince.isEmpty && handedOut == nil
      && fetched == nil
  }

  /// Whether nothing is known that another memory did not know: what was taken back is forgotten when there is occasion.
  func knowsTheSame(as other: DeliveryMemory) -> Bool { made == other.made && due == other.due }

  /// Whether an answer has brought the device a request of the stored plan.
  ///
  /// - Parameter applied: the newest plan that the device says it has applied.
  func isHandedOut(_ request: HeldRequest, of plan: Plan, applied: Int) -> Bool {
    guard let handedOut else { return true }
    return heldSince[request.id] ?? plan.version <= max(handedOut, applied)
  }

  /// Takes in what of a stored plan has come due by now. Each plan is looked at once: the next one begins where this
  /// one ends.
  ///
  /// - Parameters:
  ///   - fired: its held requests whose time has come.
  ///   - earliest: of what repeats, what lies further back counts for nothing.
  mutating func note(_ fired: [FiredRequest], earliest: Instant) {
    for item in fired {
      let request = item.request
      let repeats = request.trigger.repeats
      // What repeats counts for caps by our clock.
      for fire in item.times where fire != item.early && (!repeats || fire >= earliest) {
        due.append(
          Due(
            delivery: PastDelivery(id: request.id, type: request.type, at: fire),
            revisionHash: request.revisionHash, planVersion: item.planVersion,
            lastPlanVersion: item.lastPlanVersion, repeats: repeats))
      }
    }
    due.sort { ($0.delivery.at, $0.delivery.id) < ($1.delivery.at, $1.delivery.id) }
  }

  /// Takes in what a new plan goes on to hold.
  ///
  /// - Parameter isKnown: whether the device says that it has the request, or has it not though it has applied a plan
  ///   from that version on: then none of the older plans tells of it.
  mutating func goOn(_ old: Plan, with new: Plan, isKnown: (HeldRequest, Int) -> Bool) {
    let before = Dictionary(old.held.map { ($0.id, $0.revisionHash) }) { $1 }
    var since: [NotificationID: Int] = [:]
    for request in new.held where before[request.id] == request.revisionHash {
      let first = heldSince[request.id] ?? old.version
      if !isKnown(request, first) { since[request.id] = first }
    }
    heldSince = since
  }

  /// Takes in what a new plan takes back of the last one.
  ///
  /// - Parameters:
  ///   - zones: where the last plan was made, and where the device is.
  ///   - mayHold: whether the device may hold the request.
  mutating func supersede(
    _ old: Plan, by new: Plan, in zones: (before: ZoneTable, after: ZoneTable), now: Instant,
    mayHold: (HeldRequest) -> Bool
  ) {
    let kept = Dictionary(new.held.map { ($0.id, $0.revisionHash) }) { $1 }
    for request in old.held where kept[request.id] != request.revisionHash && !request.trigger.repeats {
      guard var fire = request.fireAt else { continue }
      let wall = request.trigger.isFloatingOnce ? zones.before.local(at: fire) : nil
      if let wall { fire = zones.after.fire(of: wall) }
      guard fire > now, mayHold(request) else { continue }
      superseded.removeAll {
        $0.by == new.version && $0.request.delivery.id == request.id
          && $0.request.revisionHash == request.revisionHash
      }
      superseded.append(
        Superseded(
          request: Due(
            delivery: PastDelivery(id: request.id, type: request.type, at: fire),
            revisionHash: request.revisionHash, planVersion: heldSince[request.id] ?? old.version,
            lastPlanVersion: old.version, repeats: false), by: new.version,
          wallSeconds: wall.map { Int64($0.wallSeconds) }, delay: request.delay))
    }
    superseded.sort { ($0.request.delivery.at, $0.by) < ($1.request.delivery.at, $1.by) }
    superseded = Array(superseded.prefix(Self.mostEntries))
  }

  /// Takes in what a journey did to what a newer plan has taken back: it rang by the clock of either zone, is to ring by
  /// that of the new one, or never will.
  mutating func travel(_ journey: Journey, _ evidence: DeliveryEvidence) {
    superseded = superseded.compactMap { item in
      guard let wall = item.wallSeconds else { return item }
      let (old, new) = journey.times(of: LocalDateTime(wallSeconds: wall))
      let isHeld = evidence.stillHolds(item.request)
      // What had come before the journey waits for a word alone.
      guard old != new, old > journey.seenAt || isHeld else { return item }
      var item = item
      switch journey.passage(from: old, to: new, acceptedAt: journey.seenAt) {
      case .came(let time, let again):
        // It may have gone west before, and hold it for the new time.
        item.request.delivery.at = again && isHeld ? new : time
      case .leapt(let time):
        item.request.delivery.at = time
        // Never, unless the device says so.
        guard evidence.confirms(item.request.delivery.id), evidence.had(item.request) else { return nil }
      case .ahead(let time): item.request.delivery.at = time
      }
      return item
    }
    superseded.sort { ($0.request.delivery.at, $0.by) < ($1.request.delivery.at, $1.by) }
  }

  /// Decides what a report lets decide.
  ///
  /// - Parameter seenAt: when the device reported last.
  /// - Returns: what rang by an older plan, though a newer one had taken it back.
  @discardableResult
  mutating func settle(
    _ evidence: DeliveryEvidence, now: Instant, seenAt: Instant?
  ) -> [Superseded] {
    guard evidence.source != .nothing else { return [] }
    var last: [NotificationID: Int] = [:]
    for (index, item) in due.enumerated() { last[item.delivery.id] = index }
    var undecided: [Due] = []
    for (index, item) in due.enumerated() {
      switch evidence.verdict(on: item, isLast: last[item.delivery.id] == index) {
      case .delivered: remember(item.delivery)
      case .missed: break
      case .untold:
        made.append(PastDelivery(id: Self.nobody, type: item.delivery.type, at: item.delivery.at))
      case .open: undecided.append(item)
      }
    }
    due = undecided
    var unknown: [Superseded] = []
    var rung: [Superseded] = []
    for item in superseded {
      switch evidence.verdict(on: item, now: now, seenAt: seenAt) {
      case .delivered:
        remember(item.request.delivery)
        // It may have been taken back, brought again and taken back once more.
        if !rung.contains(where: { $0.request.delivery == item.request.delivery }) { rung.append(item) }
      case .missed, .untold: break
      case .open: unknown.append(item)
      }
    }
    superseded = unknown
    made.sort { ($0.at, $0.id) < ($1.at, $1.id) }
    return rung
  }

  /// Takes out what has not come after all.
  mutating func postpone(_ isPostponed: (Due) -> Bool) -> [Due] {
    let postponed = due.filter(isPostponed)
    if !postponed.isEmpty { due.removeAll(where: postponed.contains) }
    return postponed
  }

  /// Decides what the answer takes away from the device before it could ring.
  mutating func takeBack(_ requests: [Due]) {
    due.removeAll(where: requests.contains)
  }

  /// A plan that was taken back and came again has its fires but once.
  private mutating func remember(_ delivery: PastDelivery) {
    if !made.contains(where: { $0.id == delivery.id && $0.at == delivery.at }) { made.append(delivery) }
  }

  /// Takes away its name from what was delivered and is none of what the queue has: it counts for caps alone.
  mutating func disown(_ others: Set<PastDelivery>) {
    guard !others.isEmpty else { return }
    for index in made.indices where others.contains(made[index]) { made[index].id = Self.nobody }
    made.sort { ($0.at, $0.id) < ($1.at, $1.id) }
  }

  /// What planning must count: what was delivered, and what by all that is known will turn out to have been. What may
  /// have been counts for caps, without the name that would make it over: else what waits behind it would be found a
  /// place in the past, and given up.
  func history(_ evidence: DeliveryEvidence) -> [PastDelivery] {
    made
      + due.compactMap { item in
        let isPresumed = evidence.presumes(item)
        if isPresumed, !others.contains(item.delivery) { return item.delivery }
        guard isPresumed || evidence.couldDeliver, !evidence.stillHolds(item) else { return nil }
        return PastDelivery(id: Self.nobody, type: item.delivery.type, at: item.delivery.at)
      }
  }

  /// The id of a delivery of which nobody knows whether it was made.
  static let nobody = NotificationID(unchecked: "")

  /// Forgets what is of no more use.
  ///
  /// - Parameters:
  ///   - seconds: how far back the longest cap looks.
  ///   - isNeeded: whether the queue still has what a delivery was of.
  mutating func prune(now: Instant, seconds: Int64, isNeeded: (NotificationID) -> Bool) {
    let limit = now.adding(seconds: -max(seconds, Self.secondsKept))
    var needed: [PastDelivery] = []
    var counted: [PastDelivery] = []
    for delivery in made {
      if isNeeded(delivery.id) {
        needed.append(delivery)
      } else if delivery.at >= limit {
        counted.append(delivery)
      }
    }
    needed = needed.suffix(Self.mostEntries)
    counted = counted.suffix(Self.mostEntries - needed.count)
    made = (needed + counted).sorted { ($0.at, $0.id) < ($1.at, $1.id) }
    due = due.filter { $0.delivery.at >= limit }.suffix(Self.mostEntries)
    superseded.removeAll { $0.request.delivery.at < limit }
    if !others.isEmpty { others.formIntersection(due.map(\.delivery)) }
  }
}

extension Trigger {
  /// Whether a request of it stays pending after it has fired.
  var repeats: Bool {
    switch self {
    case .instant, .local: false
    case .calendar(let trigger): trigger.repeats
    case .interval(let trigger): trigger.repeats
    case .recurrence: true
    case .location(let trigger): trigger.repeats
    }
  }
}
