import CarillonAPI
import CarillonClient
import CarillonJSON
import CarillonModel
import Synchronization

/// A server in the test's own process: the real planner over queues in memory, spoken to as over the wire.
///
/// It knows one tenant and takes any credential, until it is told to check them (``checkCredentials()``). It keeps no
/// history: a device's changes and deliveries and the reports are empty. What it cannot do, it answers as the real one
/// answers an unknown route; a long poll it answers at once.
public final class FakeServer: Transport {
  /// What happens to a request instead of, or after, being served.
  public enum Fault: Hashable, Sendable {
    /// The request never arrives.
    case losesRequest
    /// The request is served and its answer lost.
    case losesAnswer
    /// It is answered so, and not served.
    case answers(TransportResponse)
  }

  private let now: @Sendable () -> Instant
  private let uuid: @Sendable () -> UUID128
  private let state: Mutex<State>

  struct State {
    var tenant = FakeTenant()
    var faults: [Fault] = []
    var requests: [TransportRequest] = []
    /// The first answers of writes, by their `Idempotency-Key`.
    var answers: [String: TransportResponse] = [:]

    /// A write that comes again has one effect, as at the real server.
    mutating func answer(_ request: TransportRequest, by routes: FakeRoutes) -> TransportResponse {
      let key = request.headers.first { $0.name.lowercased() == "idempotency-key" }?.value
      guard let key else { return routes.answer(request, &tenant) }
      let scoped = "\(request.method) \(request.target) \(key)"
      if let answer = answers[scoped] { return answer }
      let answer = routes.answer(request, &tenant)
      if (200...299).contains(answer.status) { answers[scoped] = answer }
      return answer
    }
  }

  /// - Parameter effects: whose clock and ids the server takes for its own.
  public init(effects: Effects) {
    now = effects.now
    uuid = effects.uuid
    state = Mutex(State())
  }

  // MARK: What a test sets and sees

  /// The next requests meet these, one each.
  public func inject(_ faults: Fault...) { state.withLock { $0.faults += faults } }

  /// What arrived, in order.
  public var requests: [TransportRequest] { state.withLock { $0.requests } }

  /// The reports that arrived, in order.
  public var reports: [SyncRequest] {
    requests.compactMap { request in
      guard request.target.hasSuffix("/sync"), let body = request.body else { return nil }
      return try? ReceivedReport(body).request
    }
  }

  /// A device's queue, by id.
  public func queue(of device: DeviceID) -> [Notification] {
    state.withLock { state in
      (state.tenant.devices[device]?.queue.values).map(Array.init) ?? []
    }.map(\.notification).sorted { $0.head.id.text < $1.head.id.text }
  }

  /// The last plan of a device.
  public func plan(of device: DeviceID) -> Plan? { state.withLock { $0.tenant.devices[device]?.plan } }

  /// As the tenant's backend would.
  public func put(_ notification: Notification, for device: DeviceID) {
    let now = now()
    state.withLock { _ = $0.tenant.put(notification, for: device, at: now) }
  }

  /// As the tenant's backend would.
  public func cancel(_ id: NotificationID, for device: DeviceID) {
    state.withLock { _ = $0.tenant.cancel(id, for: device) }
  }

  public func setPolicy(_ policy: Policy) {
    let now = now()
    state.withLock { $0.tenant.setPolicy(policy, at: now) }
  }

  var currentTime: Instant { now() }

  func withTenant<R>(_ body: (inout FakeTenant) -> R) -> R { state.withLock { body(&$0.tenant) } }

  // MARK: Transport

  public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let now = now()
    let (fault, answer) = state.withLock { state -> (Fault?, TransportResponse?) in
      state.requests.append(request)
      let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
      switch fault {
      case .losesRequest?: return (fault, nil)
      case .answers(let response)?: return (fault, response)
      case .losesAnswer?, nil:
        return (fault, state.answer(request, by: FakeRoutes(now: now, uuid: uuid)))
      }
    }
    guard let answer, fault != .losesAnswer else {
      throw TransportError(.connection, "the connection broke")
    }
    return answer
  }
}
