import CarillonModel
import CarillonPlanner

/// What was delivered to a device lately, and what came due of which nobody has said yet whether it was.
///
/// A plan tells what comes due; the next report tells, or lets infer, what became of it. What was delivered counts for
/// caps, and is never delivered a second time.
struct DeliveryMemory: Hashable, Sendable {
  /// More deliveries than this are not remembered, and as many that are undecided.
  static let mostEntries = 1_000
  /// What no cap and no entry of the queue asks for is remembered this long.
  static let secondsKept: Int64 = 2 * 86_400

  /// A fire that has come, of a request that the device was to hold.
  struct Due: Hashable, Sendable {
    var delivery: PastDelivery
    var revisionHash: UInt64
    /// Of the plan that held it last.
    var planVersion: Int
    var repeats: Bool
  }

  /// By time.
  private(set) var made: [PastDelivery] = []
  /// By time.
  private(set) var due: [Due] = []

  init() {}

  init(made: [PastDelivery], due: [Due]) {
    self.made = made
    self.due = due
  }

  var isEmpty: Bool { made.isEmpty && due.isEmpty }

  /// Takes in what of a stored plan has come due by now. Each plan is looked at once: the next one begins where this
  /// one ends.
  ///
  /// - Parameter fires: all fires of a held request from its first to now.
  mutating func note(_ plan: Plan, now: Instant, fires: (HeldRequest) -> [Instant]) {
    for request in plan.held {
      guard let first = request.fireAt, first <= now else { continue }
      for fire in fires(request) {
        due.append(
          Due(
            delivery: PastDelivery(id: request.id, type: request.type, at: fire),
            revisionHash: request.revisionHash, planVersion: plan.version, repeats: request.trigger.repeats))
      }
    }
    due.sort { ($0.delivery.at, $0.delivery.id) < ($1.delivery.at, $1.delivery.id) }
  }

  /// Decides what a report lets decide.
  mutating func settle(_ evidence: DeliveryEvidence) {
    guard evidence.isReport else { return }
    var last: [NotificationID: Int] = [:]
    for (index, item) in due.enumerated() { last[item.delivery.id] = index }
    var undecided: [Due] = []
    for (index, item) in due.enumerated() {
      switch evidence.verdict(on: item, isLast: last[item.delivery.id] == index) {
      case .delivered: made.append(item.delivery)
      case .missed: break
      case .open: undecided.append(item)
      }
    }
    due = undecided
    made.sort { ($0.at, $0.id) < ($1.at, $1.id) }
  }

  /// What planning must count: what was delivered, and what by all that is known will turn out to have been.
  func history(_ evidence: DeliveryEvidence) -> [PastDelivery] {
    made + due.filter { evidence.presumes($0) }.map(\.delivery)
  }

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
