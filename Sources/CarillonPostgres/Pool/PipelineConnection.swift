import CPostgres
import CarillonEventLoop

/// Who is told how a pipeline's batches end. Called on the loop.
protocol PipelineDelegate: AnyObject {
  typealias Batch = [PoolState<PendingWork>.Entry]

  func pipelineDidOpen(_ slot: Int)
  func pipelineDidCommit(_ slot: Int, _ batch: Batch)
  /// Rolled back, and ready for the next one. `culprit` is the member whose statement failed; nil when it was
  /// the COMMIT.
  func pipelineDidFail(_ slot: Int, _ batch: Batch, culprit: Int?, _ error: PostgresError)
  /// The connection is gone, with `batch` in flight or none.
  func pipelineDidBreak(_ slot: Int, _ batch: Batch, _ message: String)
}

/// One connection of a pool: sends a batch as one transaction in one write, and settles it at the sync point,
/// when its COMMIT has been answered. Confined to its loop.
final class PipelineConnection {
  /// What the next result belongs to.
  private enum Expectation {
    case prepare(Int, member: Int?)
    /// BEGIN, SET LOCAL, ROLLBACK: only a failure counts.
    case control(Int?)
    /// The statement of a member of the batch, under a prepared name or none.
    case statement(member: Int, prepared: Int?)
    case commit
    case sync

    var member: Int? {
      switch self {
      case .statement(let member, _): member
      case .prepare(_, let member): member
      default: nil
      }
    }
  }

  private static let begin = Statement.Source(name: "BEGIN", sql: "BEGIN")
  private static let commit = Statement.Source(name: "COMMIT", sql: "COMMIT")
  private static let rollback = Statement.Source(name: "ROLLBACK", sql: "ROLLBACK")

  private let slot: Int
  private let loop: EventLoop
  private let conninfo: String
  private let limits: PostgresPool.Limits
  /// Nil where a pooler between us and the server makes named statements unsafe.
  private let names: StatementNames?
  private unowned let delegate: any PipelineDelegate

  private var link: Link?
  private var prepared = PreparedStatements()
  private var batch: PipelineDelegate.Batch = []
  private var expected: [Expectation] = []
  private var head = 0
  private var failure: PostgresError?
  private var culprit: Int?
  private var isCommitted = false
  private var isRollingBack = false
  private var deadline: TimerToken?

  init(
    slot: Int, loop: EventLoop, conninfo: String, limits: PostgresPool.Limits, names: StatementNames?,
    delegate: any PipelineDelegate
  ) {
    self.slot = slot
    self.loop = loop
    self.conninfo = conninfo
    self.limits = limits
    self.names = names
    self.delegate = delegate
  }

  deinit {
    // Off its loop the loop has ended, and the link goes with the loop.
    if loop.isCurrent { link?.close() }
  }

  func open() {
    prepared = PreparedStatements()
    link = Link(conninfo, on: loop, within: limits.connectWithin, delegate: self)
  }

  func close() {
    link?.close()
    link = nil
    stopClock()
  }

  // MARK: Sending

  /// Sends a batch; the connection must be idle.
  func send(_ batch: PipelineDelegate.Batch) {
    precondition(self.batch.isEmpty, "a connection has one batch in flight")
    self.batch = batch
    failure = nil
    culprit = nil
    isCommitted = false
    deadline = loop.schedule(after: limits.answerWithin) { [weak self] in
      self?.link?.fail("no answer in time")
    }
    guard let handle = link?.handle, put(batch, into: handle) else {
      link?.fail()
      return
    }
    link?.flush()
  }

  private func put(_ batch: PipelineDelegate.Batch, into handle: ConnectionHandle) -> Bool {
    guard put(Statement(Self.begin), into: handle, { .control($0) }) else { return false }
    var scope: Work.Scope?
    for (index, entry) in batch.enumerated() {
      let work = entry.member.work
      entry.member.begin()
      if work.scope != scope {
        guard set(work.scope, instead: scope, on: handle) else { return false }
        scope = work.scope
      }
      for statement in work.statements {
        guard put(statement, into: handle, { .statement(member: index, prepared: $0) }) else { return false }
      }
    }
    return put(Statement(Self.commit), into: handle, { _ in .commit }) && sync(handle)
  }

  /// SET takes no parameters, so it is never prepared. A setting that the next scope does not make is emptied.
  private func set(_ scope: Work.Scope?, instead old: Work.Scope?, on handle: ConnectionHandle) -> Bool {
    if let old, old.setting != scope?.setting {
      expected.append(.control(nil))
      guard handle.execute(sql: "SET LOCAL \(old.setting) = ''", Parameters()) else { return false }
    }
    guard let scope else { return true }
    expected.append(.control(nil))
    return handle.execute(sql: "SET LOCAL \(scope.setting) = '\(scope.uncheckedValue)'", Parameters())
  }

  private func put(
    _ statement: Statement, into handle: ConnectionHandle, _ expectation: (Int?) -> Expectation
  ) -> Bool {
    guard let names else {
      expected.append(expectation(nil))
      return handle.execute(sql: statement.source.sql, statement.parameters)
    }
    let number = names.number(of: statement.source)
    return prepared.use(number) { name, mustPrepare in
      if mustPrepare {
        expected.append(.prepare(number, member: expectation(number).member))
        guard handle.prepare(name, statement.source.sql, statement.parameters) else { return false }
      }
      expected.append(expectation(number))
      return handle.execute(name, statement.parameters)
    }
  }

  private func sync(_ handle: ConnectionHandle) -> Bool {
    expected.append(.sync)
    return handle.sync()
  }

  // MARK: Receiving

  private func receive(_ handle: ConnectionHandle) {
    var endsInARow = 0
    while head < expected.count, link != nil {
      switch handle.nextResult() {
      case .nothing: return
      case .end:
        // One after each statement. More than that is a connection that is gone.
        endsInARow += 1
        if endsInARow > 1 { return link?.fail() ?? () }
      case .result(let result, let status):
        endsInARow = 0
        let expectation = expected[head]
        head += 1
        take(result, status, for: expectation)
        if case .sync = expectation { settle(handle) }
      }
    }
  }

  /// Takes over `result`.
  private func take(_ result: OpaquePointer, _ status: ExecStatusType, for expectation: Expectation) {
    let succeeded =
      status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY
      || status == PGRES_PIPELINE_SYNC
    if case .prepare(let number, _) = expectation { prepared.didPrepare(number, succeeded) }
    if succeeded, case .statement(let member, _) = expectation {
      batch[member].member.append(Rows(owning: result))
      return
    }
    defer { PQclear(result) }
    if succeeded {
      if case .commit = expectation { isCommitted = String(cString: PQcmdStatus(result)) == "COMMIT" }
      return
    }
    // What follows the first failure is skipped by the server and says nothing of its own.
    guard status != PGRES_PIPELINE_ABORTED, failure == nil else { return }
    let error = PostgresError(.refused, result: result)
    switch expectation {
    case .control(let number?), .statement(_, let number?): prepared.didFail(number, sqlState: error.sqlState)
    default: break
    }
    failure = error
    culprit = expectation.member
  }

  /// At the sync point: all of the batch is durable, or nothing of it is left.
  private func settle(_ handle: ConnectionHandle) {
    expected.removeAll(keepingCapacity: true)
    head = 0
    if failure == nil && isCommitted {
      stopClock()
      delegate.pipelineDidCommit(slot, takeBatch())
      return
    }
    let error =
      failure
      ?? PostgresError(
        code: .refused, sqlState: "25P02", debugMessage: "COMMIT was answered with ROLLBACK")
    failure = error
    if handle.isInTransaction && !isRollingBack {
      isRollingBack = true
      let isSent = put(Statement(Self.rollback), into: handle) { .control($0) } && sync(handle)
      if isSent { link?.flush() } else { link?.fail() }
      return
    }
    isRollingBack = false
    stopClock()
    delegate.pipelineDidFail(slot, takeBatch(), culprit: culprit, error)
  }

  private func takeBatch() -> PipelineDelegate.Batch {
    let taken = batch
    batch = []
    return taken
  }

  private func stopClock() {
    if let deadline { loop.cancel(deadline) }
    deadline = nil
  }
}

extension PipelineConnection: LinkDelegate {
  func linkDidOpen() {
    guard let handle = link?.handle, handle.enterPipeline() else { return link?.fail() ?? () }
    delegate.pipelineDidOpen(slot)
  }

  func linkDidReceive() {
    if let handle = link?.handle { receive(handle) }
  }

  func linkDidFail(_ message: String) {
    link = nil
    stopClock()
    expected.removeAll(keepingCapacity: true)
    head = 0
    isRollingBack = false
    delegate.pipelineDidBreak(slot, takeBatch(), message)
  }
}
