/// What went wrong with the database. The ordinary print carries no SQL, no values and no names of rows: it is
/// safe for logs and clients.
public struct PostgresError: Error, Sendable {
  public enum Code: String, Sendable {
    /// No connection could be had in time; nothing was sent.
    case unavailable
    /// More work waits than the pool's limit; nothing was sent.
    case overloaded
    /// The connection went down with the work in flight: it may or may not have been committed.
    case connectionLost
    /// The server refused the statement; see ``PostgresError/sqlState``. Nothing was changed.
    case refused
    /// The pool or connection is closed.
    case closed
  }

  public let code: Code
  /// Five characters, e.g. `23505`; nil when the server said nothing.
  public let sqlState: String?
  /// The constraint that was violated, when the server named one.
  public let constraint: String?
  /// The server's own words, for debugging only.
  public let debugMessage: String

  public init(code: Code, sqlState: String? = nil, constraint: String? = nil, debugMessage: String = "") {
    self.code = code
    self.sqlState = sqlState
    self.constraint = constraint
    self.debugMessage = debugMessage
  }
}
