import CarillonCrypto
import CarillonStore
import Foundation
import Glibc
import IntegrationSupport
import TestSupport
import Testing

/// On what the server does not start, and what it says then. Roles, the schema that is missing and the zone folder stand
/// in ``ProgramTests``.
@Suite struct StartTests {
  private func refusal(
    _ arguments: [String] = [], database: MigratedDatabase, environment: [String: String] = [:]
  ) async throws -> String {
    let listen =
      arguments.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
    let server = try ProgramTests.Running(
      listen + ["--admin-listen", "127.0.0.1:0", "--loops", "1"] + arguments,
      environment: ["DATABASE_URL": database.conninfo(.app)].merging(environment) { $1 })
    let text = await server.readToEnd()
    #expect(server.process.terminationStatus == 1)
    #expect(text.contains("cannot start") && !text.contains("ready"), "\(text)")
    return text
  }

  @Test func itRefusesAHalfRunSchema() async throws {
    for (change, word, remedy) in [
      (
        "DELETE FROM carillon.schema_migrations WHERE version = (SELECT max(version) FROM carillon.schema_migrations)",
        "lacks the migrations", "tenantctl db migrate"
      ),
      (
        """
        INSERT INTO carillon.schema_migrations
        SELECT (jsonb_populate_record(m, '{"version": 9999}')).* FROM carillon.schema_migrations AS m WHERE version = 1
        """,
        "does not know: [9999]", "tenantctl db rollback"
      ),
      (
        "UPDATE carillon.schema_migrations SET name = name, checksum = 'x' WHERE version = 2", "another text",
        "must never be edited"
      ),
    ] {
      let database = try await MigratedDatabase.make()
      _ = try await database.column("\(change) RETURNING 1::text")
      let text = try await refusal(database: database)
      #expect(text.contains(word) && text.contains(remedy), "\(text)")
    }
  }

  @Test func itRefusesAMasterKeyThatIsNone() async throws {
    let database = try await MigratedDatabase.make()
    try await withTemporaryFolder { folder in
      var random = SecureRandom()
      let key = MasterKey.make(using: &random)
      let good = "\(folder)/good"
      try SecretFile.create(good, key.text)
      let weak = "\(folder)/weak"
      try SecretFile.create(weak, String(repeating: "ab", count: 32))
      let short = "\(folder)/short"
      try SecretFile.create(short, "c2hvcnQ=")
      let open = "\(folder)/open"
      try SecretFile.create(open, key.text)
      #expect(chmod(open, 0o644) == 0)
      let named = "CARILLON_MASTER_KEY_FILE"
      for (environment, word, remedy) in [
        ([named: weak], "not random", "openssl rand"), ([named: short], "5 bytes", "openssl rand"),
        ([named: open], "open to others", "chmod 600 \(open)"),
        ([named: "\(folder)/none"], "cannot be read", "Name a file"),
        ([named: folder], "no regular file", "Name a file"),
        (["CARILLON_MASTER_KEY": "secret-that-is-none!"], "neither base64", "openssl rand"),
        (["CARILLON_MASTER_KEY": key.text, named: good], "twice", "not both"),
        (["CARILLON_MASTER_KEY_OLD_FILE": good], "not the one in use", named),
        ([named: good, "CARILLON_MASTER_KEY_OLD_FILE": weak], "not random", "openssl rand"),
      ] as [([String: String], String, String)] {
        let text = try await refusal(database: database, environment: environment)
        #expect(text.contains(word) && text.contains(remedy), "\(environment.keys): \(text)")
        #expect(!text.contains(key.text) && !text.contains("secret-that-is-none"))
      }
    }
  }

  @Test(arguments: ["0.0.0.0:0", "[::]:0"])
  func itRefusesAnOpenListenerWithoutTLSUnlessToldSo(_ address: String) async throws {
    let database = try await MigratedDatabase.make()
    let text = try await refusal(["--listen", address], database: database)
    #expect(text.contains("without TLS") && text.contains("--insecure-public-listener"), "\(text)")
    guard address.hasPrefix("0") else { return }
    let server = try ProgramTests.Running(
      ["--listen", address, "--admin-listen", "127.0.0.1:0", "--loops", "1", "--insecure-public-listener"],
      environment: ["DATABASE_URL": database.conninfo(.app)])
    #expect(await server.read(until: "ready"), "\(server.lines)")
    server.process.terminate()
    _ = await server.readToEnd()
  }

  @Test func itRefusesAnOpenAdminListenerUnlessToldSo() async throws {
    let database = try await MigratedDatabase.make()
    func running(_ options: [String]) throws -> ProgramTests.Running {
      try ProgramTests.Running(
        ["--listen", "127.0.0.1:0", "--admin-listen", "0.0.0.0:0", "--loops", "1"] + options,
        environment: ["DATABASE_URL": database.conninfo(.app)])
    }
    let refused = try running([])
    let text = await refused.readToEnd()
    #expect(refused.process.terminationStatus == 1)
    #expect(
      text.contains("admin listener would be open") && text.contains("--insecure-admin-listener"), "\(text)")
    let server = try running(["--insecure-admin-listener"])
    #expect(await server.read(until: "ready"), "\(server.lines)")
    server.process.terminate()
    _ = await server.readToEnd()
  }

  @Test(arguments: [
    ([], "\"field\":\"Forwarded\",\"honouredFrom\":\"none\""),
    (
      ["--trusted-proxies", "10.0.0.0/8,::1", "--forwarded-header", "X-Forwarded-For"],
      "\"field\":\"X-Forwarded-For\",\"honouredFrom\":\"10.0.0.0/8,::1/128\""
    ),
  ])
  func itSaysFromWhomForwardedIsHonoured(_ options: [String], _ words: String) async throws {
    let database = try await MigratedDatabase.make()
    let server = try ProgramTests.Running(
      ["--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "1"] + options,
      environment: ["DATABASE_URL": database.conninfo(.app)])
    #expect(await server.read(until: "ready"), "\(server.lines)")
    #expect(
      server.lines.contains { $0.contains("addresses of clients") && $0.contains(words) }, "\(server.lines)")
    server.process.terminate()
    _ = await server.readToEnd()
  }

  @Test(arguments: ["--database-url", "--worker-database-url"])
  func itRefusesAPasswordAmongItsArguments(_ option: String) async throws {
    let database = try await MigratedDatabase.make()
    for url in ["postgres://app:top-secret@127.0.0.1/x", "host=127.0.0.1 password='top-secret'"] {
      let text = try await refusal([option, url], database: database)
      #expect(
        text.contains("environment") && text.contains(option) && !text.contains("top-secret"), "\(text)")
    }
  }

  @Test(arguments: ["database-url", "worker-database-url"])
  func itRefusesAPasswordInAConfigurationFileThatOthersMayRead(_ option: String) async throws {
    let database = try await MigratedDatabase.make()
    try await withTemporaryFolder { folder in
      let path = "\(folder)/carillon.conf"
      try SecretFile.create(path, "\(option) = \(database.conninfo(.app)) password='top-secret'\n")
      func refused() async throws -> String {
        let server = try ProgramTests.Running([
          "--config", path, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--tzdir", "/nowhere",
        ])
        let text = await server.readToEnd()
        #expect(server.process.terminationStatus == 1 && !text.contains("top-secret"), "\(text)")
        return text
      }
      for mode in [0o640, 0o604, 0o620] as [mode_t] {
        #expect(chmod(path, mode) == 0)
        let text = try await refused()
        #expect(
          text.contains("open to others") && text.contains("chmod 600 \(path)") && text.contains(option),
          "\(text)")
      }
      // Its owner's alone it is taken, and the next thing that is missing is told.
      #expect(chmod(path, 0o600) == 0)
      #expect(try await refused().contains("/nowhere"))
    }
    // Without a password the file is anybody's.
    try await withTemporaryFolder { folder in
      let path = "\(folder)/carillon.conf"
      try SecretFile.create(path, "database-url = \(database.conninfo(.app))\nloops = 1\n")
      #expect(chmod(path, 0o644) == 0)
      let server = try ProgramTests.Running([
        "--config", path, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0",
      ])
      #expect(await server.read(until: "ready"), "\(server.lines)")
      server.process.terminate()
      _ = await server.readToEnd()
    }
  }

  /// The embedded database's own key: made once, its owner's alone, and the same after a restart.
  @Test func anEmbeddedDatabaseHasAKeyOfItsOwn() async throws {
    try await withTemporaryFolder { folder in
      let arguments = [
        "--data", folder, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--loops", "1",
      ]
      let path = "\(folder)/master.key"
      var texts: [String] = []
      for _ in 1...2 {
        let server = try ProgramTests.Running(arguments)
        try #require(await server.read(until: "ready"), "\(server.lines)")
        #expect(!server.lines.contains { $0.contains("no device tokens") })
        texts.append(try SecretFile.read(path))
        server.process.terminate()
        _ = await server.readToEnd()
      }
      #expect(texts[0] == texts[1])
      #expect(chmod(path, 0o604) == 0)
      let open = try ProgramTests.Running(arguments)
      let text = await open.readToEnd()
      #expect(open.process.terminationStatus == 1 && text.contains("chmod 600"), "\(text)")
    }
  }
}
