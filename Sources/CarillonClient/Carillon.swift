import CarillonAPI
import CarillonModel

/// The SDK on a device: tells the server what this device can show and holds, and makes it hold what the server plans.
///
///     let carillon = try Carillon(
///       configuration: .init(server: URL(string: "https://carillon.example.com")!),
///       center: UserNotificationCenterClient(),
///       credential: { device in try await backend.carillonToken(for: device) })
///
///     try await carillon.sync()
///
/// Call ``sync()`` at launch, on every return to the foreground and once more shortly after, when the app is woken,
/// and no later than ``SyncOutcome/refreshBy``.
///
/// Calls may overlap as they like. The work runs strictly one piece after the other, and calls that wait share the
/// next piece: a hundred ``schedule(_:)`` at once are a few reports, not a hundred.
public actor Carillon {
  /// A notification as an app asks for it; by this name it is not mistaken for Foundation's.
  public typealias Notification = CarillonModel.Notification

  let engine: SyncEngine
  nonisolated let feed = EventFeed()
  private var line = WorkLine<OutboxOperation?, Result<SyncOutcome, CarillonError>>()

  /// - Parameters:
  ///   - configuration: where the server is and what the device says of itself.
  ///   - center: the device's notifications.
  ///   - transport: nil sends by ``URLSessionTransport``.
  ///   - store: nil keeps the state in a file in the app's own support folder.
  ///   - credential: gives a device token for this installation, minted by the app's backend
  ///     (``TenantClient/mintToken(for:user:ttl:)``). Asked when there is none yet and when the server has taken the last one no
  ///     more, also because another user has signed in, once a request; those who need one at the same time share the asking. The SDK keeps it, in memory alone.
  public init(
    configuration: Configuration, center: any NotificationCenterClient,
    transport: (any Transport)? = nil, store: (any StateStore)? = nil,
    credential: @escaping @Sendable (DeviceID) async throws -> String
  ) {
    engine = SyncEngine(
      configuration: configuration, center: center,
      transport: transport ?? URLSessionTransport(server: configuration.server),
      store: store ?? FileStateStore(path: FileStateStore.defaultPath(for: configuration.server)),
      credential: credential)
  }

  /// Reports what the device can show and holds, and applies the answer. What waits in the outbox goes with it.
  ///
  /// After an answer that changed what the device holds, one more report confirms it: the server then knows, and
  /// heals what iOS dropped meanwhile.
  @discardableResult
  public func sync() async throws(CarillonError) -> SyncOutcome {
    try await take(nil)
  }

  /// Tells the server what the device can show now: call it when the permission or a setting may have changed.
  @discardableResult
  public func settingsDidChange() async throws(CarillonError) -> SyncOutcome {
    try await sync()
  }

  /// Puts a notification into this device's queue, in place of one with the same id, and syncs.
  ///
  /// Where the server cannot be reached the device plans by itself, and the notification rings all the same:
  /// ``SyncOutcome/confirmation`` tells. It is kept, also over a restart, and goes with the next sync.
  ///
  /// - Throws: with `notificationRefused`, `tooLarge`, `outboxFull` or `stateUnavailable` the notification is not
  ///   taken. With every other code it is kept as well.
  @discardableResult
  public func schedule(_ notification: Notification) async throws(CarillonError) -> SyncOutcome {
    let checked = try notification.checked()
    let outcome = try await take(.put(checked))
    if let refusal = outcome.rejected.first(where: { $0.id == checked.head.id.text }) {
      throw CarillonError(refusal)
    }
    return outcome
  }

  /// Takes a notification out of this device's queue and syncs. An unknown id is no error.
  ///
  /// - Throws: as ``schedule(_:)``.
  @discardableResult
  public func cancel(_ id: NotificationID) async throws(CarillonError) -> SyncOutcome {
    try await take(.cancel(id))
  }

  /// The id of this installation; made at the first call and kept.
  public func deviceId() async throws(CarillonError) -> DeviceID {
    try await engine.deviceId()
  }

  // MARK: Questions

  func hasWishes() async throws(CarillonError) -> Bool { try await engine.hasWishes() }

  func event(
    _ kind: SyncEvent.Kind, notification: NotificationID?, name: String?, context: String?
  ) -> SyncEvent {
    engine.event(kind, notification: notification, name: name, context: context)
  }

  /// The body of the answer to a question about this installation. It does not wait for syncs that run.
  func ask(
    _ body: [UInt8]? = nil, _ route: (DeviceID) -> Route
  ) async throws(CarillonError) -> [UInt8] {
    try await engine.ask(body, route)
  }

  // MARK: One after the other

  func take(_ wish: OutboxOperation?) async throws(CarillonError) -> SyncOutcome {
    let ticket = line.ticket()
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let starts = line.join(ticket, wish: wish) { continuation.resume(returning: $0) }
        if starts { Task { await self.run() } }
      }
    } onCancel: {
      Task { await self.leave(ticket) }
    }
    return try result.get()
  }

  private func leave(_ ticket: WorkLine<OutboxOperation?, Result<SyncOutcome, CarillonError>>.Ticket) {
    line.leave(ticket)?(
      .failure(
        CarillonError(
          .cancelled, "the task was cancelled; the work it shares goes on", isRetryable: true)))
  }

  private func run() async {
    while let waiters = line.nextTurn() {
      let refusal = await admit(waiters.compactMap(\.wish))
      let result = await sharedSync()
      feed.tell(Event.Kind.kinds(of: result))
      let planned = await planHere(after: result)
      for waiter in line.endTurn() {
        if let refusal, waiter.wish != nil {
          waiter.answer?(.failure(refusal))
        } else if let planned, waiter.wish?.id != nil {
          waiter.answer?(.success(planned))
        } else {
          waiter.answer?(result)
        }
      }
    }
  }

  /// What this device made of it when the server could not be reached; nil when it was, or planning was not possible.
  private func planHere(after result: Result<SyncOutcome, CarillonError>) async -> SyncOutcome? {
    guard case .failure(let error) = result, let planned = await engine.planHere(after: error) else {
      return nil
    }
    if !planned.applied.isEmpty { feed.tell([.plannedHere(planned.applied)]) }
    return planned
  }

  /// Nil when all were taken.
  private func admit(_ wishes: [OutboxOperation]) async -> CarillonError? {
    do {
      try await engine.admit(wishes)
      return nil
    } catch {
      return error
    }
  }

  private func sharedSync() async -> Result<SyncOutcome, CarillonError> {
    do {
      return .success(try await engine.sync())
    } catch {
      return .failure(error)
    }
  }
}
