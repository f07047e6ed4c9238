import CarillonAPI
import CarillonCrypto
import CarillonEventLoop
import CarillonModel
import CarillonService
import CarillonStore
import CarillonTelemetry

/// Counts and answers reports, on a loop and connections of its own: no sync waits for them.
///
/// A tenant's days are counted when one of its requests comes in after they have ended: who is heard of nothing from
/// has nothing new to be counted. So there is no list of tenants to go through, and row security holds here too.
actor ReportKeeper {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let conninfo: String
  private let preparesStatements: Bool
  private let clock: ServerClock
  private let logger: Logger
  private let metrics: ReportMetrics
  // Made on the loop by `open`, since that is where they live.
  private var parts: Parts!
  private var rounds = ReportRounds()

  private struct Parts {
    let keeper: KeeperLoop
    let service: ReportService
    let rollUp: ReportRollUp
    let store: Store
  }

  init(
    loop: EventLoop, conninfo: String, preparesStatements: Bool, clock: ServerClock, logger: Logger,
    metrics: ReportMetrics
  ) {
    self.loop = loop
    self.conninfo = conninfo
    self.preparesStatements = preparesStatements
    self.clock = clock
    self.logger = logger
    self.metrics = metrics
  }

  /// Starts connecting.
  func open() {
    let keeper = KeeperLoop(
      on: loop, conninfo: conninfo, connections: 2, preparesStatements: preparesStatements)
    let wholeStore = Store(pool: keeper.pool)
    let store = ReportStore(wholeStore)
    var random = SecureRandom()
    let holder = UUID128.make(random: (random.next(), random.next()))
    parts = Parts(
      keeper: keeper, service: ReportService(store: store),
      rollUp: ReportRollUp(store: store, holder: holder, now: clock.now), store: wholeStore)
  }

  /// Ends the round that runs, between two parts, and closes the connections.
  func close() async { await parts?.keeper.close() }

  private var isClosed: Bool { parts?.keeper.isClosed ?? true }

  /// The report's JSON.
  func report(
    _ kind: Route.ReportKind, _ query: ReportQuery, period: ClosedRange<CivilDate>, tenant: TenantID
  ) async throws(ServiceError) -> [UInt8] {
    try await parts.service.report(kind, query, period: period, tenant: tenant, now: clock.now()).json
  }

  /// Returns at once; `then` is called later, with nil where the database could not tell.
  nonisolated func countDevices(of tenant: TenantID, _ then: @escaping @Sendable (Int?) -> Void) {
    Task(executorPreference: loop) { then(await self.deviceCount(of: tenant)) }
  }

  private func deviceCount(of tenant: TenantID) async -> Int? {
    guard !isClosed, let parts else { return nil }
    return try? await parts.store.deviceCount(tenant: tenant)
  }

  /// Returns at once.
  nonisolated func look(at tenant: TenantID) {
    Task(executorPreference: loop) { await self.begin(tenant) }
  }

  private func begin(_ tenant: TenantID) {
    let now = clock.now()
    guard !isClosed else { return }
    let (isNews, begins) = rounds.ask(for: tenant, now: now)
    if isNews { metrics.noteWaiting(tenant, now: now) }
    guard begins else { return }
    parts.keeper.begin { await self.run() }
  }

  private func run() async {
    while !isClosed, let tenant = rounds.next() {
      do throws(ServiceError) {
        let outcome = try await parts.rollUp.run(tenant: tenant, isStopped: { isClosed })
        rounds.end(tenant, isComplete: outcome.isComplete, now: clock.now())
        metrics.note(tenant, days: outcome.days.count, rows: outcome.rows)
      } catch {
        rounds.end(tenant, isComplete: false, now: clock.now())
        guard !isClosed else { return }
        metrics.noteFailure()
        logger.warning("counting reports failed", ["reason": .string("\(error)")])
      }
    }
  }
}

/// Whose days are to be counted next.
struct ReportRounds {
  /// After a round that failed, or in which others were at it.
  static let secondsBeforeRetry: Int64 = 60
  /// Until the present day is over.
  static let mostSecondsOfRest: Int64 = 86_400
  /// More are not remembered; who is forgotten is looked at again.
  static let mostTenants = 100_000

  private var rests: [TenantID: Instant] = [:]
  private var waiting: [TenantID] = []
  private var isRunning = false

  /// Whether the tenant now waits, and whether to begin taking tenants from ``next()``: nobody takes any yet.
  mutating func ask(for tenant: TenantID, now: Instant) -> (isNews: Bool, begins: Bool) {
    // A longer rest was given by a clock that was ahead.
    if let rest = rests[tenant], now < rest, rest <= now.adding(seconds: Self.mostSecondsOfRest) {
      return (false, false)
    }
    if rests.count >= Self.mostTenants { rests = [:] }
    rests[tenant] = now.adding(seconds: Self.secondsBeforeRetry)
    waiting.append(tenant)
    defer { isRunning = true }
    return (true, !isRunning)
  }

  /// Nil: nobody waits, and whoever asked is done.
  mutating func next() -> TenantID? {
    if waiting.isEmpty {
      isRunning = false
      return nil
    }
    return waiting.removeFirst()
  }

  /// A tenant whose days are all counted rests until the present one is over.
  mutating func end(_ tenant: TenantID, isComplete: Bool, now: Instant) {
    rests[tenant] =
      isComplete ? now.utcDay.adding(days: 1).startInUTC : now.adding(seconds: Self.secondsBeforeRetry)
  }
}

/// Which tenants a worker has told the keeper of lately.
struct ReportHints {
  static let seconds: Int64 = 60
  static let mostTenants = 100_000

  private var rests: [TenantID: Instant] = [:]

  /// Whether to tell the keeper of a tenant's request.
  mutating func note(_ tenant: TenantID, now: Instant) -> Bool {
    if let rest = rests[tenant], now < rest, rest <= now.adding(seconds: Self.seconds) { return false }
    if rests.count >= Self.mostTenants { rests = [:] }
    // A new day is news, however short ago the last hint was.
    rests[tenant] = min(now.adding(seconds: Self.seconds), now.utcDay.adding(days: 1).startInUTC)
    return true
  }
}
