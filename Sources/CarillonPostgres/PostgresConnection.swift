import CarillonEventLoop

/// One connection for work that needs a conversation: migrations, operator commands, tests. Confined to its loop.
public final class PostgresConnection {
  public static func connect(_ conninfo: String, on loop: EventLoop) async throws(PostgresError)
    -> PostgresConnection
  {
    fatalError()
  }

  /// Runs one statement in its own implicit transaction, or in the open one.
  public func run(_ statement: Statement) async throws(PostgresError) -> Rows { fatalError() }

  /// Runs one statement without parameters.
  public func run(sql: String) async throws(PostgresError) -> Rows { fatalError() }

  /// BEGIN, `body`, COMMIT; ROLLBACK when `body` throws.
  public func transaction<R>(_ body: () async throws -> R) async throws -> R { fatalError() }

  public func close() { fatalError() }
}
