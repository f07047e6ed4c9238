import CarillonAPI
import CarillonCrypto
import CarillonEventLoop
import CarillonHTTP
import CarillonModel
import CarillonPlanner
import CarillonPostgres
import CarillonService
import CarillonStore
import CarillonTelemetry

/// One core's share of the server: an event loop with its own listener, its own database connections and its own
/// services. Nothing in it is reached from another thread, so nothing in it is locked.
actor Worker: HTTPHandler {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  let configuration: ServerConfiguration
  let clock: ServerClock
  let logger: Logger
  let zones: any ZoneLookup
  let metrics: ServerMetrics
  let reports: ReportKeeper
  let limiter: RateLimiter
  let deviceCounts: DeviceCounts
  let waits: PlanWaits
  private var reportHints = ReportHints()
  /// Of the requests that run now.
  var keysInUse: Set<IdempotencyScope> = []

  // Made on the loop by `open`, since that is where they live.
  private(set) var parts: Parts!
  private var server: HTTPServer?

  struct Parts {
    let pool: PostgresPool
    let authenticator: Authenticator
    let limits: LimitBook
    let signer: TokenSigner
    let sync: SyncService
    let plan: PlanService
    let queue: QueueService
    let policy: PolicyService
    let preview: PreviewService
    let devices: DeviceService
    let priming: PrimingService
    let inbox: InboxService
    let answers: IdempotencyService
    let gzip: Gzip
  }

  init(
    loop: EventLoop, configuration: ServerConfiguration, clock: ServerClock, logger: Logger,
    zones: any ZoneLookup, metrics: ServerMetrics, reports: ReportKeeper, limiter: RateLimiter,
    deviceCounts: DeviceCounts, waits: PlanWaits
  ) {
    self.loop = loop
    self.configuration = configuration
    self.clock = clock
    self.logger = logger
    self.zones = zones
    self.metrics = metrics
    self.reports = reports
    self.limiter = limiter
    self.deviceCounts = deviceCounts
    self.waits = waits
  }

  // MARK: Life

  /// Connects to the database, and returns when it has answered a first look-up.
  func open(conninfo: String) async throws(StoreError) {
    var limits = PostgresPool.Limits()
    limits.connections = configuration.databaseConnectionsPerLoop
    limits.worksPerBatch = configuration.batchSize
    let pool = PostgresPool(
      loop: loop, conninfo: conninfo, limits: limits,
      usesPreparedStatements: configuration.preparesStatements)
    pool.start()
    let store = Store(pool: pool)
    let policies = PolicyCache()
    let signer = TokenSigner(store: store, masterKeys: configuration.masterKeys, logger: logger)
    parts = Parts(
      pool: pool, authenticator: Authenticator(store: store, signer: signer),
      limits: LimitBook(store: store), signer: signer,
      sync: SyncService(
        store: store, policies: policies, zones: zones, makeDeviceID: Self.makeDeviceID,
        note: metrics.devices.note),
      plan: PlanService(store: store, policies: policies, zones: zones, note: metrics.devices.note),
      queue: QueueService(store: store, policies: policies, zones: zones),
      policy: PolicyService(store: store), preview: PreviewService(store: store, zones: zones),
      devices: DeviceService(store: store), priming: PrimingService(store: store, policies: policies),
      inbox: InboxService(store: store), answers: IdempotencyService(store: store),
      gzip: Gzip())
    _ = try await store.key(id: "")
  }

  private static func makeDeviceID() -> DeviceID {
    var random = SecureRandom()
    return DeviceID(.make(random: (random.next(), random.next())))
  }

  /// Opens the public listener; returns its port. Without a credential it speaks plain HTTP.
  ///
  /// - Parameter sharesPort: whether another worker listens on it.
  func listen(port: UInt16, sharesPort: Bool, credential: TLSCredential?) throws -> UInt16 {
    var http = HTTPServer.Configuration()
    http.address = configuration.listen.host
    http.port = port
    http.sharesPort = sharesPort
    http.credential = credential
    let server = try HTTPServer(loop: loop, configuration: http, handler: self)
    self.server = server
    return server.port
  }

  /// What is remembered of keys is read anew.
  func forgetCredentials() { parts?.authenticator.forget() }

  func use(_ credential: TLSCredential) { server?.use(credential) }

  var isDatabaseReady: Bool { parts?.pool.isReady ?? false }

  /// Stops accepting, finishes what is running, closes the database connections.
  func close() async {
    waits.drain()
    await server?.drain(grace: configuration.drainGrace)
    server = nil
    await parts?.pool.close()
    parts = nil
  }

  // MARK: Requests

  func bodyLimit(method: String, path: String) -> Int {
    Endpoint.bodyLimit(method: method, path: path)
  }

  func respond(to request: HTTPRequest) async -> HTTPResponse {
    var exchange = Exchange(request, clock: clock)
    var response: HTTPResponse
    var verdict = RateVerdict()
    do {
      try exchange.findClient(behind: configuration.proxies)
      response = try await answer(exchange, &verdict)
    } catch {
      response = exchange.response(to: error)
      if error.status >= 500 { report(error, exchange) }
    }
    verdict.add(to: &response)
    if (200...299).contains(response.status), let pool = parts?.pool, pool.isBusy {
      response.headers.append(("Backoff", Self.backoff(exchange.startedAt)))
    }
    let nanoseconds = exchange.finish(&response)
    metrics.note(status: response.status, nanoseconds: nanoseconds)
    return response
  }

  func respond(to refusal: HTTPRefusal) -> HTTPResponse {
    Problem(refusal).response(requestID: Exchange.makeRequestID())
  }

  /// Parse, authenticate, check the scope and the rate, dispatch.
  ///
  /// - Parameter verdict: what the rates say, whatever becomes of the request.
  private func answer(
    _ exchange: Exchange, _ verdict: inout RateVerdict
  ) async throws(Problem) -> HTTPResponse {
    let request = exchange.request
    let route: Route
    do {
      route = try Route(method: request.method, path: request.path, query: request.query)
    } catch {
      // Which endpoints there are is no secret. What is wrong with a parameter is told to those who may ask.
      if error.status == 400 { _ = try await principal(of: exchange) }
      throw error
    }
    if route == .getOpenAPI { return OpenAPIDocument.response }
    guard route.endpoint.listener != .admin else { throw .noSuchRoute }
    let principal = try await principal(of: exchange)
    try principal.check(may: route)
    let terms = try await terms(of: principal.tenant, exchange)
    verdict = limiter.take(
      terms.limits, tenant: principal.tenant, device: route.device, now: exchange.startedAt)
    if let refusal = verdict.refusal { throw refused(refusal) }
    if reportHints.note(principal.tenant, now: exchange.now) { reports.look(at: principal.tenant) }
    try await checkUser(of: principal, for: route)
    if route.endpoint.bodyLimit > 0 { try exchange.checkContentType() }
    let call = Call(
      exchange: exchange, principal: principal, terms: terms,
      quotas: quotas(terms.limits, of: principal.tenant))
    // Whatever became of a write that failed, looking again is harmless.
    defer { noteWrite(route, call.tenant) }
    guard let key = try call.idempotencyKey(for: route) else { return try await dispatch(route, call) }
    return try await once(route, call, key)
  }

  /// Seconds, spread so that those who are told do not come back together.
  private static func backoff(_ chance: UInt64) -> String { "\(10 + chance / 1_000 % 21)" }

  private func principal(of exchange: Exchange) async throws(Problem) -> Principal {
    try await principal(of: exchange, now: exchange.now, monotonic: exchange.startedAt)
  }

  private func principal(
    of exchange: Exchange, now: Instant, monotonic: UInt64
  ) async throws(Problem) -> Principal {
    do {
      return try await parts.authenticator.principal(
        authorization: exchange.request.headers["Authorization"], now: now, monotonic: monotonic)
    } catch {
      throw Problem(error)
    }
  }

  /// A report says itself who is there; its use case looks at it.
  private func checkUser(of principal: Principal, for route: Route) async throws(Problem) {
    guard let user = principal.user, let device = route.device, route.endpoint != .syncDevice else { return }
    try await serving { () async throws(ServiceError) in
      try await parts.devices.check(user, isOn: device, tenant: principal.tenant)
    }
  }

  /// Whoever waits may have lost the right to an answer meanwhile: the key is revoked, the token over, the tenant
  /// suspended, or somebody else has signed in.
  func checkAgain(_ call: Call, for route: Route) async throws(Problem) {
    let principal = try await principal(of: call.exchange, now: clock.now(), monotonic: clock.monotonic())
    try principal.check(may: route)
    try await checkUser(of: principal, for: route)
  }

  /// What failed on our side is logged; what the client did wrong is told to the client alone.
  private func report(_ problem: Problem, _ exchange: Exchange) {
    logger.warning(
      "request failed",
      [
        "code": .string(problem.code.rawValue), "method": .string(exchange.request.method),
        "path": .string(exchange.request.path), "requestId": .string(exchange.requestID),
        "client": .string(exchange.client?.description ?? ""),
      ])
  }

  func dispatch(_ route: Route, _ call: Call) async throws(Problem) -> HTTPResponse {
    switch route {
    case .syncDevice(let device):
      try await parts.sync.respond(to: call, device: device, signer: parts.signer)
    case .mintDeviceToken(let device):
      try await parts.signer.respond(to: call, device: device, answers: parts.answers)
    case .getPlan(let device, let seconds): try await plan(call, device: device, wait: seconds, route: route)
    case .explainPlan(let device, let notification):
      try await parts.plan.explain(call, device: device, notification: notification)
    case .decidePriming(let device): try await parts.priming.respond(to: call, device: device)
    case .getInbox(let device, let page, let state):
      try await parts.inbox.list(call, device: device, page: page, state: state, route: route)
    case .markInbox(let device, let mark): try await parts.inbox.mark(call, device: device, mark)
    case .putNotification(let device, let id): try await parts.queue.put(call, device: device, id: id)
    case .getNotification(let device, let id): try await parts.queue.show(call, device: device, id: id)
    case .deleteNotification(let device, let id): try await parts.queue.delete(call, device: device, id: id)
    case .listNotifications(let device, let page):
      try await parts.queue.list(call, device: device, page: page, route: route)
    case .batchNotifications: try await batch(call)
    case .getPolicy(let version): try await parts.policy.show(call, version: version)
    case .putPolicy: try await parts.policy.put(call)
    case .listPolicyVersions(let page): try await parts.policy.list(call, page: page, route: route)
    case .previewPolicy: try await parts.preview.respond(to: call)
    case .getReport(let kind, let query): try await reports.respond(to: call, kind, query)
    case .listDevices(let page): try await parts.devices.list(call, page: page, route: route)
    case .getDevice(let device): try await parts.devices.show(call, device: device)
    case .eraseDevice(let device): try await parts.devices.erase(call, device: device)
    case .listDeviceChanges(let device, let page):
      try await parts.devices.listChanges(call, device: device, page: page, route: route)
    case .listDeliveries(let device, let page):
      try await parts.devices.listDeliveries(call, device: device, page: page, route: route)
    default: throw .noSuchRoute
    }
  }
}
