import CarillonAPI
import CarillonJSON
import CarillonModel

/// The SDK in an app's backend: fills the queues of devices and looks at their plans, under a tenant key.
///
///     let carillon = TenantClient(server: url, key: key)
///     let results = try await carillon.enqueue(reminders.map { BatchOperation(.put($0), for: .user("u1")) })
///
/// A value that can be used from everywhere at once; its copies share ``mostRequests``. Keep the key in the environment
/// or a vault, never in an app.
///
/// Every write has an `Idempotency-Key` of its own, the same over all its retries: whatever is lost on the way, it has
/// one effect, and its caller the first answer.
public struct TenantClient: Sendable {
  /// Requests that are under way at a time; more wait for their turn, in the order they came.
  public static let mostRequests = 32

  let sender: RetryingSender
  private let gate = RequestGate(TenantClient.mostRequests)
  let key: String
  let timeout: Double

  /// - Parameters:
  ///   - transport: the way to the server.
  ///   - key: `ck_…`, with the scopes of what is to be done.
  ///   - retry: when a request is sent again.
  ///   - timeout: seconds for one attempt.
  ///   - effects: time, waiting and chance.
  public init(
    transport: any Transport, key: String, retry: RetryPolicy = RetryPolicy(), timeout: Double = 30,
    effects: Effects = .system
  ) {
    sender = RetryingSender(transport: transport, policy: retry, effects: effects)
    self.key = key
    self.timeout = timeout
  }

  // MARK: One device's queue

  /// Puts a notification into a device's queue, in place of one with the same id. The device need not have
  /// reported yet.
  ///
  /// - Returns: as it is stored. Where it stands is decided by the next plan.
  @discardableResult
  public func put(
    _ notification: Notification, for device: DeviceID
  ) async throws(CarillonError) -> NotificationItem {
    let answer = try await send(
      .putNotification(device, notification.head.id), body: notification.wireBytes)
    return try read(answer) { (body) throws(JSONError) in try NotificationItem(body) }
  }

  /// Takes a notification out of a device's queue.
  ///
  /// - Throws: ``CarillonError/Code/refused`` with the problem `notificationNotFound` when it is not there.
  public func cancel(_ id: NotificationID, for device: DeviceID) async throws(CarillonError) {
    let answer = try await send(.deleteNotification(device, id), expected: [404])
    // Gone at the second try: the first one did it, and its answer was lost.
    if answer.response.status == 404, answer.attempts == 1 { throw CarillonError(answer.response) }
  }

  /// One notification of a device's queue.
  public func notification(
    _ id: NotificationID, for device: DeviceID
  ) async throws(CarillonError) -> NotificationItem {
    let answer = try await send(.getNotification(device, id))
    return try read(answer) { (body) throws(JSONError) in try NotificationItem(body) }
  }

  /// A page of a device's queue. ``Page/nextCursor`` leads to the next one.
  ///
  /// - Parameters:
  ///   - device: whose queue.
  ///   - limit: 1...200.
  ///   - cursor: of the page before; nil: the first one.
  public func notifications(
    of device: DeviceID, limit: Int = PageRequest.defaultLimit, after cursor: String? = nil
  ) async throws(CarillonError) -> Page<NotificationItem> {
    let page = try PageRequest(limit: limit, after: cursor, in: .notifications)
    return try await self.page(.listNotifications(device, page)) { (reader) throws(JSONError) in
      try NotificationItem(from: &reader)
    }
  }

  // MARK: Sending

  func send(
    _ route: Route, body: [UInt8]? = nil, headers: [TransportHeader] = [], expected: Set<Int> = []
  ) async throws(CarillonError) -> RetryingSender.Answer {
    var request = TransportRequest(
      method: route.method, target: route.target,
      headers: [
        TransportHeader("Accept", "application/json"), TransportHeader("Authorization", "Bearer \(key)"),
      ], body: body, timeout: timeout)
    if body != nil { request.headers.append(TransportHeader("Content-Type", "application/json")) }
    if route.endpoint.isWrite {
      request.headers.append(TransportHeader("Idempotency-Key", sender.effects.uuid().text))
    }
    request.headers += headers
    if case .getPlan(_, wait: let wait?) = route { request.timeout += Double(wait) }
    guard await gate.enter() else {
      throw CarillonError(.cancelled, "the task was cancelled before its request was sent", isRetryable: true)
    }
    defer { gate.leave() }
    return try await sender.send(request, expected: expected)
  }

  func read<Value>(
    _ answer: RetryingSender.Answer, _ read: ([UInt8]) throws(JSONError) -> Value
  ) throws(CarillonError) -> Value {
    do {
      return try read(answer.response.body)
    } catch {
      throw CarillonError(.unexpectedAnswer, "the answer cannot be read: \(error)")
    }
  }
}
