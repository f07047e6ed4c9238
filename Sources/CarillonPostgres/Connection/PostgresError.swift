/// What went wrong with the database. The ordinary print carries no SQL, no values and no names of rows: it is
/// safe for logs and clients. The debug print is complete.
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
    /// The pool or connection is closed; nothing was sent.
    case closed
    /// The task was cancelled while its work waited; nothing was sent.
    case cancelled
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

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
  public var description: String {
    let text =
      switch code {
      case .unavailable:
        "PostgreSQL cannot be reached; check that it runs and that the connection string is right"
      case .overloaded: "too much work waits for PostgreSQL; try again later"
      case .connectionLost:
        "the connection to PostgreSQL was lost with the work in flight; its outcome is unknown"
      case .refused: "PostgreSQL refused the statement"
      case .closed: "the connection to PostgreSQL has been closed"
      case .cancelled: "the task was cancelled before its work was sent to PostgreSQL"
      }
    let details = [sqlState.map { "SQLSTATE \($0)" }, constraint.map { "constraint \($0)" }].compactMap(
      \.self)
    return details.isEmpty ? text : "\(text) (\(details.joined(separator: ", ")))"
  }

  public var debugDescription: String {
    debugMessage.isEmpty ? description : "\(description): \(debugMessage)"
  }
}
