/// Brings a schema to the newest version and back, one statement a message, each migration in a transaction of
/// its own. Two at once wait for each other.
public struct Migrator: Sendable {
  private let schema: String
  private let migrations: [Migration]

  /// - Parameters:
  ///   - schema: where the table `schema_migrations` lives; it is made when absent. A name of lower-case letters,
  ///     digits and underscores.
  ///   - migrations: in any order, each version once.
  public init(schema: String, migrations: [Migration]) {
    precondition(
      !schema.isEmpty
        && schema.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 },
      "not a schema's plain name")
    self.schema = schema
    self.migrations = migrations.sorted { $0.version < $1.version }
    precondition(Set(migrations.map(\.version)).count == migrations.count, "a version is there twice")
  }

  private var table: String { "\(schema).schema_migrations" }

  /// Reads only: where nothing has been applied, all is pending.
  public func status(on connection: PostgresConnection) async throws -> MigrationStatus {
    let tables = try await connection.run(sql: "SELECT to_regclass('\(table)') IS NOT NULL")
    guard tables.bool(0, 0) else { return status(of: [:]) }
    let rows = try await connection.run(
      sql: "SELECT version, name, checksum, applied_at FROM \(table) ORDER BY version")
    var applied: [Int: Applied] = [:]
    for row in 0..<rows.count {
      applied[Int(rows.int(row, 0))] = Applied(
        name: rows.text(row, 1), checksum: rows.text(row, 2), at: rows.timestamptz(row, 3))
    }
    return status(of: applied)
  }

  private struct Applied {
    let name: String
    let checksum: String
    let at: Int64
  }

  private func status(of applied: [Int: Applied]) -> MigrationStatus {
    var entries = migrations.map { migration in
      let found = applied[migration.version]
      let state: MigrationStatus.State =
        found.map { $0.checksum == migration.checksum ? .applied : .changed } ?? .pending
      return MigrationStatus.Entry(
        version: migration.version, name: migration.name, state: state, appliedAt: found?.at)
    }
    let known = Set(migrations.map(\.version))
    for (version, found) in applied where !known.contains(version) {
      entries.append(
        MigrationStatus.Entry(version: version, name: found.name, state: .unknown, appliedAt: found.at))
    }
    return MigrationStatus(entries: entries.sorted { $0.version < $1.version })
  }

  /// Applies what is pending, up to `version` or the newest; returns the versions that this call applied. Throws
  /// ``MigrationError``; what was applied before stays applied.
  public func migrate(on connection: PostgresConnection, to version: Int? = nil) async throws -> [Int] {
    if let version, !migrations.contains(where: { $0.version == version }) {
      throw MigrationError(
        .noSuchVersion, version: version,
        "there is no migration \(version); the newest is \(migrations.last?.version ?? 0)")
    }
    let plans = try migrations.map { ($0, try statements($0, $0.up)) }
    var done: [Int] = []
    while true {
      let next = try await connection.transaction { () -> Int? in
        try await lock(connection)
        let status = try await status(on: connection)
        try check(status)
        guard
          let (migration, statements) = plans.first(where: {
            status.versions(.pending).contains($0.0.version)
          }),
          migration.version <= version ?? .max
        else { return nil }
        if let newest = status.versions(.applied).last, newest > migration.version {
          throw MigrationError(
            .outOfOrder, version: migration.version,
            "migration \(migration.version) is pending although \(newest) has been applied: give it a number "
              + "above \(newest)")
        }
        try await run(statements, of: migration, on: connection)
        var parameters = Parameters()
        parameters.int4(Int32(migration.version))
        parameters.text(migration.name)
        parameters.text(migration.checksum)
        let insert = "INSERT INTO \(table) (version, name, checksum) VALUES ($1, $2, $3)"
        _ = try await connection.run(Statement(.init(name: "insert", sql: insert), parameters))
        return migration.version
      }
      guard let next else { return done }
      done.append(next)
    }
  }

  /// Takes back the newest `steps`; returns the versions, the newest first. Throws ``MigrationError``.
  public func rollback(on connection: PostgresConnection, steps: Int = 1) async throws -> [Int] {
    var done: [Int] = []
    while done.count < steps {
      let next = try await connection.transaction { () -> Int? in
        try await lock(connection)
        let status = try await status(on: connection)
        try check(status)
        guard let version = status.versions(.applied).last,
          let migration = migrations.first(where: { $0.version == version })
        else { return nil }
        try await run(try statements(migration, migration.down), of: migration, on: connection)
        // The first step back may have taken the schema with the table in it.
        let table = try await connection.run(sql: "SELECT to_regclass('\(self.table)') IS NOT NULL")
        guard table.bool(0, 0) else { return version }
        var parameters = Parameters()
        parameters.int4(Int32(version))
        let delete = "DELETE FROM \(self.table) WHERE version = $1"
        _ = try await connection.run(Statement(.init(name: "delete", sql: delete), parameters))
        return version
      }
      guard let next else { break }
      done.append(next)
    }
    return done
  }

  // MARK: One transaction

  /// Waits for other runners, then makes sure that the table is there.
  private func lock(_ connection: PostgresConnection) async throws {
    var hash = FNV1a()
    hash.add(table.utf8)
    let key = Int64(bitPattern: hash.value)
    _ = try await connection.run(sql: "SELECT pg_advisory_xact_lock(\(key))")
    // CREATE … IF NOT EXISTS asks for the right to create even where there is nothing to do.
    let found = try await connection.run(
      sql: "SELECT to_regnamespace('\(schema)') IS NOT NULL, to_regclass('\(table)') IS NOT NULL")
    if !found.bool(0, 0) { _ = try await connection.run(sql: "CREATE SCHEMA \(schema)") }
    guard !found.bool(0, 1) else { return }
    _ = try await connection.run(
      sql: """
        CREATE TABLE \(table) (
          version int4 PRIMARY KEY,
          name text NOT NULL,
          checksum text NOT NULL,
          applied_at timestamptz NOT NULL DEFAULT now()
        )
        """)
  }

  private func check(_ status: MigrationStatus) throws(MigrationError) {
    if let version = status.versions(.unknown).last {
      throw MigrationError(
        .unknownVersion, version: version,
        "the database has migration \(version), which this program does not know: use the program that applied "
          + "it, or a newer one")
    }
    if let version = status.versions(.changed).first {
      throw MigrationError(
        .changed, version: version,
        "migration \(version) was edited after it had been applied: restore its text and put the change into a "
          + "new migration")
    }
  }

  private static let transactionWords: Set = [
    "BEGIN", "START", "COMMIT", "END", "ROLLBACK", "ABORT", "PREPARE",
  ]

  private func statements(_ migration: Migration, _ text: String) throws(MigrationError) -> [String] {
    let statements: [String]
    do throws(StatementSplitter.Failure) {
      statements = try StatementSplitter.split(text)
    } catch {
      let line = error.line
      throw MigrationError(
        .unusableText, version: migration.version,
        "migration \(migration.version) opens a string, comment or body at line \(line) and does not close it"
      )
    }
    for statement in statements
    where Self.transactionWords.contains(StatementSplitter.firstWord(of: statement)) {
      throw MigrationError(
        .unusableText, version: migration.version,
        "migration \(migration.version) begins or ends a transaction; it already runs in one of its own: remove "
          + "that statement")
    }
    return statements
  }

  private func run(
    _ statements: [String], of migration: Migration, on connection: PostgresConnection
  ) async throws {
    for (index, statement) in statements.enumerated() {
      do throws(PostgresError) {
        _ = try await connection.run(sql: statement)
      } catch {
        guard error.code == .refused else { throw error }
        throw MigrationError(
          .statementFailed, version: migration.version, underlying: error,
          "statement \(index + 1) of migration \(migration.version) failed and nothing of it was kept: "
            + error.debugDescription)
      }
    }
  }
}
