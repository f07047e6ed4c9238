import CarillonPostgres
import CarillonStore
import IntegrationSupport
import TestSupport
import Testing

@Suite struct MigrationTests {
  /// Everything a schema consists of, one line each.
  private static let fingerprint = """
    SELECT line FROM (
      SELECT concat_ws(' ', 'column', attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull,
        attcompression, pg_get_expr(adbin, adrelid))
      FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid LEFT JOIN pg_attrdef ON adrelid = attrelid
        AND adnum = attnum
      WHERE c.relnamespace = 'carillon'::regnamespace AND attnum > 0 AND NOT attisdropped
      UNION ALL SELECT concat_ws(' ', 'table', relname, relkind, relacl, relrowsecurity, relforcerowsecurity,
        reloptions) FROM pg_class WHERE relnamespace = 'carillon'::regnamespace
      UNION ALL SELECT concat_ws(' ', 'constraint', conname, pg_get_constraintdef(oid)) FROM pg_constraint
        WHERE connamespace = 'carillon'::regnamespace
      UNION ALL SELECT concat_ws(' ', 'policy', polname, polrelid::regclass, pg_get_expr(polqual, polrelid))
        FROM pg_policy
      UNION ALL SELECT concat_ws(' ', 'function', oid::regprocedure, proowner::regrole, proacl, md5(prosrc))
        FROM pg_proc WHERE pronamespace = 'carillon'::regnamespace
      UNION ALL SELECT concat_ws(' ', 'schema', nspname, nspacl) FROM pg_namespace WHERE nspname = 'carillon'
    ) AS lines (line)
    ORDER BY line COLLATE "C"
    """

  private func fingerprint(_ connection: PostgresConnection) async throws -> [String] {
    let rows = try await connection.run(sql: Self.fingerprint)
    return (0..<rows.count).map { rows.text($0, 0) }
  }

  @Test func upDownAndUpAgain() async throws {
    let database = try await makeDatabase()
    try await installSchema(in: database)
    try await withLoop { loop in
      let owner = try await PostgresConnection.connect(
        database.conninfo(role: Schema.Role.owner.rawValue), on: loop)
      defer { owner.close() }
      let migrator = Schema.migrator
      let whole = try await fingerprint(owner)
      let count = Schema.migrations.count
      #expect(try await migrator.status(on: owner).isCurrent)
      #expect(try await migrator.migrate(on: owner).isEmpty)

      let taken = try await migrator.rollback(on: owner, steps: count)
      #expect(taken == Array((1...count).reversed()))
      let left = try await fingerprint(owner).filter { !$0.contains("schema_migrations") }
      #expect(left.allSatisfy { $0.hasPrefix("schema carillon") }, "\(left)")
      #expect(!left.contains { $0.contains("carillon_app") })

      #expect(try await migrator.migrate(on: owner) == Array(1...count))
      #expect(try await fingerprint(owner) == whole)
    }
  }

  /// Each step alone: what its down leaves is what was there before its up.
  @Test func everyStepIsTakenBackWhole() async throws {
    let database = try await makeDatabase()
    try await withLoop { loop in
      let superuser = try await PostgresConnection.connect(database.conninfo, on: loop)
      defer { superuser.close() }
      try await Schema.installRoles(on: superuser)
      try await Schema.installRoles(on: superuser)
      let owner = try await PostgresConnection.connect(
        database.conninfo(role: Schema.Role.owner.rawValue), on: loop)
      defer { owner.close() }
      let migrator = Schema.migrator
      var before: [String]?
      for version in 1...Schema.migrations.count {
        _ = try await migrator.migrate(on: owner, to: version)
        let after = try await fingerprint(owner)
        if let before {
          _ = try await migrator.rollback(on: owner)
          #expect(try await fingerprint(owner) == before, "version \(version)")
          _ = try await migrator.migrate(on: owner, to: version)
          #expect(try await fingerprint(owner) == after, "version \(version)")
        }
        before = after
      }
    }
  }

  @Test func aServerStartsOnTheWholeSchemaAlone() async throws {
    let database = try await makeDatabase()
    try await withLoop { loop in
      func connect(_ role: String) async throws -> PostgresConnection {
        try await PostgresConnection.connect(database.conninfo(role: role), on: loop)
      }
      let superuser = try await PostgresConnection.connect(database.conninfo, on: loop)
      defer { superuser.close() }
      try await Schema.installRoles(on: superuser)
      let (app, owner) = (try await connect("carillon_app"), try await connect("carillon_owner"))
      let operators = try await connect("carillon_operator")
      defer { for connection in [app, owner, operators] { connection.close() } }
      func refusal(_ connection: PostgresConnection) async -> SchemaError? {
        do { try await Schema.check(connection) } catch { return error }
        return nil
      }

      guard case .missing = await refusal(app) else { Issue.record("an empty database"); return }
      _ = try await Schema.migrator.migrate(on: owner)
      #expect(await refusal(app) == nil)

      guard case .unsafeRole(_, .superuser) = await refusal(superuser) else {
        Issue.record("a superuser")
        return
      }
      guard case .unsafeRole("carillon_operator", .bypassesRowSecurity) = await refusal(operators) else {
        Issue.record("a role past row security")
        return
      }
      guard case .unsafeRole("carillon_owner", .ownsSchema) = await refusal(owner) else {
        Issue.record("the owner")
        return
      }

      let newest = Schema.migrations.count
      _ = try await Schema.migrator.rollback(on: owner)
      guard case .pending([newest]) = await refusal(app) else { Issue.record("a pending step"); return }
      _ = try await Schema.migrator.migrate(on: owner)

      let newer =
        Schema.migrations + [Migration(version: newest + 1, name: "later", up: "SELECT 1", down: "SELECT 1")]
      _ = try await Migrator(schema: Schema.name, migrations: newer).migrate(on: owner)
      guard case .unknown([newest + 1]) = await refusal(app) else { Issue.record("a newer schema"); return }
      _ = try await Migrator(schema: Schema.name, migrations: newer).rollback(on: owner)

      _ = try await owner.run(
        sql: "UPDATE carillon.schema_migrations SET checksum = 'another' WHERE version = 2")
      guard case .changed([2]) = await refusal(app) else {
        Issue.record("a step that was edited")
        return
      }
      _ = try await superuser.run(sql: "DROP SCHEMA carillon CASCADE")
      _ = try await owner.run(sql: "CREATE SCHEMA carillon")
      guard case .missing = await refusal(app) else {
        Issue.record("a schema without a step")
        return
      }
    }
  }
}
