import CarillonModel
import CarillonPlanner

/// A second planner, written to be seen to be right: it asks each day, each place and each other request, and keeps
/// no index worth the name. Times are milliseconds unless a name says otherwise.
struct NaivePlanner {
  static let dayLength: Int64 = 86_400_000
  /// Nothing is moved by more than a year and a day; what finds no place by then finds none.
  static let patience = 366 * dayLength
  static let mostOccurrences = 64

  let input: PlanInput
  let policy: Policy
  let clock: NaiveClock
  let now: Int64
  var plan = Plan()

  /// One candidate for a slot.
  struct Request {
    enum Form { case once, repeating, occurrence, location }
    var head: NotificationHead
    var id: NotificationID
    var type: NotificationType
    var priority: Int
    var form: Form
    /// When it is wished for; for a location nil.
    var wish: Int64?
    /// Where it was placed.
    var fire: Int64?
    var trigger: Trigger
    var moves: [Move] = []
    /// When the window ends that could bring it together with others.
    var digestEnd: Int64?
    var digestCount: Int?
    var slot: HeldRequest.Slot?
    var isAtLimit = false

    var distance: Double {
      if case .location(let place) = head.trigger { place.distance ?? .infinity } else { .infinity }
    }
  }

  var requests: [Request] = []
  /// One-time ones that wait for their place.
  var moving: [Request] = []
  var digested: [(request: Request, digest: NotificationID)] = []
  /// All that counts against caps, ascending; of what repeats, the fires up to `countedUntil`, in seconds.
  var counted: [(at: Int64, type: String)] = []
  var repeaters: [(type: String, fires: (_ after: Int64, _ until: Int64) -> [Int64])] = []
  var countedUntil: Int64
  /// How far the caps look, in seconds.
  let longestCap: Int64
  var cuts: [Instant] = []

  init(_ input: PlanInput) {
    self.input = input
    policy = input.policy.policy
    clock = .of(input.device.zone)
    now = input.now.milliseconds
    countedUntil = input.now.seconds
    longestCap =
      policy.frequencyCaps.map { cap -> Int64 in
        if case .rolling(let seconds) = cap.per { Int64(seconds) } else { 2 * 86_400 }
      }.max() ?? 0
  }

  static func plan(_ input: PlanInput) -> PlanResult {
    var planner = NaivePlanner(input)
    for past in input.history { planner.count(past.at.milliseconds, planner.type(named: past.type).name) }
    for entry in input.queue { planner.gather(entry) }
    planner.placeAll()
    planner.select()
    planner.awaitRecovery()
    return PlanResult(plan: planner.plan, diff: planner.diff())
  }

  static func precedes(_ left: NotificationID, _ right: NotificationID) -> Bool {
    Array(left.text.utf8).lexicographicallyPrecedes(Array(right.text.utf8))
  }

  // MARK: Types and priorities

  func type(named name: String) -> NotificationType {
    policy.typesInForce.first { $0.name == name } ?? .unknown(in: policy)
  }

  /// The type it names, else that of the longest prefix.
  func type(of head: NotificationHead) -> NotificationType {
    if let name = head.type { return type(named: name) }
    var best: (type: NotificationType, length: Int)?
    for type in policy.typesInForce {
      for prefix in type.prefixes where head.id.text.utf8.starts(with: prefix.utf8) {
        if prefix.utf8.count > best?.length ?? -1 { best = (type, prefix.utf8.count) }
      }
    }
    return best?.type ?? .unknown(in: policy)
  }

  /// A tap rate, smoothed by ten deliveries at the common rate, that is twice the common one gains a step, four
  /// times two; half of it loses one. What the user set is neither moved nor reached.
  func effectivePriority(_ type: NotificationType) -> Int {
    guard let rule = policy.adaptivePriority, type.adaptive, type.priority > 0,
      let own = input.engagement.first(where: { $0.type == type.name }),
      own.delivered >= Double(rule.minSamples)
    else { return type.priority }
    let taps = input.engagement.map(\.tapped).reduce(0, +)
    let deliveries = input.engagement.map(\.delivered).reduce(0, +)
    let common = (taps + 1) / (deliveries + 2)
    let rate = (own.tapped + 10 * common) / (own.delivered + 10)
    let steps = [2.0, 4, 8, 16, 32, 64]
    let up = min(rule.maxShift, steps.count { rate >= common * $0 })
    let down = min(rule.maxShift, steps.count { rate * $0 <= common })
    return min(99, max(1, type.priority - up + down))
  }

  /// Whether caps are tighter for it now, since the device was found tired.
  func isTired(_ priority: Int) -> Bool {
    guard let rule = policy.fatigue, let since = input.fatiguedAt else { return false }
    return priority >= rule.minPriority
      && now < since.milliseconds + Int64(rule.recoveryDays) * Self.dayLength
  }

  /// Caps rise when it is tired no longer, so the device is to have come back by then.
  mutating func awaitRecovery() {
    guard let rule = policy.fatigue, let since = input.fatiguedAt, isTired(.max),
      !policy.frequencyCaps.isEmpty
    else { return }
    let isAnythingThere = !plan.held.isEmpty || !plan.queued.isEmpty || !plan.expired.isEmpty
    guard isAnythingThere || plan.withheld.contains(where: { $0.reason == .capped }) else { return }
    let end = since.adding(seconds: Int64(rule.recoveryDays) * 86_400)
    plan.refreshBy = min(plan.refreshBy ?? end, end)
  }

  // MARK: What became of it before any slot

  mutating func expire(_ id: NotificationID, _ at: Int64) {
    plan.expired.append(ExpiredRequest(id: id, fireAt: Instant(milliseconds: at)))
  }

  mutating func withhold(_ id: NotificationID, _ reason: WithheldRequest.Reason) {
    plan.withheld.append(WithheldRequest(id: id, reason: reason))
  }

  func isPast(_ expiry: Instant?, _ time: Int64) -> Bool { expiry.map { time > $0.milliseconds } ?? false }
}

extension NotificationType {
  fileprivate static func unknown(in policy: Policy) -> NotificationType {
    policy.typesInForce.first { $0.name == "unknown" } ?? .unknown
  }
}
