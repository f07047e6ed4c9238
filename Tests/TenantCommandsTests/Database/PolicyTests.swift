import CarillonJSON
import Testing

@Suite struct PolicyTests {
  @Test("A policy is given back byte for byte, and every version is kept")
  func life() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    #expect(
      try await installation.run("policy get acme")
        == Tenantctl.Outcome(
          output: "",
          errors: """
            tenantctl: the tenant 'acme' has no policy and plans by the defaults. 'tenantctl policy set' gives it one.

            """, code: 5))
    let first = "{ \"slots\": 60 }\n"
    let second = "{\"slots\": 1e1, \"order\": \"priorityFirst\"}\n"
    let set = try await installation.run("policy set acme - -o json", input: first)
    #expect(set == Tenantctl.Outcome(output: "{\"version\":1}\n", errors: "", code: 0))
    let again = try await installation.run("policy set acme - --if-version 1 -o json", input: second)
    #expect(again == Tenantctl.Outcome(output: "{\"version\":2}\n", errors: "", code: 0))
    #expect(try await installation.run("policy get acme -o json").output == second)
    #expect(try await installation.run("policy get acme --version 1 -o json").output == first)
    #expect(try await installation.run("policy get acme --version 3").code == 5)
    let versions = try await installation.json("policy versions acme --limit 1")
    #expect(versions["items"]?.array?.map { $0["version"] } == [2])
    #expect(versions["nextCursor"] == "2")
    let rest = try await installation.json("policy versions acme --cursor 2")
    #expect(rest["items"]?.array?.map { $0["version"] } == [1])
    #expect(rest["nextCursor"] == .null)
  }

  @Test("A policy is replaced by those only who say which one they have seen")
  func conflict() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    _ = try await installation.run("policy set acme -", input: "{}")
    #expect(
      try await installation.run("policy set acme -", input: "{\"slots\":1}")
        == Tenantctl.Outcome(
          output: "",
          errors: """
            tenantctl: the tenant 'acme' has a policy already, at version 1. Read it with 'policy get', and say \
            --if-version 1.

            """, code: 6))
    #expect(
      try await installation.run("policy set acme - --if-version 7", input: "{\"slots\":1}")
        == Tenantctl.Outcome(
          output: "",
          errors: """
            tenantctl: the policy of 'acme' is at version 1, not at 7. Read it with 'policy get', and say \
            --if-version 1.

            """, code: 6))
    #expect(try await installation.run("policy get acme -o json").output == "{}\n")
  }

  @Test(
    "A document that is no policy changes nothing",
    arguments: ["{\"slot\": 1}", "[]", "{\"slots\": 0.5}", ""])
  func refused(_ document: String) async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    let outcome = try await installation.run("policy set acme -", input: document)
    #expect(outcome.code == 1)
    #expect(outcome.errors.hasPrefix("tenantctl: standard input"))
    #expect(try await installation.run("policy get acme").code == 5)
  }

  @Test("A dry run tells by its exit code whether the document differs, in meaning")
  func dryRun() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    #expect(
      try await installation.run("policy set acme - --dry-run -o json", input: "{\"slots\":60}")
        == Tenantctl.Outcome(
          output: "{\"currentVersion\":0,\"differs\":true,\"dryRun\":true}\n", errors: "", code: 3))
    _ = try await installation.run("policy set acme -", input: "{\"slots\":60}")
    #expect(
      try await installation.run(
        "policy set acme - --dry-run -o json", input: "{ \"order\": \"soonestFirst\", \"slots\": 60 }")
        == Tenantctl.Outcome(
          output: "{\"currentVersion\":1,\"differs\":false,\"dryRun\":true}\n", errors: "", code: 0))
  }
}
