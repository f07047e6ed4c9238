import CarillonCrypto
import CarillonJSON
import CarillonModel
import CarillonStore
import Foundation
import Glibc
import IntegrationSupport
import Testing

/// `tenantctl key rotate-signing` and `key rotate-master`, beside servers that use the keys.
@Suite struct SigningKeyTests {
  private static let device = "8d3f6f2e-52d4-4f29-9c9b-0c3c8a1c1a11"

  /// The status that the plan of a device that has not reported is answered with: 404 where the token is taken.
  private func status(_ token: String, _ server: TestServer) async throws -> Int {
    try await HTTPTestClient(port: server.port, key: token).send("GET", "/v1/devices/\(Self.device)/plan")
      .status
  }

  @Test("Tokens that are about serve until the overlap has passed, and the next one has a new key")
  func overlap() async throws {
    let installation = try await Installation()
    // The command reads the real clock.
    let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    try await TestServer.with(now: now, database: installation.database) { server in
      let tenant = try await server.makeTenant("acme")
      #expect(try await installation.json("key rotate-signing acme")["items"] == [])
      let old = try await server.token(tenant, device: Self.device)
      let dry = try await installation.json("key rotate-signing acme --overlap 600 --dry-run")
      let item = try #require(dry["items"]?[0])
      #expect(item.object?.map(\.name) == ["keyId", "createdAt", "retiresAt", "dryRun"])
      #expect(
        try await installation.database.column("SELECT count(retires_at)::text FROM carillon.signing_keys")
          == ["0"])

      let done = try await installation.json("key rotate-signing acme")
      #expect(done["items"]?[0]?.object?.map(\.name) == ["keyId", "createdAt", "retiresAt"])
      #expect(done["items"]?[0]?["keyId"] == item["keyId"])
      let new = try await server.token(tenant, device: Self.device)
      #expect(old.prefix { $0 != "." } != new.prefix { $0 != "." })
      for token in [old, new] { #expect(try await status(token, server) == 404) }
    }
  }

  @Test("--now ends every token, once that is confirmed")
  func now() async throws {
    let installation = try await Installation()
    let now = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    try await TestServer.with(now: now, database: installation.database) { server in
      let tenant = try await server.makeTenant("acme")
      let other = try await server.makeTenant("umbrella")
      let theirs = try await server.token(other, device: Self.device)
      for (words, input, code): ([String], String, Int32) in [
        (["--now"], "", 2), (["--now"], "umbrella\n", 2), (["--overlap", "60"], "", 2),
        (["--now", "--dry-run"], "", 0),
        (["--now"], "acme\n", 0), (["--now", "--yes"], "", 0),
      ] {
        let token = try await server.token(tenant, device: Self.device)
        let outcome = try await installation.run(["key", "rotate-signing", "acme"] + words, input: input)
        #expect(outcome.code == code, "\(outcome)")
        guard code == 0, !words.contains("--dry-run") else {
          #expect(try await status(token, server) == 404)
          continue
        }
        server.clock.move(to: Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)))
        let clock = ContinuousClock()
        let ended = clock.now
        var last = ended
        while try await status(token, server) != 401 {
          last = clock.now
          try #require(last - ended < .seconds(10))
        }
        #expect(last - ended < .seconds(1))
      }
      #expect(try await status(theirs, server) == 404)
    }
  }

  @Test("A change of the master key seals everything anew, and a server that has both keys never notices")
  func master() async throws {
    let installation = try await Installation()
    let folder = try TemporaryFolder()
    var random = SecureRandom()
    let (old, new, third) = (
      MasterKey.make(using: &random), MasterKey.make(using: &random), MasterKey.make(using: &random)
    )
    func file(_ name: String, _ key: MasterKey) throws -> String {
      let path = folder.path(name)
      try SecretFile.create(path, key.text + "\n")
      return path
    }
    let (oldFile, newFile, thirdFile) = (
      try file("old", old), try file("new", new), try file("third", third)
    )
    func rotate(_ from: String, _ to: String, _ words: String...) async throws -> Tenantctl.Outcome {
      let outcome = try await installation.run(
        ["key", "rotate-master", "--old-file", from, "--new-file", to, "-o", "json"] + words)
      for key in [old, new, third] { #expect(!(outcome.output + outcome.errors).contains(key.text)) }
      return outcome
    }
    func fingerprints() async throws -> Set<String?> {
      Set(try await installation.database.column("SELECT master_key FROM carillon.signing_keys"))
    }

    let tokens = try await TestServer.with(
      database: installation.database, masterKeys: MasterKeys(current: old)
    ) {
      server in
      var tokens: [String] = []
      for name in ["acme", "umbrella", "tyrell"] {
        tokens.append(try await server.token(try await server.makeTenant(name), device: Self.device))
      }
      return tokens
    }
    #expect(try await rotate(oldFile, oldFile).code == 2)
    let wrong = try await rotate(thirdFile, newFile)
    #expect(wrong.code == 1 && wrong.errors.contains("third master key (\(old.fingerprint))"), "\(wrong)")
    #expect(try await rotate(oldFile, folder.path("none")).code == 1)
    #expect(chmod(oldFile, 0o640) == 0)
    let open = try await rotate(oldFile, newFile)
    #expect(open.code == 1 && open.errors.contains("chmod 600"), "\(open)")
    #expect(chmod(oldFile, 0o600) == 0)
    #expect(try await fingerprints() == [old.fingerprint])

    let both = MasterKeys(current: new, previous: old)
    try await TestServer.with(database: installation.database, masterKeys: both) { server async throws in
      for token in tokens { #expect(try await status(token, server) == 404) }
      let dry = try await rotate(oldFile, newFile, "--dry-run")
      #expect(dry.code == 3)
      #expect(
        try JSONValue(parsing: dry.output)
          == ["masterKey": .string(new.fingerprint), "resealed": 3, "unchanged": 0, "dryRun": true])
      #expect(try await fingerprints() == [old.fingerprint])
      let done = try await rotate(oldFile, newFile)
      #expect(done.code == 0)
      #expect(
        try JSONValue(parsing: done.output)
          == ["masterKey": .string(new.fingerprint), "resealed": 3, "unchanged": 0])
      #expect(try await fingerprints() == [new.fingerprint])
      for token in tokens { #expect(try await status(token, server) == 404) }
      let again = try await rotate(oldFile, newFile)
      #expect(try JSONValue(parsing: again.output)["unchanged"] == 3)
      // Even with nothing remembered any more.
      try await TestServer.with(database: installation.database, masterKeys: MasterKeys(current: new)) {
        server async throws in
        for token in tokens { #expect(try await status(token, server) == 404) }
      }
      try await TestServer.with(database: installation.database, masterKeys: MasterKeys(current: old)) {
        server async throws in
        for token in tokens { #expect(try await status(token, server) == 503) }
      }
    }
  }

  @Test("A row that was changed is found before anything is")
  func damaged() async throws {
    let installation = try await Installation()
    let folder = try TemporaryFolder()
    var random = SecureRandom()
    let new = MasterKey.make(using: &random)
    try SecretFile.create(folder.path("old"), TestServer.masterKeys.current.text)
    try SecretFile.create(folder.path("new"), new.text)
    try await TestServer.with(database: installation.database) { server in
      for name in ["acme", "umbrella"] {
        _ = try await server.token(try await server.makeTenant(name), device: Self.device)
      }
    }
    // One tenant's secret in the other's row.
    _ = try await installation.database.column(
      """
      UPDATE carillon.signing_keys AS k SET sealed_secret = (
        SELECT o.sealed_secret FROM carillon.signing_keys AS o WHERE o.key_id <> k.key_id)
      WHERE k.key_id = (SELECT max(key_id) FROM carillon.signing_keys)
      """)
    let outcome = try await installation.run([
      "key", "rotate-master", "--old-file", folder.path("old"), "--new-file", folder.path("new"),
    ])
    #expect(outcome.code == 1 && outcome.errors.contains("does not open"), "\(outcome)")
    #expect(
      Set(try await installation.database.column("SELECT master_key FROM carillon.signing_keys"))
        == [TestServer.masterKeys.current.fingerprint])
  }
}
