import CarillonEventLoop
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
  private var keeper: KeeperLoop!
  private var retention: Retention!

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
    keeper = KeeperLoop(
      on: loop, conninfo: conninfo, connections: 1, preparesStatements: preparesStatements)
    retention = Retention(store: RetentionStore(Store(pool: keeper.pool)), now: clock.now)
    keeper.begin { await self.run() }
  }

  /// Ends the round that runs, between two statements, and closes the connection.
  func close() async { await keeper?.close() }

  private func run() async {
    do throws(ServiceError) {
      metrics.note(try await retention.run(isStopped: { keeper.isClosed }))
    } catch {
      if !keeper.isClosed {
        metrics.noteFailure()
        logger.warning("tidying up failed", ["reason": .string("\(error)")])
      }
    }
    keeper.begin(after: .seconds(Self.secondsBetweenRounds)) { [weak self] in await self?.run() }
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
