import CarillonEventLoop
import CarillonPostgres

/// What a keeper is made of, who does something now and then beside all requests: a few connections of its own, and one
/// round of work at a time. Confined to its loop, on which no request waits.
final class KeeperLoop {
  let pool: PostgresPool
  private(set) var isClosed = false
  private let loop: EventLoop
  private var round: Task<Void, Never>?
  private var timer: TimerToken?

  /// Starts connecting.
  init(on loop: EventLoop, conninfo: String, connections: Int, preparesStatements: Bool) {
    self.loop = loop
    var limits = PostgresPool.Limits()
    limits.connections = connections
    // A long statement holds up no other one.
    limits.worksPerBatch = 1
    pool = PostgresPool(
      loop: loop, conninfo: conninfo, limits: limits, usesPreparedStatements: preparesStatements)
    pool.start()
  }

  /// Begins a round, unless closed; the one before has come to its end.
  func begin(_ work: @escaping @Sendable () async -> Void) {
    guard !isClosed else { return }
    round = Task(executorPreference: loop) { await work() }
  }

  /// The same after a pause.
  func begin(after pause: Duration, _ work: @escaping @Sendable () async -> Void) {
    guard !isClosed else { return }
    timer = loop.schedule(after: pause) { [weak self] in self?.begin(work) }
  }

  /// Begins no round any more, ends the one that runs between two statements, and closes the connections.
  func close() async {
    isClosed = true
    if let timer { loop.cancel(timer) }
    await pool.close()
    await round?.value
  }
}
