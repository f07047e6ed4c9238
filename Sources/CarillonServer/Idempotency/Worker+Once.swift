import CarillonAPI
import CarillonHTTP
import CarillonModel
import CarillonService
import CarillonStore

extension Worker {
  /// How often a request looks at its key again because somebody was faster.
  private static let attempts = 8

  /// Answers a request with an idempotency key: as it was answered before, or now, with the answer kept in the
  /// transaction of its effect.
  ///
  /// The key is looked at without a lock, so that nobody who waits holds up the works of others in one transaction.
  /// Of two that run at once the database lets one through; the other finds its key in use, has changed nothing, and
  /// looks again.
  func once(_ route: Route, _ call: Call, _ key: IdempotencyKey) async throws(Problem) -> HTTPResponse {
    let scope = IdempotencyScope(key, tenant: call.tenant)
    guard keysInUse.insert(scope).inserted else { throw .inProgress }
    defer { keysInUse.remove(scope) }
    for _ in 0..<Self.attempts {
      let use = try await serving { () async throws(ServiceError) -> KeyUse in
        try await parts.answers.use(of: key, tenant: call.tenant, now: call.now)
      }
      switch use {
      case .answered(let answer): return try await again(route, call, answer)
      case .otherRequest: throw .keyReused
      case .unused, .begun:
        if let response = try await first(route, call, Once(key: key, hasBegun: use != .unused)) {
          return response
        }
      }
    }
    throw .inProgress
  }

  /// Nil when somebody was faster: look at the key again.
  private func first(_ route: Route, _ call: Call, _ once: Once) async throws(Problem) -> HTTPResponse? {
    var call = call
    call.once = once
    do throws(Problem) {
      return try await dispatch(route, call)
    } catch {
      if error.code == .idempotencyInProgress { return nil }
      guard error.isKept else { throw error }
      return try await keep(call.exchange.response(to: error), route, call, once.key)
    }
  }

  /// Keeps a refusal, which has changed nothing. Nil when somebody was faster.
  private func keep(
    _ response: HTTPResponse, _ route: Route, _ call: Call, _ key: IdempotencyKey
  ) async throws(Problem) -> HTTPResponse? {
    do throws(ServiceError) {
      let isKept = try await parts.answers.keep(
        KeptAnswer(status: response.status, body: response.body), under: key, tenant: call.tenant,
        device: route.device, now: call.now)
      if isKept { return response }
      // The device is not there: it never was, or the same request has erased it just now.
      let use = try await parts.answers.use(of: key, tenant: call.tenant, now: call.now)
      return use == .unused ? response : nil
    } catch {
      guard case .store(.overtaken) = error else { throw Problem(error) }
      return nil
    }
  }

  /// Some things an answer brings are not kept, and some that follow it may have been cut off.
  private func again(_ route: Route, _ call: Call, _ answer: KeptAnswer) async throws(Problem) -> HTTPResponse
  {
    var response: HTTPResponse
    switch route {
    case .mintDeviceToken(let device) where answer.status < 400:
      response = try await parts.signer.respondAgain(answer, to: call, device: device)
    case .syncDevice where answer.status < 400 && call.principal.isDevice:
      response = HTTPResponse(answer)
      if let sync = try? SyncResponse(answer.body),
        let withToken = try await parts.signer.withTokenOfFork(sync, call)
      {
        response = withToken
      }
    case .markInbox(let device, _) where answer.status < 400:
      try await serving { () async throws(ServiceError) in
        try await parts.inbox.tell(tenant: call.tenant, device: device)
      }
      response = HTTPResponse(answer)
    default: response = HTTPResponse(answer)
    }
    response.headers.append(HTTPResponse.replay)
    return response
  }
}

extension HTTPResponse {
  /// Marks an answer that was given before.
  static let replay = (name: "Idempotency-Replay", value: "true")
}

extension Problem {
  static let inProgress = Problem(
    .idempotencyInProgress,
    "A request with this Idempotency-Key is running; wait, then send it again for its answer.",
    retryAfter: secondsBeforeRetry)

  static let keyReused = Problem(
    .idempotencyKeyReused,
    "This Idempotency-Key was sent with another request within the last day; nothing was changed. Make a new key for each request."
  )

  /// Whether the rules refuse the request as it stands: then it is refused the same way when it comes again. What could
  /// not be read, was not allowed or came at a bad time may be sent again under its key.
  var isKept: Bool {
    switch code {
    case .idempotencyKeyReused: false
    default: [404, 412, 422, 428].contains(status)
    }
  }
}
