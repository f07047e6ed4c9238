import CarillonCrypto
import CarillonJSON
import Testing

@Suite struct KeyTests {
  @Test("A key is shown whole, once")
  func once() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    let made = try await installation.json("key create acme --scope all")
    #expect(made.object?.map(\.name) == ["keyId", "key", "tenant", "scopes", "createdAt", "expiresAt"])
    let text = try #require(made["key"]?.string)
    #expect(TenantKey(text)?.keyId == made["keyId"]?.string)
    #expect(made["scopes"] == ["devices", "notifications", "policy", "reports"])
    #expect(made["expiresAt"] == .null)

    let listed = try await installation.json("key list acme")
    #expect(
      listed["items"]?[0]?.object?.map(\.name)
        == ["keyId", "state", "scopes", "createdAt", "expiresAt", "revokedAt"])
    #expect(listed["items"]?[0]?["keyId"] == made["keyId"])
    #expect(listed["items"]?[0]?["state"] == "active")
    let secret = text.suffix(52)
    #expect(!String(decoding: listed.bytes, as: UTF8.self).contains(secret))
  }

  @Test("Scopes add up, and a key may end by itself")
  func scopes() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    let made = try await installation.json(
      "key create acme --scope reports --scope devices --expires 2999-01-01T01:00:00+01:00")
    #expect(made["scopes"] == ["devices", "reports"])
    #expect(made["expiresAt"] == "2999-01-01T00:00:00Z")
  }

  @Test("A dry run makes no key")
  func dryRun() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    let made = try await installation.json("key create acme --scope all --dry-run")
    #expect(made["key"] == .null)
    #expect(made["dryRun"] == true)
    #expect(try await installation.json("key list acme")["items"] == [])
  }

  @Test("A key ends only when that is confirmed: by --yes, or by the tenant's name")
  func revoke() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    for (words, input, code): ([String], String, Int32) in [
      ([], "", 2), ([], "acne\n", 2), (["--dry-run"], "", 0), ([], "acme\n", 0), (["--yes"], "", 0),
    ] {
      let id = try #require(try await installation.json("key create acme --scope all")["keyId"]?.string)
      let outcome = try await installation.run(["key", "revoke", "acme", id] + words, input: input)
      #expect(outcome.code == code)
      let state = try await installation.json("key list acme")["items"]?.array?.last?["state"]
      #expect(state == (code == 0 && words != ["--dry-run"] ? "revoked" : "active"))
      if code == 2 {
        #expect(outcome.output == "")
        #expect(
          outcome.errors == """
            tenantctl: nothing was changed: this would end the key '\(id)' of 'acme' for good, and nobody confirmed \
            it. Say --yes, or type 'acme' when asked.

            """)
      }
    }
  }

  @Test("A key of another tenant is not found, and a whole key given by mistake is not shown again")
  func foreign() async throws {
    let installation = try await Installation()
    _ = try await installation.json("tenant create acme")
    _ = try await installation.json("tenant create umbrella")
    let made = try await installation.json("key create acme --scope all")
    let id = try #require(made["keyId"]?.string)
    let key = try #require(made["key"]?.string)
    #expect(
      try await installation.run("key revoke umbrella \(id) --yes")
        == Tenantctl.Outcome(
          output: "",
          errors: """
            tenantctl: '\(id)' is no key id of the tenant 'umbrella'. 'tenantctl key list umbrella' shows those that \
            exist.

            """, code: 5))
    let outcome = try await installation.run("key revoke acme \(key) --yes")
    #expect(outcome.code == 5)
    #expect(!outcome.errors.contains(key.suffix(52)))
  }
}
