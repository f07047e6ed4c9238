import CPostgres
import CarillonEventLoop

/// One connection for work that needs a conversation: migrations, operator commands, tests. Confined to its loop,
/// and used by one task at a time.
public final class PostgresConnection {
  /// How long opening may take.
  public static let connectLimit = Duration.seconds(10)

  private enum State {
    case opening(UnsafeContinuation<PostgresError?, Never>)
    case idle
    case running(UnsafeContinuation<Result<Rows, PostgresError>, Never>, Result<Rows, PostgresError>?)
    case closed(PostgresError)
  }

  /// Called on the loop for what other sessions announce on the channels this one listens to (`LISTEN`).
  public var onNotification: ((DatabaseNotification) -> Void)?

  private let loop: EventLoop
  private var link: Link?
  private var waiters: [UnsafeContinuation<Void, Never>] = []
  private var state = State.closed(PostgresError(code: .closed))

  private init(loop: EventLoop) { self.loop = loop }

  deinit {
    // Off its loop the loop has ended, and the link goes with the loop.
    if loop.isCurrent { link?.close() }
  }

  /// Opens a connection; must be called on `loop`. A host name is looked up with a blocking call, so give an
  /// address (`hostaddr`) or a socket folder where that matters. Throws `.unavailable`.
  public static func connect(_ conninfo: String, on loop: EventLoop) async throws(PostgresError)
    -> PostgresConnection
  {
    loop.preconditionOnLoop()
    let connection = PostgresConnection(loop: loop)
    let failure = await withUnsafeContinuation { (continuation: UnsafeContinuation<PostgresError?, Never>) in
      connection.state = .opening(continuation)
      connection.link = Link(conninfo, on: loop, within: connectLimit, delegate: connection)
    }
    if let failure { throw failure }
    return connection
  }

  /// Runs one statement in its own implicit transaction, or in the open one.
  public func run(_ statement: Statement) async throws(PostgresError) -> Rows {
    try await run(sql: statement.source.sql, statement.parameters)
  }

  /// Runs one statement without parameters.
  public func run(sql: String) async throws(PostgresError) -> Rows { try await run(sql: sql, Parameters()) }

  private func run(sql: String, _ parameters: Parameters) async throws(PostgresError) -> Rows {
    loop.preconditionOnLoop()
    let result = await withUnsafeContinuation {
      (continuation: UnsafeContinuation<Result<Rows, PostgresError>, Never>) in
      switch state {
      case .closed(let error): continuation.resume(returning: .failure(error))
      case .opening, .running: preconditionFailure("a connection runs one statement at a time")
      case .idle:
        state = .running(continuation, nil)
        if link?.handle?.execute(sql: sql, parameters) == true {
          link?.flush()
        } else {
          link?.fail()
        }
      }
    }
    return try result.get()
  }

  /// BEGIN, `body`, COMMIT; ROLLBACK when `body` throws. Throws `.refused` when the server rolled back instead
  /// of committing.
  public func transaction<R>(_ body: () async throws -> R) async throws -> R {
    _ = try await run(sql: "BEGIN")
    let value: R
    do {
      value = try await body()
    } catch {
      // The body's error tells more than one about a connection that is gone too.
      _ = try? await run(sql: "ROLLBACK")
      throw error
    }
    let tag = try await run(sql: "COMMIT").commandTag
    guard tag == "COMMIT" else {
      throw PostgresError(code: .refused, sqlState: "25P02", debugMessage: "COMMIT was answered with \(tag)")
    }
    return value
  }

  /// Whether BEGIN has been run and neither COMMIT nor ROLLBACK since.
  public var isInTransaction: Bool { link?.handle?.isInTransaction ?? false }

  /// Returns when the connection is closed, by us or by whatever happens to it.
  public func waitUntilClosed() async {
    if case .closed = state { return }
    await withUnsafeContinuation { waiters.append($0) }
  }

  /// Idempotent. A statement in flight fails with `.closed`.
  public func close() {
    guard let link else { return }
    self.link = nil
    link.close()
    end(PostgresError(code: .closed))
  }

  private func end(_ error: PostgresError) {
    let ended = state
    state = .closed(error)
    switch ended {
    case .opening(let continuation): continuation.resume(returning: error)
    case .running(let continuation, let outcome): continuation.resume(returning: outcome ?? .failure(error))
    case .idle, .closed: break
    }
    let waiters = waiters
    self.waiters = []
    for waiter in waiters { waiter.resume() }
  }
}

extension PostgresConnection: LinkDelegate {
  func linkDidOpen() {
    guard case .opening(let continuation) = state else { return }
    state = .idle
    continuation.resume(returning: nil)
  }

  func linkDidReceive() {
    takeResults()
    while let notification = link?.handle?.nextNotification() { onNotification?(notification) }
  }

  private func takeResults() {
    while case .running(let continuation, let outcome) = state, let handle = link?.handle {
      switch handle.nextResult() {
      case .nothing: return
      case .end:
        // A connection that is gone ends every statement; `linkDidFail` follows.
        if handle.isBroken { return }
        state = .idle
        continuation.resume(
          returning: outcome ?? .failure(PostgresError(code: .refused, debugMessage: "no result")))
      case .result(let result, let status):
        state = .running(continuation, Self.outcome(of: result, status))
        if status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH {
          return link?.fail("COPY is not supported") ?? ()
        }
      }
    }
  }

  func linkDidFail(_ message: String) {
    link = nil
    if case .opening = state {
      end(PostgresError(code: .unavailable, debugMessage: message))
    } else if case .running(let continuation, _) = state {
      // Whatever came before the loss, nobody promised that it was committed.
      state = .running(continuation, nil)
      end(PostgresError(code: .connectionLost, debugMessage: message))
    } else {
      end(PostgresError(code: .connectionLost, debugMessage: message))
    }
  }

  private static func outcome(of result: OpaquePointer, _ status: ExecStatusType) -> Result<
    Rows, PostgresError
  > {
    switch status {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return .success(Rows(owning: result))
    default:
      defer { PQclear(result) }
      return .failure(PostgresError(.refused, result: result))
    }
  }
}
