import CarillonAPI
import CarillonModel
import CarillonPlanner
import CarillonStore

/// The queue of one device as its tenant sees and changes it. Plans are not made here: the next sync or the next
/// look at the plan makes them.
public final class QueueService {
  private let store: Store
  private let policies: PolicyCache
  private let zones: any ZoneLookup
  private let plans: PlanService

  public init(store: Store, policies: PolicyCache, zones: any ZoneLookup) {
    self.store = store
    self.policies = policies
    self.zones = zones
    plans = PlanService(store: store, policies: policies, zones: zones)
  }

  /// What must be known of a device and its tenant to read a queue.
  public struct Context: Sendable {
    var device: StoredDevice?
    var policy: CompiledPolicy
    var planning: PlanningDevice
  }

  public struct PutAnswer: Sendable {
    public var item: NotificationItem
    public var isNew: Bool
  }

  /// Checks what needs a clock and a zone; the form was checked when the notification was read.
  public func check(_ notification: Notification, in context: Context, now: Instant) throws(TriggerRefusal) {
    try Planner.validate(notification.head.trigger, device: context.planning, now: now, zones: zones)
  }

  /// - Parameter device: need not have reported yet.
  public func context(tenant: TenantID, device: DeviceID) async throws(ServiceError) -> Context {
    let stored = try await storing { () async throws(StoreError) in
      try await store.device(tenant: tenant, device: device)
    }
    return try context(of: stored, policy: try await policy(of: tenant))
  }

  /// - Parameters:
  ///   - user: whose the device must be; nil: anyone's.
  ///   - context: of this device.
  ///   - keeping: for a request that may come again; nil: nothing is kept.
  public func put(
    _ notification: Notification, tenant: TenantID, device: DeviceID, user: BoundUser? = nil,
    context: Context, quotas: Quotas = Quotas(),
    keeping: Keeping<PutAnswer>? = nil, now: Instant
  ) async throws(ServiceError) -> PutAnswer {
    var item = QueueItem(head: notification.head, content: notification.content.canonicalBytes)
    if let keeping {
      item = try await renewing([item], in: context, tenant: tenant, device: device, now: now)[0]
      return try await put(
        item, tenant: tenant, device: device, user: user, context: context, quotas: quotas, keeping: keeping,
        now: now)
    }
    let outcomes = try await change(
      .put(item), by: user, in: context, tenant: tenant, device: device, quotas: quotas, now: now)
    if outcomes.first == .queueFull { throw .queueFull(most: quotas.notificationsPerDevice) }
    let stored = try await storing { () async throws(StoreError) in
      try await store.notification(tenant: tenant, device: device, user: user, id: notification.head.id)
    }
    // Cancelled by somebody else in between: what was answered is what was stored then.
    let shown =
      stored ?? StoredNotification(head: item.head, content: item.content, acceptedAt: now)
    return PutAnswer(
      item: view(of: shown, in: context, places: nil, now: now), isNew: outcomes.first == .inserted)
  }

  /// The answer is written before the change and kept with it, so it is foreseen: a change that turns out otherwise is
  /// undone, and the request begins again.
  private func put(
    _ item: QueueItem, tenant: TenantID, device: DeviceID, user: BoundUser?, context: Context, quotas: Quotas,
    keeping: Keeping<PutAnswer>, now: Instant
  ) async throws(ServiceError) -> PutAnswer {
    let foreseen = try await storing { () async throws(StoreError) in
      try await store.foresee(item, tenant: tenant, device: device)
    }
    let shown = StoredNotification(
      head: item.head, content: item.content, acceptedAt: foreseen.acceptedAt ?? now)
    let answer = PutAnswer(
      item: view(of: shown, in: context, places: nil, now: now), isNew: foreseen.outcome == .inserted)
    let outcomes = try await change(
      .put(item), by: user, in: context, tenant: tenant, device: device, quotas: quotas,
      keeping: QueueAnswerDraft(keeping.draft(answer, now: now), foreseen: foreseen.outcome), now: now)
    if outcomes.first == .queueFull { throw .queueFull(most: quotas.notificationsPerDevice) }
    return answer
  }

  /// An operation, and the user by whom its device was found; nil: the device was named itself.
  public struct Addressed: Sendable {
    public var operation: QueueOperation
    public var user: String?

    public init(_ operation: QueueOperation, user: String? = nil) {
      self.operation = operation
      self.user = user
    }
  }

  /// As for operations that name the device itself. What was meant for a user who is not there any more
  /// when it is written changes nothing (`otherUser`).
  ///
  /// - Parameter keeping: of the operations at these places, which are all but those that came too late; nil: nothing
  ///   is kept, nor is it where nothing is left.
  public func change(
    _ operations: [Addressed], in context: Context?, tenant: TenantID, device: DeviceID,
    quotas: Quotas = Quotas(), keeping: (([Int]) -> QueueAnswerDraft)? = nil, now: Instant
  ) async throws(ServiceError) -> [QueueOutcome] {
    let operations = try await renewing(operations, in: context, tenant: tenant, device: device, now: now)
    var outcomes = Array(repeating: QueueOutcome.otherUser, count: operations.count)
    var left = Array(operations.indices)
    for _ in 0..<Attempts.maximum {
      if left.isEmpty { return outcomes }
      let answer = try await change(
        left.map { operations[$0].operation }, users: Set(left.compactMap { operations[$0].user }).sorted(),
        in: context, tenant: tenant, device: device, quotas: quotas, keeping: keeping?(left), now: now)
      switch answer {
      case .changed(let changed):
        for (index, outcome) in zip(left, changed) { outcomes[index] = outcome }
        return outcomes
      case .otherUser(let user): left.removeAll { operations[$0].user != nil && operations[$0].user != user }
      case .lookFirst: break
      }
    }
    throw .contention
  }

  /// One outcome an operation; all of them in one transaction. What has come due in the queue by now is taken in first:
  /// it is history, and in the inbox, whatever becomes of the queue.
  ///
  /// - Parameters:
  ///   - context: of this device; nil where nothing is put.
  ///   - keeping: for a request that may come again; nil: nothing is kept.
  public func change(
    _ operations: [QueueOperation], in context: Context?, tenant: TenantID, device: DeviceID,
    quotas: Quotas = Quotas(), keeping: QueueAnswerDraft? = nil, now: Instant
  ) async throws(ServiceError) -> [QueueOutcome] {
    try await change(
      operations.map { Addressed($0) }, in: context, tenant: tenant, device: device, quotas: quotas,
      keeping: keeping.map { draft in { _ in draft } }, now: now)
  }

  /// One operation under a credential that may be one user's.
  private func change(
    _ operation: QueueOperation, by user: BoundUser?, in context: Context?, tenant: TenantID,
    device: DeviceID, quotas: Quotas = Quotas(), keeping: QueueAnswerDraft? = nil, now: Instant
  ) async throws(ServiceError) -> [QueueOutcome] {
    let outcomes = try await change(
      [Addressed(operation, user: user?.id)], in: context, tenant: tenant, device: device, quotas: quotas,
      keeping: keeping.map { draft in { _ in draft } }, now: now)
    if outcomes.first == .otherUser { throw .otherUser }
    return outcomes
  }

  private func change(
    _ operations: [QueueOperation], users: [String], in context: Context?, tenant: TenantID,
    device: DeviceID, quotas: Quotas, keeping: QueueAnswerDraft?, now: Instant
  ) async throws(ServiceError) -> QueueAnswer {
    // A device that was found by its user is not made.
    if users.isEmpty, let context, context.device == nil, operations.contains(where: \.isPut),
      !quotas.admitsDevice()
    {
      throw .deviceLimit
    }
    let due = context.flatMap { firstFire(of: operations, in: $0, now: now) }
    let answer = try await storing { () async throws(StoreError) in
      try await store.changeQueue(
        tenant: tenant, device: device, operations: operations, users: users, due: due, hasLooked: false,
        most: quotas.notificationsPerDevice, keeping: keeping, now: now)
    }
    guard case .lookFirst = answer else { return answer }
    _ = try await plans.plan(tenant: tenant, device: device, known: { _ in false }, now: now)
    return try await storing { () async throws(StoreError) in
      try await store.changeQueue(
        tenant: tenant, device: device, operations: operations, users: users, due: due, hasLooked: true,
        most: quotas.notificationsPerDevice, keeping: keeping, now: now)
    }
  }

  private func renewing(
    _ operations: [Addressed], in context: Context?, tenant: TenantID, device: DeviceID, now: Instant
  ) async throws(ServiceError) -> [Addressed] {
    let items = operations.compactMap { operation -> QueueItem? in
      if case .put(let item) = operation.operation { item } else { nil }
    }
    var renewed = try await renewing(items, in: context, tenant: tenant, device: device, now: now)[...]
    return operations.map { operation in
      guard case .put = operation.operation, let item = renewed.popFirst() else { return operation }
      return Addressed(.put(item), user: operation.user)
    }
  }

  /// Tells puts of what is over from repetitions; see ``Renewal``. Most puts cannot be either and cost nothing.
  private func renewing(
    _ items: [QueueItem], in context: Context?, tenant: TenantID, device: DeviceID, now: Instant
  ) async throws(ServiceError) -> [QueueItem] {
    guard let context, context.device != nil, items.contains(where: { Renewal.isPossible($0.head) }) else {
      return items
    }
    let renewal = Renewal(zones: zones, devices: [context.planning], now: now)
    let heads = try await storing { () async throws(StoreError) in
      try await store.heads(tenant: tenant, device: device)
    }
    let entries = QueueIndex(heads)
    func over(_ item: QueueItem) -> StoredEntry? {
      entries[item.head.id].flatMap { $0.head == item.head && renewal.isOver($0) ? $0 : nil }
    }
    guard items.contains(where: { over($0) != nil }) else { return items }
    // What has come due is taken in, and what was moved, or comes late, is told from what is over.
    let plan = try await plans.plan(tenant: tenant, device: device, known: { _ in false }, now: now).plan
    return items.map { item in
      guard let entry = over(item), !plan.stillBrings(item.head, now: now) else { return item }
      return QueueItem(head: item.head, content: item.content, renews: entry.acceptedAt)
    }
  }

  private func firstFire(of operations: [QueueOperation], in context: Context, now: Instant) -> Instant? {
    operations.compactMap { operation in
      guard case .put(let item) = operation else { return nil }
      return Planner.firstFire(
        of: item.head, acceptedAt: now, now: now, device: context.planning, zones: zones)
    }.min()
  }

  public func cancel(
    _ id: NotificationID, tenant: TenantID, device: DeviceID, user: BoundUser? = nil,
    keeping: Keeping<Void>? = nil, now: Instant
  ) async throws(ServiceError) {
    let outcomes = try await change(
      .cancel(id), by: user, in: nil, tenant: tenant, device: device,
      keeping: keeping.map { QueueAnswerDraft($0.draft((), now: now), foreseen: .cancelled) }, now: now)
    guard outcomes.first == .cancelled else { throw .noSuchNotification }
  }

  public func item(
    _ id: NotificationID, tenant: TenantID, device: DeviceID, user: BoundUser? = nil, now: Instant
  ) async throws(ServiceError) -> NotificationItem {
    let stored = try await storing { () async throws(StoreError) in
      try await store.notification(tenant: tenant, device: device, user: user, id: id)
    }
    guard let stored else { throw .noSuchNotification }
    let context = try await context(tenant: tenant, device: device)
    let places = try await places(tenant: tenant, device: device)
    return view(of: stored, in: context, places: places, now: now)
  }

  /// One page in the order of the ids' bytes.
  ///
  /// - Parameter user: whose they must be, or nobody's; nil: of whoever is there.
  public func items(
    tenant: TenantID, device: DeviceID, user: BoundUser? = nil, after: NotificationID?, limit: Int,
    now: Instant
  ) async throws(ServiceError) -> [NotificationItem] {
    let context = try await context(tenant: tenant, device: device)
    guard context.device != nil else { throw .noSuchDevice }
    let page = try await storing { () async throws(StoreError) in
      try await store.notifications(
        tenant: tenant, device: device, user: user, after: after, limit: limit)
    }
    let places = try await places(tenant: tenant, device: device)
    return page.map { view(of: $0, in: context, places: places, now: now) }
  }

  /// The living devices of a user, for operations that name one; those that a newer installation has followed are
  /// left out.
  ///
  /// - Throws: `tooManyDevices` beyond ``maximumDevicesPerUser``: none is then written to.
  public func devices(ofUser userID: String, tenant: TenantID) async throws(ServiceError) -> [DeviceID] {
    let devices = try await storing { () async throws(StoreError) in
      try await store.devicesOfUser(tenant: tenant, userId: userID, limit: Self.maximumDevicesPerUser + 1)
    }
    guard devices.count <= Self.maximumDevicesPerUser else { throw .tooManyDevices }
    return devices
  }

  /// More devices than a person has: the id is then that of many, and each operation would become a hundred.
  public static let maximumDevicesPerUser = 100

  // MARK: Parts

  private func policy(of tenant: TenantID) async throws(ServiceError) -> CompiledPolicy {
    let stored = try await storing { () async throws(StoreError) in try await store.policy(tenant: tenant) }
    guard let stored else { return policies.defaultPolicy }
    return try policies.remember(stored.document, version: stored.version, of: tenant).policy
  }

  private func context(of stored: StoredDevice?, policy: CompiledPolicy) throws(ServiceError) -> Context {
    let state = stored?.state ?? DeviceState()
    let planner = DevicePlanner(zones: zones, policy: policy, policyVersion: 0)
    return Context(device: stored, policy: policy, planning: try planner.planningDevice(state))
  }

  /// Where the last plan put each entry of the queue.
  private func places(tenant: TenantID, device: DeviceID) async throws(ServiceError) -> QueuePlaces? {
    let stored = try await storing { () async throws(StoreError) in
      try await store.plan(tenant: tenant, device: device)
    }
    guard let stored, let plan = try? PlanCodec.decode(stored.document) else { return nil }
    return QueuePlaces(plan)
  }

  private func view(
    of stored: StoredNotification, in context: Context, places: QueuePlaces?, now: Instant
  ) -> NotificationItem {
    let place = places?[stored.head.id]
    let wished = Planner.firstFire(
      of: stored.head, acceptedAt: stored.acceptedAt, now: now, device: context.planning, zones: zones)
    let type = context.policy.type(of: stored.head.id, named: stored.head.type)
    return NotificationItem(
      head: stored.head, content: stored.content, type: type.name, priority: type.priority,
      fireAt: place?.fireAt ?? wished, state: place?.state ?? .accepted, createdAt: stored.acceptedAt)
  }
}

extension QueueOperation {
  fileprivate var isPut: Bool { if case .put = self { true } else { false } }
}
