import CarillonModel

/// Carries out one diff on a notification center. A value: it says what to do, its owner does it and reports.
///
/// The order is fixed: removes, a look that they took effect (iOS applies them late), then adds, then a look at what
/// is really held. A changed notification is one add, because iOS replaces by id: removing it first could delete the
/// new one. Only requests that carry our mark are ever removed, and no add makes more than ``pendingLimit``.
struct PlanApplier {
  /// What iOS keeps for one app.
  static let pendingLimit = 64
  /// Seconds between looks while a remove has not taken effect; after the last it goes on with what room there is.
  static let removalWaits: [Double] = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28]

  enum Action: Hashable {
    case readPending
    case remove([NotificationID])
    /// Seconds.
    case wait(Double)
    case add(CenterRequest)
    case finish(AppliedPlan)
  }

  enum Event {
    case pending([CenterRequest])
    case removed
    case waited
    case added
    case refused(CenterError)
  }

  private enum Stage {
    case looking, removing, removed, waiting, adding, checking, finished
  }

  private let limit: Int
  private let removals: Set<NotificationID>
  private let removalOrder: [NotificationID]
  private var additions: ArraySlice<PlannedAddition>
  private var stage = Stage.looking
  private var pending: [NotificationID: String?] = [:]
  private var waits = Self.removalWaits[...]
  private var inHand: PlannedAddition?
  private var result = AppliedPlan()

  /// - Parameters:
  ///   - remove: ids that leave. One that is also added is a replacement, and is not removed.
  ///   - add: in the order in which they deserve the room there is.
  init(remove: [NotificationID], add: [PlannedAddition], limit: Int = Self.pendingLimit) {
    let added = Set(add.map(\.id))
    removalOrder = remove.filter { !added.contains($0) }
    removals = Set(removalOrder)
    additions = add[...]
    self.limit = limit
  }

  /// The first thing to do.
  mutating func start() -> Action { .readPending }

  /// - Parameter now: the moment of this call; what became past is not added.
  mutating func next(after event: Event, now: Instant) -> Action {
    switch (stage, event) {
    case (.looking, .pending(let requests)):
      note(requests)
      let leaving = removalOrder.filter(holdsOurs)
      guard !leaving.isEmpty else { return add(at: now) }
      stage = .removing
      result.removed = leaving
      return .remove(leaving)
    case (.removing, .removed):
      stage = .removed
      return .readPending
    case (.waiting, .waited):
      stage = .removed
      return .readPending
    case (.removed, .pending(let requests)):
      note(requests)
      guard removals.contains(where: holdsOurs), let wait = waits.popFirst() else { return add(at: now) }
      stage = .waiting
      return .wait(wait)
    case (.adding, .added):
      if let done = inHand {
        pending[done.id] = done.revision
        result.added.append(done.id)
      }
      return add(at: now)
    case (.adding, .refused(let error)):
      if let refused = inHand { result.refused.append(.init(id: refused.id, reason: .center(error))) }
      return add(at: now)
    case (.checking, .pending(let requests)):
      return finish(with: requests, now: now)
    default:
      preconditionFailure("the owner reported \(event) while the applier was \(stage)")
    }
  }

  private func holdsOurs(_ id: NotificationID) -> Bool {
    if case .some(.some) = pending[id] { true } else { false }
  }

  private mutating func note(_ requests: [CenterRequest]) {
    pending = Dictionary(requests.map { ($0.id, $0.revision) }, uniquingKeysWith: { first, _ in first })
  }

  private mutating func add(at now: Instant) -> Action {
    stage = .adding
    while let addition = additions.popFirst() {
      // Adding an interval again would restart it.
      if pending[addition.id] == .some(addition.revision) { continue }
      switch addition.prepared(at: now) {
      case .expired:
        result.expired.append(addition.id)
      case .unsupported(let why):
        result.refused.append(.init(id: addition.id, reason: .unsupported(why)))
      case .request(let request):
        guard pending.count < limit || pending.keys.contains(addition.id) else {
          result.refused.append(.init(id: addition.id, reason: .noRoom))
          continue
        }
        inHand = addition
        return .add(request)
      }
    }
    stage = .checking
    return .readPending
  }

  private mutating func finish(with requests: [CenterRequest], now: Instant) -> Action {
    stage = .finished
    let expected = pending
    note(requests)
    let added = Set(result.added)
    result.dropped = expected.keys.filter { added.contains($0) && pending[$0] == nil }
      .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
    result.remaining = removalOrder.filter(holdsOurs)
    result.pendingCount = requests.count
    return .finish(result)
  }
}

/// What became of a diff on the device.
public struct AppliedPlan: Hashable, Sendable {
  /// A request the device did not take.
  public struct Refusal: Hashable, Sendable {
    public enum Reason: Hashable, Sendable {
      /// The center said no.
      case center(CenterError)
      /// iOS has no such trigger, or would abort on it.
      case unsupported(String)
      /// There are 64 already, the app's own among them; the next sync plans with what the device says then.
      case noRoom
    }

    public var id: NotificationID
    public var reason: Reason

    public init(id: NotificationID, reason: Reason) {
      self.id = id
      self.reason = reason
    }
  }

  /// Removed, in the order of the plan.
  public var removed: [NotificationID] = []
  /// Added or replaced, in the order of the plan.
  public var added: [NotificationID] = []
  /// Not added: their time passed between the plan and the call.
  public var expired: [NotificationID] = []
  public var refused: [Refusal] = []
  /// Added, but no longer there when read back: fired meanwhile, or dropped by iOS.
  public var dropped: [NotificationID] = []
  /// Removed, but still there when read back.
  public var remaining: [NotificationID] = []
  /// Pending requests at the end, the app's own included.
  public var pendingCount = 0

  public init() {}

  /// Nothing was asked, or nothing had to be done.
  public var isEmpty: Bool {
    removed.isEmpty && added.isEmpty && expired.isEmpty && refused.isEmpty
  }

  var changedDevice: Bool { !added.isEmpty || !removed.isEmpty }

  mutating func merge(_ later: AppliedPlan) {
    removed += later.removed
    added += later.added
    expired += later.expired
    refused += later.refused
    dropped = later.dropped
    remaining = later.remaining
    pendingCount = later.pendingCount
  }
}
