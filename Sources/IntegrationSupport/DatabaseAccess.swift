import CarillonPostgres
import CarillonStore
import TestSupport

/// Runs `body` with an operator's store on a connection of its own.
///
/// - Parameter conninfo: as `carillon_operator`.
public func withOperator<R: Sendable>(
  _ conninfo: String, _ body: @Sendable (OperatorStore) async throws -> R
) async throws -> R {
  try await withLoop { loop in
    let connection = try await PostgresConnection.connect(conninfo, on: loop)
    defer { connection.close() }
    return try await body(OperatorStore(connection: connection))
  }
}

extension MigratedDatabase {
  /// The first column of what a statement answers, as text; past row security.
  public func column(_ sql: String) async throws -> [String?] {
    let conninfo = superuserConninfo
    return try await withLoop { loop in
      let connection = try await PostgresConnection.connect(conninfo, on: loop)
      defer { connection.close() }
      let rows = try await connection.run(sql: sql)
      return (0..<rows.count).map { rows.isNull($0, 0) ? nil : rows.text($0, 0) }
    }
  }
}
