import CarillonEventLoop

extension LocalCluster {
  /// Makes a database unless there is one of that name. Harmless when two do it at once.
  ///
  /// - Parameter name: a plain identifier; the caller's own word, since it is spliced into SQL.
  public func ensureDatabase(_ name: String, on loop: EventLoop) async throws {
    precondition(
      name.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 },
      "a database of ours is named with a...z, 0...9 and _")
    let connection = try await PostgresConnection.connect(
      conninfo(role: "postgres", database: "postgres"), on: loop)
    defer { connection.close() }
    do throws(PostgresError) {
      _ = try await connection.run(sql: "CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'UTF8'")
    } catch {
      // duplicate_database; the unique violation is what the loser of a race sees.
      guard ["42P04", "23505"].contains(error.sqlState) else { throw error }
    }
  }
}
