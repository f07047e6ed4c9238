import CarillonEventLoop

/// The few connections of one event loop, shared by all its requests. Confined to its loop.
///
/// While every connection has work in flight, arriving works collect; when one is free, up to
/// ``Limits/worksPerBatch`` leave together as one transaction, one of each scope in turn: a scope that asks for much
/// holds up the others by little. When one fails, all are rolled back: it runs again
/// alone, and the others without it.
public final class PostgresPool {
  public struct Limits: Sendable {
    public var connections = 2
    /// 1 gives each work a transaction of its own.
    public var worksPerBatch = 64
    /// Works that wait beyond this fail with `.overloaded`.
    public var waitingWorks = 4_096
    /// The same of those of one scope, so that none takes all the room.
    public var waitingWorksPerScope = 2_048
    /// A work that would wait longer than this for its turn fails with `.overloaded` at once.
    public var waitForBatch = Duration.milliseconds(15)
    /// How long a work waits while no connection is up, before it fails with `.unavailable`.
    public var waitForConnection = Duration.seconds(2)
    /// How long one attempt to connect may take.
    public var connectWithin = Duration.seconds(5)
    /// A server that has not answered a batch by then is given up: its works fail with `.connectionLost`.
    public var answerWithin = Duration.seconds(30)
    public init() {}
  }

  private let loop: EventLoop
  private let random: () -> UInt64
  private let clockStart = ContinuousClock.now
  private var connections: [PipelineConnection] = []
  private var state: PoolState<PendingWork>
  private var lastID: UInt64 = 0
  private var hook: HookToken?
  private var expiry: TimerToken?
  private var reconnects: [Int: TimerToken] = [:]
  private var closers: [UnsafeContinuation<Void, Never>] = []
  private var isClosed = false

  /// - Parameters:
  ///   - usesPreparedStatements: false behind a pooler in transaction mode (pgbouncer), where a name may mean
  ///     another client's statement.
  ///   - random: spreads attempts to reconnect.
  public init(
    loop: EventLoop, conninfo: String, limits: Limits = Limits(), usesPreparedStatements: Bool = true,
    random: @escaping () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) {
    self.loop = loop
    self.random = random
    self.state = PoolState(limits: limits, now: .zero)
    let names = usesPreparedStatements ? StatementNames() : nil
    connections = (0..<limits.connections).map { slot in
      PipelineConnection(
        slot: slot, loop: loop, conninfo: conninfo, limits: limits, names: names, delegate: self)
    }
  }

  deinit {
    guard loop.isCurrent else { return }
    stop()
  }

  /// Starts connecting; works may be submitted at once. Call once, on the loop.
  public func start() {
    precondition(hook == nil && !isClosed, "a pool starts once")
    hook = loop.beforeWaiting { [weak self] in
      self?.dispatch()
      return false
    }
    for connection in connections { connection.open() }
  }

  /// Returns when all works at hand are done and the connections are closed. Works submitted from now on fail
  /// with `.closed`. Idempotent.
  public func close() async {
    loop.preconditionOnLoop()
    state.close()
    finishIfDone()
    guard !isClosed else { return }
    await withUnsafeContinuation { closers.append($0) }
  }

  /// Whether at least one connection is up.
  public var isReady: Bool { state.isUp && !isClosed }

  /// Whether a new work would wait for more than half of the time beyond which it is refused: time to ask those for
  /// patience who are served.
  public var isBusy: Bool { state.isBusy }

  /// Works that have not been sent yet.
  public var waitingWorks: Int { state.waitingCount }

  /// Runs one work; returns its rows, one element a statement, once the commit is durable.
  ///
  /// A work that is cancelled before it is sent fails with `.cancelled`; after that it runs to its end. Throws
  /// every code of ``PostgresError``.
  public func run(_ work: Work) async throws(PostgresError) -> [Rows] {
    loop.preconditionOnLoop()
    precondition(hook != nil || isClosed, "the pool has not been started")
    if Task.isCancelled { throw PostgresError(code: .cancelled) }
    lastID += 1
    let id = lastID
    let confined = ConfinedPool(pool: self)
    let outcome = await withTaskCancellationHandler {
      await withUnsafeContinuation {
        (continuation: UnsafeContinuation<Result<[Rows], PostgresError>, Never>) in
        submit(PendingWork(work, continuation), id: id)
      }
    } onCancel: {
      confined.cancel(id)
    }
    return try outcome.get()
  }

  /// A pool in the hands of whoever cancels a task.
  private struct ConfinedPool: @unchecked Sendable {
    // Unchecked: the pool is touched by a job of its loop only.
    let pool: PostgresPool

    func cancel(_ id: UInt64) {
      let loop = pool.loop
      Task(executorPreference: loop) { self.pool.cancel(id) }
    }
  }

  private func submit(_ pending: PendingWork, id: UInt64) {
    switch state.submit(pending, id: id, flow: pending.work.flow, now: now) {
    case .accepted: scheduleExpiry()
    case .overloaded: pending.fail(PostgresError(code: .overloaded))
    case .closed: pending.fail(PostgresError(code: .closed))
    }
  }

  private func cancel(_ id: UInt64) {
    state.cancel(id)?.member.fail(PostgresError(code: .cancelled))
    finishIfDone()
  }

  private func dispatch() {
    while let (slot, taken) = state.takeBatch(now: now) {
      connections[slot].send(
        taken.count == 1 ? taken : taken.sorted { $0.member.work.precedes($1.member.work) })
    }
  }

  // MARK: Time

  private var now: Duration { ContinuousClock.now - clockStart }

  private func scheduleExpiry() {
    guard expiry == nil, let time = state.nextExpiry else { return }
    expiry = loop.schedule(after: time - now) { [weak self] in self?.expire() }
  }

  private func expire() {
    expiry = nil
    for entry in state.expire(now: now) { entry.member.fail(PostgresError(code: .unavailable)) }
    scheduleExpiry()
    finishIfDone()
  }

  private func reconnect(_ slot: Int, after delay: Duration) {
    reconnects[slot] = loop.schedule(after: delay) { [weak self] in
      guard let self, !self.isClosed else { return }
      self.reconnects[slot] = nil
      self.connections[slot].open()
    }
  }

  // MARK: The end

  private func finishIfDone() {
    guard state.isFinished, !isClosed else { return }
    isClosed = true
    stop()
    let waiting = closers
    closers = []
    for closer in waiting { closer.resume() }
  }

  private func stop() {
    if let hook { loop.removeHook(hook) }
    if let expiry { loop.cancel(expiry) }
    for timer in reconnects.values { loop.cancel(timer) }
    for connection in connections { connection.close() }
  }
}

extension PostgresPool: PipelineDelegate {
  func pipelineDidOpen(_ slot: Int) { state.didConnect(slot) }

  func pipelineDidCommit(_ slot: Int, _ batch: Batch) {
    state.didCommit(slot, now: now)
    for entry in batch { entry.member.succeed() }
    finishIfDone()
  }

  func pipelineDidFail(_ slot: Int, _ batch: Batch, culprit: Int?, _ error: PostgresError) {
    for entry in state.didFail(slot, batch, culprit: culprit, sqlState: error.sqlState) {
      entry.member.fail(error)
    }
    finishIfDone()
  }

  func pipelineDidBreak(_ slot: Int, _ batch: Batch, _ message: String) {
    let delay = state.didBreak(slot, now: now, random: random())
    for entry in batch {
      entry.member.fail(PostgresError(code: .connectionLost, debugMessage: message))
    }
    reconnect(slot, after: delay)
    scheduleExpiry()
    finishIfDone()
  }
}
