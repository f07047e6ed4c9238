import CarillonJSON
import CarillonModel
import CarillonPostgres
import CarillonStore
import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// A tenant is suspended, goes on, and goes for good.
@Suite struct TenantLifeTests {
  @Test("A suspended tenant is refused on every server, and served again when it goes on")
  func suspension() async throws {
    let installation = try await Installation()
    let url = installation.database.conninfo(.operator)
    try await TestServer.with(loops: 1, database: installation.database) { first in
      try await TestServer.with(loops: 1, database: installation.database) { second in
        let tenant = try await first.makeTenant("acme")
        let other = try await first.makeTenant("other")
        let servers = [first, second]
        func untilAll(_ status: Int) async throws {
          for server in servers {
            try await until("every server answers \(status)") {
              try await server.client(tenant).send("GET", "/v1/devices").status == status
            }
          }
        }
        try await untilAll(200)
        for _ in 0..<2 {
          let suspended = try await installation.json("tenant suspend acme")
          #expect(suspended["status"] == "suspended" && suspended["id"]?.string == tenant.id.text)
          try await untilAll(403)
          for server in servers {
            let answer = try await server.client(tenant).send("GET", "/v1/devices")
            #expect(answer.json["code"]?.string == "tenantSuspended", "\(answer)")
            #expect(try await server.client(other).send("GET", "/v1/devices").status == 200)
          }
        }
        #expect(try await installation.json("tenant resume acme --dry-run")["dryRun"] == true)
        #expect(try await installation.json("tenant show acme")["status"] == "suspended")
        #expect(try await installation.json("tenant resume acme")["status"] == "active")
        #expect(try await installation.json("tenant resume acme")["status"] == "active")
        try await untilAll(200)
      }
    }
    #expect(
      try await Tenantctl.run(["tenant", "suspend", "nobody"], environment: ["DATABASE_URL": url]).code == 5)
  }

  @Test("Deleting asks first, and a dry run counts")
  func asking() async throws {
    let installation = try await Installation()
    let full = try await FullTenant.make("acme", in: installation)
    let before = try await installation.rows(of: full.tenant.id)
    let dry = try await installation.json("tenant delete acme --dry-run")
    #expect(dry["dryRun"] == true && dry["tables"]?["devices"] == 2)
    for input in ["", "no\n", "acm\n"] {
      let refused = try await installation.run("tenant delete acme", input: input)
      #expect(refused.code == 2 && refused.errors.contains("nothing was changed"), "\(refused)")
    }
    #expect(try await installation.rows(of: full.tenant.id) == before)
    let typed = try await installation.run("tenant delete acme -o json", input: "acme\n")
    #expect(typed.code == 0, "\(typed)")
    #expect(try await installation.run("tenant show acme").code == 5)
  }

  @Test("Nothing is left of a deleted tenant, and nothing of another one is touched")
  func deletion() async throws {
    let installation = try await Installation()
    let full = try await FullTenant.make("acme", in: installation)
    try await full.addDevices(1_200)
    let other = try await FullTenant.make("other", in: installation)
    let rows = try await installation.rows(of: full.tenant.id)
    for (table, count) in rows where !["signing_keys"].contains(table) && !table.contains("idempotency") {
      #expect(count > 0, "\(table) has no row that could be left")
    }
    let others = try await installation.rows(of: other.tenant.id)
    let deleted = try await installation.json("tenant delete acme --yes")
    #expect(deleted["deleted"] == true && deleted["name"] == "acme")
    let left = try await installation.rows(of: full.tenant.id)
    #expect(left.filter { $0.value > 0 }.isEmpty, "\(left)")
    #expect(try await installation.rows(of: other.tenant.id) == others)
    // The one line that stays.
    let log = try await installation.json("audit list --action tenant.delete")
    #expect(log["items"]?.array?.count == 1)
    #expect(
      log["items"]?.array?.first?["subject"] == "acme" && log["items"]?.array?.first?["tenantId"] == .null)
    // The name is free again.
    #expect(try await installation.json("tenant create acme")["status"] == "active")
  }

  @Test("A deletion that was killed goes on; until then the tenant is refused")
  func killedDeletion() async throws {
    let installation = try await Installation()
    let full = try await FullTenant.make("acme", in: installation)
    try await full.addDevices(100)
    // Plans come after some tables and before others.
    try await killed(
      ["tenant", "delete", "acme", "--yes"], in: installation,
      whileItWaitsFor: "LOCK TABLE carillon.plans IN SHARE MODE")
    let half = try await installation.rows(of: full.tenant.id)
    #expect(
      half["device_changes"] == 0 && half["priming_steps"] ?? 0 > 0 && half["api_keys"] ?? 0 > 0, "\(half)")
    #expect(try await installation.json("tenant show acme")["status"] == "deleting")
    let folder = try TemporaryFolder()
    let policy = try folder.file("policy.json", "{}")
    for line in [
      "tenant suspend acme", "tenant resume acme", "tenant export acme x.ndjson",
      "policy set acme \(policy) --if-version 1", "policy set acme \(policy) --dry-run",
      "key rotate-signing acme", "key rotate-signing acme --now --yes",
      "key create acme --scope all",
      "tenant limits acme --devices 7", "tenant limits acme --devices 7 --dry-run",
    ] {
      let refused = try await installation.run(line)
      #expect(
        refused.code == 6 && refused.errors.contains("is being deleted")
          && refused.errors.contains("tenantctl tenant delete acme"), "\(refused)")
    }
    try await TestServer.with(database: installation.database) { server in
      let answer = try await server.client(full.tenant).send("GET", "/v1/devices")
      #expect(answer.json["code"]?.string == "tenantSuspended", "\(answer)")
    }
    // At the last moment: when its own row is all that is left.
    try await killed(
      ["tenant", "delete", "acme", "--yes"], in: installation,
      whileItWaitsFor: "SELECT FROM carillon.tenants WHERE name = 'acme' FOR SHARE")
    let last = try await installation.rows(of: full.tenant.id)
    #expect(
      last.filter { $0.value > 0 }.keys.sorted() == ["audit_log", "tenants"] || last["tenants"] == 1,
      "\(last)")
    #expect(try await installation.run("tenant delete acme --yes").code == 0)
    let left = try await installation.rows(of: full.tenant.id)
    #expect(left.filter { $0.value > 0 }.isEmpty, "\(left)")
  }

  @Test("Rows of a tenant that is not being deleted cannot be taken away by what deletes tenants")
  func guarded() async throws {
    let installation = try await Installation()
    let full = try await FullTenant.make("acme", in: installation)
    let before = try await installation.rows(of: full.tenant.id)
    for call in [
      "SELECT * FROM carillon.delete_tenant_rows('\(full.tenant.id.text)', 10)",
      "SELECT carillon.erase_audit('\(full.tenant.id.text)', 10)",
      "SELECT carillon.import_rows('\(full.tenant.id.text)', 'policies', '[]')",
    ] {
      let conninfo = installation.database.conninfo(.operator)
      await #expect(throws: PostgresError.self, "\(call)") {
        try await withLoop { loop in
          let connection = try await PostgresConnection.connect(conninfo, on: loop)
          defer { connection.close() }
          _ = try await connection.run(sql: call)
        }
      }
    }
    #expect(try await installation.rows(of: full.tenant.id) == before)
  }
}

/// Asks until something holds; gives up after minutes.
func until(_ what: String, _ holds: () async throws -> Bool) async throws {
  let clock = ContinuousClock()
  let begin = clock.now
  while try await !holds() {
    try #require(clock.now - begin < .seconds(300), "it never came to it that \(what)")
  }
}

/// Starts a command while a transaction that has run `sql` is open, kills it when it waits for that one, and returns
/// when the database has noticed.
func killed(_ words: [String], in installation: Installation, whileItWaitsFor sql: String) async throws {
  let database = installation.database
  let waiting = """
    SELECT count(*)::text FROM pg_stat_activity
    WHERE datname = current_database() AND usename = 'carillon_operator' AND wait_event_type = 'Lock'
    """
  let present = """
    SELECT count(*)::text FROM pg_stat_activity WHERE datname = current_database() AND usename = 'carillon_operator'
    """
  try await withLoop { loop in
    let blocker = try await PostgresConnection.connect(database.superuserConninfo, on: loop)
    defer { blocker.close() }
    _ = try await blocker.run(sql: "BEGIN")
    _ = try await blocker.run(sql: sql)
    let process = Program()
    process.executableURL = URL(filePath: Tenantctl.path)
    process.arguments = words
    process.environment = ["DATABASE_URL": database.conninfo(.operator) + " options='-c lock_timeout=0'"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let ended = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in ended.continuation.finish() }
    try process.run()
    try await until("the command waits") {
      try #require(process.isRunning, "the command has ended by itself")
      return try await database.column(waiting) != ["0"]
    }
    kill(process.processIdentifier, SIGKILL)
    for await _ in ended.stream {}
    _ = try await blocker.run(sql: "ROLLBACK")
  }
  try await until("the database has noticed") { try await database.column(present) == ["0"] }
}
