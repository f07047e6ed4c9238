import CarillonEventLoop
import CarillonPostgres
import TestSupport
import Testing

@Suite struct MigratorTests {
  private static let one = Migration(
    version: 1, name: "base", up: "CREATE TABLE app.a (x int); INSERT INTO app.a VALUES (1);",
    down: "DROP TABLE app.a;")
  private static let two = Migration(
    version: 2, name: "more", up: "ALTER TABLE app.a ADD COLUMN y text; -- second",
    down: "ALTER TABLE app.a DROP COLUMN y")
  private static let three = Migration(
    version: 3, name: "last", up: "CREATE TABLE app.b ()", down: "DROP TABLE app.b")

  private func withConnection<R: Sendable>(
    _ database: TestDatabase, _ body: @Sendable (PostgresConnection) async throws -> R
  ) async throws -> R {
    try await withLoop { loop in
      let connection = try await PostgresConnection.connect(database.conninfo, on: loop)
      defer { connection.close() }
      return try await body(connection)
    }
  }

  private func migrator(_ migrations: Migration...) -> Migrator {
    Migrator(schema: "app", migrations: migrations)
  }

  @Test func upAndDownAgain() async throws {
    try await withConnection(try await makeDatabase()) { connection async throws in
      let all = migrator(Self.three, Self.one, Self.two)
      var status = try await all.status(on: connection)
      #expect(status.entries.map(\.state) == [.pending, .pending, .pending] && !status.isCurrent)
      // Asking changes nothing.
      #expect(try await connection.run(sql: "SELECT to_regnamespace('app') IS NULL").bool(0, 0))

      #expect(try await all.migrate(on: connection, to: 2) == [1, 2])
      status = try await all.status(on: connection)
      #expect(status.entries.map(\.state) == [.applied, .applied, .pending])
      #expect(try #require(status.entries[0].appliedAt) > 1_700_000_000_000)
      #expect(try await all.migrate(on: connection) == [3])
      #expect(try await all.migrate(on: connection) == [])
      #expect(try await all.status(on: connection).isCurrent)

      #expect(try await all.rollback(on: connection) == [3])
      #expect(try await all.rollback(on: connection, steps: 9) == [2, 1])
      #expect(try await all.status(on: connection).entries.map(\.state) == [.pending, .pending, .pending])
      #expect(try await all.migrate(on: connection) == [1, 2, 3])
    }
  }

  @Test func aFailedMigrationLeavesNothingBehind() async throws {
    try await withConnection(try await makeDatabase()) { connection async throws in
      let broken = Migration(
        version: 2, name: "broken", up: "CREATE TABLE app.c (); SELECT nothing;", down: "")
      let error = await #expect(throws: MigrationError.self) {
        try await migrator(Self.one, broken).migrate(on: connection)
      }
      #expect(
        error?.code == .statementFailed && error?.version == 2 && error?.underlying?.sqlState == "42703")
      #expect(error?.description.contains("statement 2") == true)
      #expect(try await connection.run(sql: "SELECT to_regclass('app.c') IS NULL").bool(0, 0))
      #expect(
        try await migrator(Self.one, broken).status(on: connection).entries.map(\.state) == [
          .applied, .pending,
        ])
      #expect(!connection.isInTransaction)
    }
  }

  @Test func whatDoesNotFitIsRefusedAndSaysWhatToDo() async throws {
    try await withConnection(try await makeDatabase()) { connection async throws in
      _ = try await migrator(Self.one, Self.three).migrate(on: connection)
      func failure(_ body: () async throws -> [Int]) async -> MigrationError? {
        do { _ = try await body() } catch { return error as? MigrationError }
        return nil
      }
      let edited = Migration(version: 1, name: "base", up: "SELECT 1", down: "")
      let changed = migrator(edited, Self.three)
      #expect(try await changed.status(on: connection).entries.map(\.state) == [.changed, .applied])
      var error = await failure { try await changed.migrate(on: connection) }
      #expect(error?.code == .changed && error?.description.contains("restore its text") == true)
      error = await failure { try await changed.rollback(on: connection) }
      #expect(error?.code == .changed)

      let older = migrator(Self.one)
      #expect(try await older.status(on: connection).entries.map(\.state) == [.applied, .unknown])
      error = await failure { try await older.migrate(on: connection) }
      #expect(error?.code == .unknownVersion && error?.version == 3)
      error = await failure { try await older.rollback(on: connection) }
      #expect(error?.code == .unknownVersion)

      error = await failure { try await migrator(Self.one, Self.two, Self.three).migrate(on: connection) }
      #expect(error?.code == .outOfOrder && error?.version == 2)
      error = await failure { try await migrator(Self.one, Self.three).migrate(on: connection, to: 7) }
      #expect(error?.code == .noSuchVersion)
      for text in ["SELECT 1; /* end */ COMMIT;", "SELECT 'open"] {
        let unusable = Migration(version: 4, name: "x", up: text, down: "")
        error = await failure { try await migrator(Self.one, Self.three, unusable).migrate(on: connection) }
        #expect(error?.code == .unusableText && error?.version == 4)
      }
      #expect(try await migrator(Self.one, Self.three).status(on: connection).isCurrent)
    }
  }

  @Test func theFirstStepBackMayTakeTheSchema() async throws {
    try await withConnection(try await makeDatabase()) { connection async throws in
      let only = migrator(
        Migration(version: 1, name: "all", up: "CREATE TABLE app.a ()", down: "DROP SCHEMA app CASCADE"))
      #expect(try await only.migrate(on: connection) == [1])
      #expect(try await only.rollback(on: connection) == [1])
      #expect(try await only.migrate(on: connection) == [1])
    }
  }

  @Test func twoAtOnceWaitForEachOther() async throws {
    let database = try await makeDatabase()
    let migrations = (1...20).map {
      Migration(version: $0, name: "m\($0)", up: "CREATE TABLE app.t\($0) ()", down: "DROP TABLE app.t\($0)")
    }
    let applied = try await withLoop { loop in
      try await concurrently(4, on: loop) { _ in
        let connection = try await PostgresConnection.connect(database.conninfo, on: loop)
        defer { connection.close() }
        return try await Migrator(schema: "app", migrations: migrations).migrate(on: connection)
      }
    }
    #expect(applied.flatMap(\.self).sorted() == Array(1...20))
  }
}
