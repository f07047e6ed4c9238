import CarillonAPI
import CarillonModel

/// Does one sync after the other. Confined to its ``Carillon``, which never lets two run at once.
final class SyncEngine {
  /// Of puts and cancels in one report; the rest of it stays far below what is left of the wire's limit.
  static let operationBytes = 160 * 1024
  /// What one report tells of Notification Center, the newest.
  static let deliveredLimit = 200

  let configuration: Carillon.Configuration
  let center: any NotificationCenterClient
  private let store: any StateStore
  let link: DeviceLink
  /// The last answer to a question for the plan.
  var askedPlan: (device: DeviceID, plan: TaggedPlan)?
  private var state: ClientState?
  private var notices: [SyncNotice] = []

  init(
    configuration: Carillon.Configuration, center: any NotificationCenterClient,
    transport: any Transport, store: any StateStore,
    credential: @escaping @Sendable (DeviceID) async throws -> String
  ) {
    self.configuration = configuration
    self.center = center
    self.store = store
    link = DeviceLink(
      sender: RetryingSender(
        transport: transport, policy: configuration.retry, effects: configuration.effects),
      timeout: configuration.requestTimeout, credential: credential)
  }

  func deviceId() async throws(CarillonError) -> DeviceID { try await loaded().deviceId }

  /// Whether something waits to be told.
  func hasWishes() async throws(CarillonError) -> Bool { !(try await loaded().outbox.isEmpty) }

  func event(
    _ kind: SyncEvent.Kind, notification: NotificationID?, name: String?, context: String?
  ) -> SyncEvent {
    SyncEvent(
      id: configuration.effects.uuid().text, kind: kind, notification: notification, name: name,
      context: context, at: configuration.effects.now())
  }

  /// The body of the answer to a question about this installation.
  func ask(_ body: [UInt8]?, _ route: (DeviceID) -> Route) async throws(CarillonError) -> [UInt8] {
    let device = try await loaded().deviceId
    return try await link.send(route(device), body: body, from: device).body
  }

  /// Takes wishes into the outbox. After it returned they outlive the process.
  func admit(_ wishes: [OutboxOperation]) async throws(CarillonError) {
    guard !wishes.isEmpty else { return }
    var next = try await loaded()
    for wish in wishes { next.outbox.append(wish) }
    guard next.outbox.count <= configuration.outboxLimit else {
      throw CarillonError(
        .outboxFull, "\(next.outbox.count) operations would wait; sync until the server has taken some",
        isRetryable: true)
    }
    let bytes = next.outbox.wireBytes
    guard bytes <= ClientState.outboxBytes else {
      throw CarillonError(
        .outboxFull,
        "\(bytes) bytes would wait, \(ClientState.outboxBytes) may; sync until the server has taken some",
        isRetryable: true)
    }
    try await save(next)
  }

  func sync() async throws(CarillonError) -> SyncOutcome {
    var conversation = SyncConversation()
    var applied = AppliedPlan()
    var rejected: [RejectedItem] = []
    var step: PrimingDecision?
    while true {
      let (report, numbers) = try await nextReport(step: conversation.nextStep())
      let state = try await loaded()
      let answer = try await link.send(report, from: state.deviceId)
      guard !answer.response.isStale else {
        switch conversation.answeredStale(isRepetition: answer.isRepetition) {
        case .report, .finish: continue
        case .tryLater:
          throw CarillonError(.unreachable, "one answer after the other got lost", isRetryable: true)
        case .giveUp:
          throw CarillonError(
            .behindServer,
            "the server knows newer reports of this installation; remove its state to start as a new one")
        }
      }
      if conversation.hasLeapt { notices.append(.caughtUp) }
      try await adopt(answer.response, to: report, confirming: numbers)
      rejected += answer.response.rejected
      // The report that brought the action is answered with the step; one that confirms is answered with none.
      if answer.response.priming.step != .none { step = answer.response.priming }
      let changes = await apply(answer.response.diff)
      if let changes { applied.merge(changes) } else { applied.pendingCount = report.pendingCount }
      let next = conversation.answered(
        hasMore: !(try await loaded().outbox.isEmpty), changedDevice: changes?.changedDevice ?? false,
        isBusy: answer.backoff != nil)
      if next == .report { continue }
      var outcome = outcome(of: answer, applied, rejected, reports: conversation.reports)
      outcome.priming = step ?? outcome.priming
      return outcome
    }
  }

  private func outcome(
    of answer: DeviceLink.Answer, _ applied: AppliedPlan, _ rejected: [RejectedItem], reports: Int
  ) -> SyncOutcome {
    defer { notices = [] }
    let response = answer.response
    return SyncOutcome(
      deviceId: answer.device, planVersion: response.planVersion, slots: response.slots,
      refreshBy: response.refreshBy, applied: applied, rejected: rejected, priming: response.priming,
      unread: response.unread, backoff: answer.backoff, notices: notices, reports: reports)
  }

  // MARK: State

  func loaded() async throws(CarillonError) -> ClientState {
    if let state { return state }
    let found = try await store.load()
    // Another call may have come first while this one waited.
    if let state { return state }
    if case .state(let known) = found {
      state = known
      return known
    }
    if case .damaged(let damage) = found { notices.append(.stateReset(damage)) }
    let fresh = ClientState(deviceId: DeviceID(configuration.effects.uuid()))
    state = fresh
    do {
      try await store.save(fresh)
    } catch {
      state = nil
      throw error
    }
    return fresh
  }

  /// What could not be saved did not happen.
  func save(_ next: ClientState) async throws(CarillonError) {
    guard next != state else { return }
    try await store.save(next)
    state = next
  }

  /// Takes over what the server decided.
  private func adopt(
    _ response: SyncResponse, to report: SyncRequest, confirming numbers: Set<Int>
  ) async throws(CarillonError) {
    var next = try await loaded()
    next.adopt(response, confirming: numbers, pending: report.pending ?? [])
    if let forked = response.deviceId, forked != next.deviceId {
      notices.append(.forked(from: next.deviceId, to: forked))
      next.deviceId = forked
    }
    try await save(next)
  }

  // MARK: The device

  /// Nil when there is nothing to do.
  private func apply(_ diff: SyncDiff) async -> AppliedPlan? {
    guard !diff.isEmpty else { return nil }
    var applier = PlanApplier(remove: diff.remove, add: diff.add.map(PlannedAddition.init))
    return await applier.run(on: center, effects: configuration.effects)
  }

  /// A report of how things stand at this moment; its sequence is saved before it is sent.
  ///
  /// - Returns: also the numbers of the outbox entries it carries.
  private func nextReport(step: Int64) async throws(CarillonError) -> (SyncRequest, Set<Int>) {
    var next = try await loaded()
    next.sequence += step
    try await save(next)
    let settings = await center.notificationSettings()
    let pending = await center.pendingRequests()
    let delivered = await center.deliveredNotifications()
    var report = SyncRequest(sequence: next.sequence)
    report.sentAt = configuration.effects.now()
    report.device = configuration.device()
    report.authorizationStatus = settings.authorizationStatus
    report.settings = settings.settings
    report.planVersion = next.planVersion
    report.policyVersion = next.policy?.version ?? 0
    report.describe(pending)
    report.describe(delivered, limit: Self.deliveredLimit)
    var numbers: Set<Int> = []
    var bytes = 0
    for entry in next.outbox.entries {
      bytes += entry.operation.wireBytes
      if bytes > Self.operationBytes, !numbers.isEmpty { break }
      guard report.put.count < WireLimits.puts, report.cancel.count < WireLimits.cancels,
        report.events.count < WireLimits.events
      else { break }
      numbers.insert(entry.number)
      switch entry.operation {
      case .put(let notification): report.put.append(notification)
      case .cancel(let id): report.cancel.append(id)
      case .event(let event): report.events.append(event)
      }
    }
    return (report, numbers)
  }
}

extension SyncRequest {
  /// Of ours and of the app's own.
  fileprivate var pendingCount: Int { (pending?.count ?? 0) + (foreign?.count ?? 0) }

  /// In the order of the ids, so that equal reports are equal bytes.
  fileprivate mutating func describe(_ requests: [CenterRequest]) {
    let ours = requests.compactMap { request in
      request.revision.map { PendingRequest(id: request.id, revision: $0) }
    }
    pending = ours.sorted { $0.id.text.utf8.lexicographicallyPrecedes($1.id.text.utf8) }
    let foreigners = requests.filter { $0.revision == nil }
    let regions = foreigners.count { request in
      if case .location? = request.trigger { true } else { false }
    }
    foreign = ForeignRequests(count: foreigners.count, regions: regions)
  }

  fileprivate mutating func describe(_ notifications: [DeliveredNotification], limit: Int) {
    let ours = notifications.filter { $0.revision != nil }.sorted { $0.date > $1.date }.prefix(limit)
    delivered = ours.map(\.id).sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
  }
}
