import CarillonEventLoop
import CarillonPostgres
import TestSupport
import Testing

/// Field case 38: a tenant's setting must not stay on a pooled connection.
@Suite struct ScopeTests {
  private static let tenants = [
    "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b",
  ]

  private func scope(_ tenant: Int) -> Work.Scope {
    Work.Scope(setting: "app.tenant_id", uncheckedValue: Self.tenants[tenant])
  }

  /// A table under row security, and the conninfo of a role that is subject to it.
  private func makeNotes() async throws -> String {
    let database = try await makeDatabase()
    let role = "app_\(database.name)"
    try await administer(
      database.conninfo, "CREATE ROLE \(role) LOGIN",
      "CREATE TABLE notes (tenant_id uuid NOT NULL, number int8 NOT NULL)",
      "ALTER TABLE notes ENABLE ROW LEVEL SECURITY", "ALTER TABLE notes FORCE ROW LEVEL SECURITY",
      """
      CREATE POLICY tenant ON notes
      USING (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid)
      """, "GRANT SELECT, INSERT ON notes TO \(role)")
    return database.conninfo(role: role)
  }

  @Test(arguments: [true, false])
  func twoTenantsNeverSeeEachOther(_ prepared: Bool) async throws {
    let conninfo = try await makeNotes()
    try await withPool(conninfo, usesPreparedStatements: prepared) { pool, loop in
      let wrongRows = try await concurrently(400, on: loop) { index in
        let tenant = index % 2
        let work = Work(
          scope: scope(tenant), order: Work.Order(high: 0, low: UInt64(index)),
          statements: [
            .sql(
              "INSERT INTO notes VALUES ($1::text::uuid, $2)",
              .with {
                $0.text(Self.tenants[tenant])
                $0.int8(Int64(index))
              }),
            .sql(
              "SELECT count(*) FILTER (WHERE tenant_id::text <> $1), count(*) FROM notes",
              .with { $0.text(Self.tenants[tenant]) }),
          ])
        let rows = try await pool.run(work)
        #expect(rows[1].int(0, 1) > 0)
        return rows[1].int(0, 0)
      }
      #expect(wrongRows.allSatisfy { $0 == 0 })
      for tenant in 0..<2 {
        let count = try await pool.run(query("SELECT count(*) FROM notes", scope: scope(tenant)))
        #expect(count[0].int(0, 0) == 200)
      }
    }
  }

  @Test func withoutAScopeNothingIsSeenOnAUsedConnection() async throws {
    let conninfo = try await makeNotes()
    var limits = PostgresPool.Limits()
    limits.connections = 1
    try await withPool(conninfo, limits: limits) { pool, loop in
      let insert = "INSERT INTO notes VALUES ('\(Self.tenants[0])', 1) RETURNING number"
      #expect(try await pool.run(query(insert, scope: scope(0)))[0].count == 1)
      #expect(try await pool.run(query("SELECT number FROM notes"))[0].count == 0)
      // In one batch with scoped works, too.
      let counts = try await concurrently(30, on: loop) { index in
        try await pool.run(
          query("SELECT number FROM notes", scope: index % 3 == 0 ? nil : scope(index % 3 - 1)))[0]
          .count
      }
      #expect(counts == (0..<30).map { $0 % 3 == 1 ? 1 : 0 })
      let foreign = await outcome { try await pool.run(query(insert, scope: scope(1))) }
      #expect(foreign.errorCode == .refused)
    }
  }

  @Test func anotherSettingEmptiesTheOneBefore() async throws {
    let database = try await makeDatabase()
    var limits = PostgresPool.Limits()
    limits.connections = 1
    try await withPool(database.conninfo, limits: limits) { pool, loop in
      let seen = try await concurrently(2, on: loop) { index in
        let scope = Work.Scope(setting: index == 0 ? "app.a" : "app.b", uncheckedValue: "x")
        let text = "current_setting('app.a', true), current_setting('app.b', true)"
        let rows = try await pool.run(query("SELECT concat_ws('/', \(text))", scope: scope))
        return rows[0].text(0, 0)
      }
      #expect(seen == ["x", "/x"])
    }
  }
}
