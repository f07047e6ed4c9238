import CarillonModel
import CarillonPostgres
import CarillonStore
import IntegrationSupport
import TestSupport
import Testing

/// Row security seen from the roles themselves. The tables come from the catalogue: a new one is covered as soon as
/// it is there, and must get a row here.
@Suite struct RowSecurityTests {
  /// Every table of tenants' rows.
  static let tables = """
    SELECT relname::text FROM pg_class
    WHERE relnamespace = 'carillon'::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')
      AND relname <> 'schema_migrations'
    ORDER BY relname
    """

  /// A row of the first tenant in every table.
  private func fill(_ world: StoreWorld) async throws {
    var change = Sample.firstReport()
    change.puts = [Sample.item("a")]
    change.events = [DeviceEvent(id: "e", kind: "tapped", at: Sample.start)]
    change.priming = Sample.priming
    change.history = Sample.history(1)
    change.identity = IdentityChange()
    change.identity?.claimed = IdentityClaim.all(of: Sample.state.info)
    _ = try await world.store.apply(change, tenant: world.tenant, device: Sample.device(1))
    var due = DeviceChange(expectedRowVersion: 1, now: Sample.start)
    due.inbox = InboxChange(due: [Sample.occurrence("a")])
    _ = try await world.store.apply(due, tenant: world.tenant, device: Sample.device(1))
    _ = try await world.store.putPolicy(
      tenant: world.tenant, document: Sample.bytes("{}"), expectedVersion: nil, at: Sample.start)
    let key = KeyDraft(
      id: "k", secretHash: Array(repeating: 1, count: 32), scopes: [.devices], createdAt: Sample.start)
    _ = try await world.operators.createKey(key, tenant: world.tenant)
    _ = try await world.store.addSigningKey(Sample.signingKey(world.tenant))
    try await world.store.keep(Sample.answer(), tenant: world.tenant, device: Sample.device(1))
    try await world.store.keep(Sample.answer(), tenant: world.tenant, device: nil)
    let reports = ReportStore(world.operators)
    let holder = UUID128(high: 1, low: 1)
    let day = Sample.start.utcDay
    try await reports.addDay(day, tenant: world.tenant)
    let hold = try #require(
      try await reports.claimDay(
        day, tenant: world.tenant, holder: holder, until: Sample.later(1), now: Sample.start))
    _ = try await reports.publish(
      [.permission: [ReportRow(day: day, type: "", cohort: "", counts: ReportCounts([1]))]], of: hold,
      now: Sample.later(2))
  }

  private func run<R>(
    as role: Schema.Role, tenant: TenantID?, _ world: StoreWorld,
    _ body: (PostgresConnection) async throws -> R
  ) async throws -> R {
    let connection = try await PostgresConnection.connect(world.database.conninfo(role), on: world.loop)
    defer { connection.close() }
    return try await connection.transaction {
      if let tenant {
        _ = try await connection.run(sql: "SET LOCAL app.tenant_id = '\(tenant.uuid)'")
      }
      return try await body(connection)
    }
  }

  /// Runs one statement; the rows it showed or changed, or nil when the role may not do it.
  private func touched(_ sql: String, as role: Schema.Role, tenant: TenantID?, _ world: StoreWorld)
    async throws -> Int?
  {
    do {
      return try await run(as: role, tenant: tenant, world) { connection in
        let rows = try await connection.run(sql: sql)
        return max(rows.count, rows.affected)
      }
    } catch let error as PostgresError where error.sqlState == "42501" {
      return nil
    }
  }

  @Test(arguments: [Schema.Role.app, .worker, .owner]) func withoutATenantThereIsNothing(_ role: Schema.Role)
    async throws
  {
    try await withStore { world in
      try await fill(world)
      let tables = try await world.texts(Self.tables)
      #expect(tables.count >= 8)
      for table in tables {
        #expect(try await world.count("SELECT count(*) FROM carillon.\(table)") > 0, "\(table) needs a row")
        for sql in [
          "SELECT tenant_id FROM carillon.\(table)", "DELETE FROM carillon.\(table)",
          "UPDATE carillon.\(table) SET tenant_id = tenant_id",
        ] {
          #expect(try await touched(sql, as: role, tenant: nil, world) ?? 0 == 0, "\(role): \(sql)")
        }
      }
    }
  }

  @Test(arguments: [Schema.Role.app, .owner]) func anotherTenantsRowsAreOutOfReach(_ role: Schema.Role)
    async throws
  {
    try await withStore { world in
      try await fill(world)
      for table in try await world.texts(Self.tables) {
        let mine = "WHERE tenant_id = '\(world.tenant.uuid)'"
        for sql in [
          "SELECT tenant_id FROM carillon.\(table) \(mine)", "DELETE FROM carillon.\(table) \(mine)",
          "UPDATE carillon.\(table) SET tenant_id = tenant_id \(mine)",
        ] {
          let rows = try await touched(sql, as: role, tenant: world.otherTenant, world)
          #expect(rows ?? 0 == 0, "\(role): \(sql)")
        }
      }
    }
  }

  @Test(arguments: [false, true]) func rowsOfAnotherTenantCannotBeMade(_ hasTenant: Bool) async throws {
    try await withStore { world in
      try await fill(world)
      for table in try await world.texts(Self.tables) {
        let row = try await world.texts(
          "SELECT to_jsonb(t)::text FROM carillon.\(table) AS t WHERE tenant_id = '\(world.tenant.uuid)'")
        let literal = try #require(row.first).split(separator: "'", omittingEmptySubsequences: false)
          .joined(separator: "''")
        let rows = try await touched(
          "INSERT INTO carillon.\(table) SELECT * FROM jsonb_populate_record(NULL::carillon.\(table), '\(literal)')",
          as: .app, tenant: hasTenant ? world.otherTenant : nil, world)
        #expect(rows == nil, "\(table) takes a foreign row")
      }
    }
  }

  /// What the server may see of its own tenant is what the tests above would have missed.
  @Test func theOwnTenantsRowsAreThere() async throws {
    try await withStore { world in
      try await fill(world)
      for table in try await world.texts(Self.tables) where !["api_keys", "audit_log"].contains(table) {
        let sql = "SELECT tenant_id FROM carillon.\(table)"
        #expect(try await touched(sql, as: .app, tenant: world.tenant, world) ?? 0 > 0, "\(table)")
      }
      #expect(
        try await touched("SELECT key_id FROM carillon.api_keys", as: .app, tenant: world.tenant, world)
          == nil)
    }
  }

  /// Field case 38: on one connection, after a transaction with a tenant, one without sees nothing, and no error.
  @Test func aTenantEndsWithItsTransaction() async throws {
    try await withStore { world in
      try await fill(world)
      let connection = try await PostgresConnection.connect(world.database.conninfo(.app), on: world.loop)
      defer { connection.close() }
      try await connection.transaction {
        _ = try await connection.run(sql: "SET LOCAL app.tenant_id = '\(world.tenant.uuid)'")
        #expect(try await connection.run(sql: "SELECT tenant_id FROM carillon.devices").count == 1)
      }
      #expect(try await connection.run(sql: "SELECT tenant_id FROM carillon.devices").count == 0)
    }
  }

  /// Field case 38: two tenants' requests, interleaved over two connections and sharing transactions, see their own rows.
  @Test func twoHundredInterleavedRequestsSeeTheirOwnTenant() async throws {
    try await withStore { world in
      let (store, tenants) = (world.store, [world.tenant, world.otherTenant])
      for (index, tenant) in tenants.enumerated() {
        _ = try await store.putNotifications(
          tenant: tenant, device: Sample.device(1), [Sample.item("of.\(index)")], now: Sample.start)
      }
      let wrong = try await concurrently(200, on: world.loop) { index -> Bool in
        let which = index / 2 % 2
        let found = try await store.notifications(
          tenant: tenants[which], device: Sample.device(1), after: nil, limit: 10)
        return found.map(\.head.id.text) != ["of.\(which)"]
      }
      #expect(wrong.count == 200 && !wrong.contains(true))
    }
  }

  /// The look-up sees every tenant's keys; what it needed for that ends with it.
  @Test func aLookUpLeavesTheTenantAsItWas() async throws {
    try await withStore { world in
      try await fill(world)
      for tenant in [world.otherTenant, nil] {
        let seen = try await run(as: .app, tenant: tenant, world) { connection in
          let key = try await connection.run(sql: "SELECT r_tenant_id FROM carillon.key_lookup('k')")
          #expect(key.count == 1)
          let setting = try await connection.run(
            sql: "SELECT coalesce(current_setting('app.tenant_id', true), '')")
          #expect(setting.text(0, 0) == tenant.map { $0.uuid.description } ?? "")
          return try await connection.run(sql: "SELECT tenant_id FROM carillon.devices").count
        }
        #expect(seen == 0)
      }
    }
  }

  @Test func theStoreKeepsTenantsApart() async throws {
    try await withStore { world in
      try await fill(world)
      let (store, other, device) = (world.store, world.otherTenant, Sample.device(1))
      #expect(try await store.device(tenant: other, device: device) == nil)
      #expect(try await store.plan(tenant: other, device: device) == nil)
      #expect(try await store.notification(tenant: other, device: device, id: Sample.id("a")) == nil)
      #expect(
        try await store.confirmUnchanged(
          tenant: other, device: device, sequence: 9, digest: 7, now: Sample.start) == nil)
      #expect(
        try await store.cancelNotifications(
          tenant: other, device: device, [Sample.id("a")], now: Sample.start) == [.absent])
      var change = DeviceChange(expectedRowVersion: 1, now: Sample.start)
      change.cancels = [Sample.id("a")]
      #expect(try await store.apply(change, tenant: other, device: device) == .conflict)
      // The same device id under another tenant is another device.
      #expect(try await store.apply(Sample.firstReport(), tenant: other, device: device) != .conflict)
      #expect(try await store.loadDevice(tenant: world.tenant, device: device).queue.count == 1)
    }
  }
}
