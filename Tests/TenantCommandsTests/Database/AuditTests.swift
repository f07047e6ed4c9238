import CarillonJSON
import CarillonPostgres
import CarillonStore
import Foundation
import IntegrationSupport
import TestSupport
import Testing

/// Who did what is kept, and holds nothing secret.
@Suite struct AuditTests {
  @Test("Every change has its entry, with who made it; what changed nothing has none")
  func everyChange() async throws {
    let installation = try await Installation()
    func run(_ line: String) async throws -> JSONValue {
      try await installation.json(line + " --operator ada")
    }
    _ = try await run("tenant create acme")
    let key = try await run("key create acme --scope all")
    let keyID = try #require(key["keyId"]?.string)
    let secret = try #require(key["key"]?.string?.split(separator: "_").last.map(String.init))
    _ = try await run("tenant limits acme --inbox-days 7")
    let folder = try TemporaryFolder()
    let policy = try folder.file("policy.json", "{}")
    _ = try await run("policy set acme \(policy)")
    _ = try await run("tenant suspend acme")
    _ = try await run("tenant resume acme")
    _ = try await run("key rotate-signing acme")
    try await TestServer.with(database: installation.database) { server in
      let client = HTTPTestClient(port: server.port, key: key["key"]?.string)
      let device = FullTenant.devices[0]
      let put = try await client.send(
        "PUT", "/v1/policy", headers: [("If-Match", "\"1\"")], body: #"{"slots":9}"#)
      #expect(put.status == 200, "\(put)")
      #expect(
        try await client.send("PUT", "/v1/policy", headers: [("If-Match", "\"1\"")], body: "{}").status == 412
      )
      #expect(try await client.send("DELETE", "/v1/devices/\(device)").status == 404)
      _ = try await client.send(
        "POST", "/v1/devices/\(device)/sync", body: #"{"sequence":1,"authorizationStatus":"denied"}"#)
      #expect(try await client.send("DELETE", "/v1/devices/\(device)").status == 204)
    }
    _ = try await run("key revoke acme \(keyID) --yes")
    // None of these changes anything.
    for line in [
      "tenant create acme", "tenant create acme --dry-run", "key revoke acme nothere --yes",
      "tenant limits acme",
      "tenant limits acme --inbox-days 9 --dry-run", "tenant resume acme", "tenant show acme",
    ] { _ = try await installation.run(line) }

    let log = try await installation.run("audit list acme -o json")
    let items = try #require(try JSONValue(parsing: log.output)["items"]?.array)
    #expect(
      items.reversed().map {
        "\($0["actorKind"]?.string ?? "") \($0["action"]?.string ?? "") \($0["subject"]?.string ?? "-")"
      }
      .filter { !$0.hasPrefix("key ") } == [
        "operator tenant.create acme", "operator key.create \(keyID)", "operator tenant.limits -",
        "operator policy.put 1", "operator tenant.suspend acme", "operator tenant.resume acme",
        "operator key.rotateSigning -",
        "operator key.revoke \(keyID)",
      ])
    #expect(
      Set(
        items.filter { $0["actorKind"] == "key" }.map {
          "\($0["action"]?.string ?? "") \($0["actor"]?.string ?? "")"
        })
        == ["policy.put \(keyID)", "device.erase \(keyID)"])
    #expect(items.count == 10)
    #expect(
      items.filter { $0["actorKind"] == "operator" }.allSatisfy {
        $0["actor"] == "ada" && $0["login"] == "carillon_operator"
      })
    #expect(items.filter { $0["actorKind"] == "key" }.allSatisfy { $0["login"] == .null })
    let limits = items.first { $0["action"] == "tenant.limits" }
    #expect(limits?["details"] == ["inboxDays": "7"])
    #expect(!log.output.contains(secret) && !log.output.contains(FullTenant.devices[0]))
    #expect(
      items.first?.object?.map(\.name) == [
        "at", "tenantId", "tenant", "actorKind", "actor", "login", "action", "subject", "details",
      ])
  }

  @Test("Entries are listed by tenant, action and time, page by page")
  func listing() async throws {
    let installation = try await Installation()
    for name in ["a", "b", "c"] {
      _ = try await installation.json("tenant create \(name)")
      _ = try await installation.json("key create \(name) --scope all")
    }
    func subjects(_ line: String) async throws -> [String] {
      try await installation.json(line)["items"]?.array?.compactMap { $0["tenant"]?.string } ?? []
    }
    #expect(try await subjects("audit") == ["c", "c", "b", "b", "a", "a"])
    #expect(try await subjects("audit list b") == ["b", "b"])
    #expect(try await subjects("audit list --action key") == ["c", "b", "a"])
    #expect(try await subjects("audit list --action tenant.create") == ["c", "b", "a"])
    #expect(try await subjects("audit list --to 2020-01-01T00:00:00Z") == [])
    #expect(try await subjects("audit list --from 2020-01-01T00:00:00Z").count == 6)
    var seen: [String] = []
    var cursor = ""
    while true {
      let page = try await installation.json("audit list --limit 4\(cursor)")
      seen += page["items"]?.array?.compactMap { $0["tenant"]?.string } ?? []
      guard let next = page["nextCursor"]?.string else { break }
      cursor = " --cursor \(next)"
    }
    #expect(seen == ["c", "c", "b", "b", "a", "a"])
    for line in ["audit list --action keys", "audit list --cursor x", "audit list --from today"] {
      #expect(try await installation.run(line).code == 2, "\(line)")
    }
    #expect(try await installation.run("audit list nobody").code == 5)
  }

  @Test("No role changes an entry or takes one away", arguments: Installation.Login.allCases)
  func appendOnly(_ login: Installation.Login) async throws {
    guard login != .superuser else { return }
    let installation = try await Installation()
    let tenant = try #require(try await installation.json("tenant create acme")["id"]?.string)
    let conninfo = installation.url(login)
    for sql in [
      "UPDATE carillon.audit_log SET actor = 'nobody'", "DELETE FROM carillon.audit_log",
      "TRUNCATE carillon.audit_log",
    ] {
      await #expect(throws: PostgresError.self, "\(login): \(sql)") {
        try await withLoop { loop in
          let connection = try await PostgresConnection.connect(conninfo, on: loop)
          defer { connection.close() }
          _ = try await connection.run(sql: "SELECT set_config('app.tenant_id', '\(tenant)', false)")
          _ = try await connection.run(sql: sql)
        }
      }
    }
    #expect(try await installation.json("audit list acme")["items"]?.array?.count == 1)
  }
}
