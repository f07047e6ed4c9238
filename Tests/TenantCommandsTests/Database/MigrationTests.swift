import CarillonJSON
import CarillonModel
import Testing

@Suite struct MigrationTests {
  private func versions(_ status: JSONValue, _ state: JSONValue) -> [Int] {
    (status["items"]?.array ?? []).filter { $0["state"] == state }.compactMap { $0["version"]?.int }
  }

  private func status(_ installation: Installation) async throws -> (code: Int32, json: JSONValue) {
    let outcome = try await installation.run("db status -o json", as: .owner)
    #expect(outcome.errors == "")
    return (outcome.code, try JSONValue(parsing: outcome.output))
  }

  @Test("Back and forth: what waits is told by exit code 3, what is done is listed")
  func life() async throws {
    let installation = try await Installation()
    let (code, current) = try await status(installation)
    #expect(code == 0)
    let all = versions(current, "applied")
    let newest = try #require(all.last)
    #expect(all == Array(1...newest))
    #expect(current["items"]?[0]?.object?.map(\.name) == ["version", "name", "state", "appliedAt"])
    #expect(current["items"]?[0]?["appliedAt"]?.string.flatMap { Instant($0) } != nil)
    #expect(
      try await installation.run("db migrate --dry-run -o json", as: .owner)
        == Tenantctl.Outcome(output: "{\"pending\":[]}\n", errors: "", code: 0))

    #expect(
      try await installation.run("db rollback --dry-run -o json", as: .owner)
        == Tenantctl.Outcome(output: "{\"wouldRollBack\":[\(newest)]}\n", errors: "", code: 3))
    #expect(
      try await installation.run("db rollback", as: .owner, input: "acme\n")
        == Tenantctl.Outcome(
          output: "",
          errors: """
            tenantctl: nothing was changed: this would take back a migration and delete the data in it, and nobody \
            confirmed it. Say --yes, or type 'carillon' when asked.

            """, code: 2))
    #expect(try await status(installation).json == current)

    #expect(
      try await installation.run("db rollback --yes -o json", as: .owner)
        == Tenantctl.Outcome(output: "{\"rolledBack\":[\(newest)]}\n", errors: "", code: 0))
    let (behind, pending) = try await status(installation)
    #expect(behind == 3)
    #expect(versions(pending, "pending") == [newest])
    #expect(
      try await installation.run("db migrate --dry-run -o json", as: .owner)
        == Tenantctl.Outcome(output: "{\"pending\":[\(newest)]}\n", errors: "", code: 3))
    #expect(
      try await installation.run("db migrate -o json", as: .owner)
        == Tenantctl.Outcome(output: "{\"applied\":[\(newest)]}\n", errors: "", code: 0))
    #expect(
      try await installation.run("db migrate -o json", as: .owner)
        == Tenantctl.Outcome(output: "{\"applied\":[]}\n", errors: "", code: 0))
    #expect(try await status(installation).code == 0)
  }

  @Test("On a database without the schema, commands say what to do")
  func empty() async throws {
    let installation = try await Installation()
    let all = versions(try await status(installation).json, "applied")
    let outcome = try await installation.run(
      "db rollback --steps \(all.count) -o json", as: .owner, input: "carillon\n")
    #expect(outcome.code == 0)
    let list = all.reversed().map(String.init).joined(separator: ",")
    #expect(outcome.output == "{\"rolledBack\":[\(list)]}\n")
    #expect(
      try await installation.run("tenant list")
        == Tenantctl.Outcome(
          output: "",
          errors: """
            tenantctl: the database lacks Carillon's schema, or has an older one. Run 'tenantctl db migrate'.

            """, code: 3))
    #expect(try await installation.run("db migrate", as: .owner).code == 0)
    #expect(try await installation.json("tenant list")["items"] == [])
  }

  @Test("Migrating wants the owner", arguments: ["db migrate", "db rollback --yes"])
  func role(_ line: String) async throws {
    let installation = try await Installation()
    let outcome = try await installation.run(line, as: .operator)
    #expect(outcome.code == 4)
    #expect(outcome.errors.hasPrefix("tenantctl: the login of DATABASE_URL may not act as carillon_owner"))
    #expect(try await status(installation).code == 0)
  }

  @Test("Roles are made again without harm, by a superuser only")
  func roles() async throws {
    let installation = try await Installation()
    let lines = ["carillon_owner", "carillon_app", "carillon_operator", "carillon_worker"]
      .map { "{\"name\":\"\($0)\",\"state\":\"ready\"}\n" }
    let outcome = try await installation.run("db roles -o ndjson", as: .superuser)
    #expect(outcome == Tenantctl.Outcome(output: lines.joined(), errors: "", code: 0))
    #expect(try await installation.run("db roles", as: .operator).code == 4)
  }

  @Test("The doctor finds a healthy installation healthy, and names what is not")
  func doctor() async throws {
    let installation = try await Installation()
    let healthy = try await installation.run("doctor -o json", as: .superuser)
    #expect(healthy.code == 0)
    #expect(healthy.errors == "")
    let found = try JSONValue(parsing: healthy.output)["items"]?.array
    #expect(found?.map { $0["check"] } == ["database", "migrations", "timeZones"])
    #expect(found?.allSatisfy { $0["state"] == "ok" && $0["remedy"] == .null } == true)

    _ = try await installation.run("db rollback --yes", as: .owner)
    let ill = try await installation.run("doctor -o ndjson --tz-dir /nowhere", as: .superuser)
    #expect(ill.code == 1)
    let findings = try ill.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
    try #require(findings.map { $0["state"] } == ["ok", "failed", "failed"])
    #expect(findings[1]["remedy"] == "Run 'tenantctl db migrate'.")
    #expect(findings[2]["remedy"] == "Install the package tzdata, or name its folder with --tz-dir.")
  }
}
