import CarillonJSON
import CarillonModel
import IntegrationSupport
import Testing

@Suite struct TenantTests {
  @Test("A tenant is made, shown by name and by id, and listed")
  func life() async throws {
    let installation = try await Installation()
    let made = try await installation.json("tenant create acme")
    #expect(made.object?.map(\.name) == ["id", "name", "status", "policyVersion", "createdAt"])
    #expect(made["name"] == "acme")
    #expect(made["status"] == "active")
    #expect(made["policyVersion"] == 0)
    let id = try #require(made["id"]?.string)
    #expect(TenantID(id) != nil)
    #expect(made["createdAt"]?.string.flatMap { Instant($0) } != nil)

    #expect(try await installation.json("tenant show acme") == made)
    #expect(try await installation.json("tenant show \(id)") == made)
    // Whoever was named like it before such names were refused is not meant.
    let namesake = try await Installation()
    let first = try #require(try await namesake.json("tenant create acme")["id"]?.string)
    let born = try await namesake.json("tenant create other")
    _ = try await namesake.database.column(
      "UPDATE carillon.tenants SET name = '\(first)' WHERE name = 'other' RETURNING ''")
    let other = try await namesake.json("tenant show \(born["id"]?.string ?? "")")
    #expect(other["name"]?.string == first)
    #expect(try await namesake.json("tenant show \(first)")["name"] == "acme")
    #expect(try await namesake.json("tenant show \(other["id"]?.string ?? "")") == other)
    let second = try await installation.json("tenant create a-2")
    #expect(try await installation.json("tenant list") == ["items": [second, made], "nextCursor": .null])
  }

  @Test("What a tenant may have is shown and set")
  func limits() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    func shown(_ changes: [String: Int] = [:], isDry: Bool = false) -> JSONValue {
      let initial = [
        ("inboxDays", 90), ("inboxItems", 500), ("requestsPerSecond", 10_000), ("requestBurst", 20_000),
        ("deviceRequestsPerSecond", 50), ("deviceRequestBurst", 500), ("batchOperationsPerSecond", 20_000),
        ("devices", 10_000_000), ("notificationsPerDevice", 1_000), ("policyBytes", 262_144),
      ]
      let numbers = initial.map { JSONMember($0, .number(String(changes[$0] ?? $1))) }
      let dry = isDry ? [JSONMember("dryRun", true)] : []
      return .object([JSONMember("name", "acme")] + numbers + dry)
    }
    #expect(try await installation.json("tenant limits acme") == shown())
    #expect(
      try await installation.json("tenant limits acme --inbox-days 7 --dry-run")
        == shown(["inboxDays": 7], isDry: true))
    #expect(try await installation.json("tenant limits acme") == shown())
    #expect(
      try await installation.json("tenant limits acme --inbox-days 7") == shown(["inboxDays": 7]))
    #expect(
      try await installation.json("tenant limits acme --devices 0 --policy-bytes 100 --request-burst 9")
        == shown(["inboxDays": 7, "devices": 0, "policyBytes": 100, "requestBurst": 9]))
    for wrong in [
      "--inbox-days 0", "--requests-per-second 0", "--notifications-per-device 1001", "--policy-bytes 1",
      "--devices -1",
    ] {
      #expect(try await installation.run("tenant limits acme \(wrong)").code == 2, "\(wrong)")
    }
    #expect(try await installation.run("tenant limits nobody").code == 5)
  }

  @Test("A name that is taken is a conflict")
  func taken() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    for line in ["tenant create acme", "tenant create acme --dry-run"] {
      #expect(
        try await installation.run(line)
          == Tenantctl.Outcome(
            output: "", errors: "tenantctl: there is a tenant 'acme' already. Choose another name.\n", code: 6
          ))
    }
  }

  @Test("Of two that make the same tenant at once, one succeeds")
  func race() async throws {
    let installation = try await Installation()
    async let first = installation.run("tenant create acme -o json")
    async let second = installation.run("tenant create acme -o json")
    let outcomes = try await [first, second].sorted { $0.code < $1.code }
    #expect(outcomes.map(\.code) == [0, 6])
    #expect(outcomes[1].errors == "tenantctl: there is a tenant 'acme' already. Choose another name.\n")
    #expect(try await installation.json("tenant list")["items"]?.array?.count == 1)
  }

  @Test("A dry run changes nothing")
  func dryRun() async throws {
    let installation = try await Installation()
    #expect(try await installation.json("tenant create acme --dry-run") == ["name": "acme", "dryRun": true])
    #expect(try await installation.json("tenant list") == ["items": [], "nextCursor": .null])
  }

  @Test("A tenant that does not exist is not found, and a near name is suggested")
  func unknown() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    for line in [
      "tenant show acem", "key list acem", "policy get acem", "device list acem",
      "key create acem --scope all",
    ] {
      #expect(
        try await installation.run(line)
          == Tenantctl.Outcome(
            output: "", errors: "tenantctl: there is no tenant 'acem'. Did you mean 'acme'?\n", code: 5))
    }
    #expect(
      try await installation.run("tenant show umbrella").errors
        == "tenantctl: there is no tenant 'umbrella'. 'tenantctl tenant list' shows those that exist.\n")
  }

  @Test("A role that may not see all tenants is refused", arguments: [Installation.Login.app, .worker])
  func roles(_ login: Installation.Login) async throws {
    let installation = try await Installation()
    let outcome = try await installation.run("tenant list", as: login)
    #expect(outcome.code == 4)
    #expect(outcome.output == "")
    #expect(
      outcome.errors.hasPrefix("tenantctl: the login of DATABASE_URL may not act as carillon_operator"))
  }
}
