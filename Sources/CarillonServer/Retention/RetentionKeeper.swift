import CarillonEventLoop
import CarillonPostgres
import CarillonService
import CarillonStore
import CarillonTelemetry

/// Tidies up once at the start and then once an hour, on the loop of the reports and a connection of its own, as
/// `carillon_worker`.
actor RetentionKeeper {
  /// From the end of one round to the beginning of the next.
  static let secondsBetweenRounds: Int64 = 3_600

  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private let conninfo: String
  private let preparesStatements: Bool
  private let clock: ServerClock
  private let logger: Logger
  private let metrics: RetentionMetrics
  // Made on the loop by `open`, since that is where they live.
  private var pool: PostgresPool!
  private var retention: Retention!
  private var timer: TimerToken?
  private var round: Task<Void, Never>?
  private var isClosed = false

  init(
    loop: EventLoop, conninfo: String, preparesStatements: Bool, clock: ServerClock, logger: Logger,
    metrics: RetentionMetrics
  ) {
    self.loop = loop
    self.conninfo = conninfo
    self.preparesStatements = preparesStatements
    self.clock = clock
    self.logger = logger
    self.metrics = metrics
  }

  /// Starts connecting and the first round.
  func open() {
    var limits = PostgresPool.Limits()
    limits.connections = 1
    limits.worksPerBatch = 1
    pool = PostgresPool(
      loop: loop, conninfo: conninfo, limits: limits, usesPreparedStatements: preparesStatements)
    pool.start()
    retention = Retention(store: RetentionStore(Store(pool: pool)), now: clock.now)
    begin()
  }

  /// Ends the round that runs, between two statements, and closes the connection.
  func close() async {
    isClosed = true
    if let timer { loop.cancel(timer) }
    await pool?.close()
    await round?.value
  }

  private func begin() {
    guard !isClosed else { return }
    round = Task(executorPreference: loop) { await self.run() }
  }

  private func run() async {
    do throws(ServiceError) {
      metrics.note(try await retention.run(isStopped: { isClosed }))
    } catch {
      if !isClosed {
        metrics.noteFailure()
        logger.warning("tidying up failed", ["reason": .string("\(error)")])
      }
    }
    guard !isClosed else { return }
    timer = loop.schedule(after: .seconds(Self.secondsBetweenRounds)) { [weak self] in
      Task { await self?.begin() }
    }
  }
}

/// What rounds of tidying up did.
final class RetentionMetrics: Sendable {
  private let rounds: Counter
  private let failures: Counter
  private let rows: [RetentionTable: Counter]

  init(_ registry: MetricRegistry) {
    rounds = registry.counter(
      "carillon_retention_rounds_total", help: "Rounds of tidying up that went through all tenants.")
    failures = registry.counter(
      "carillon_retention_failures_total",
      help: "Devices, inboxes and whole rounds that could not be tidied up and wait for the next round.")
    rows = Dictionary(
      uniqueKeysWithValues: RetentionTable.allCases.map { table in
        (
          table,
          registry.counter(
            "carillon_retention_rows_total", help: "Rows that were kept long enough and were taken away.",
            labels: ["table": table.rawValue])
        )
      })
  }

  func note(_ outcome: Retention.Outcome) {
    for (table, count) in outcome.rows { rows[table]?.add(UInt64(count)) }
    failures.add(UInt64(outcome.failures))
    if outcome.isComplete { rounds.add() }
  }

  func noteFailure() { failures.add() }
}
