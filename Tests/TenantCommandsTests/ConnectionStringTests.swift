import Glibc
import Testing

/// A password never stands in what `config show` prints, wherever a connection string carries it.
@Suite struct ConnectionStringTests {
  @Test(
    arguments: [
      ("postgres://db/x", "postgres://db/x"),
      ("postgres://me@db:5432/x", "postgres://me@db:5432/x"),
      ("postgres://me:geheim@db:5432/x", "postgres://me:********@db:5432/x"),
      ("postgresql://me:ge@heim@db/x", "postgresql://me:********@db/x"),
      ("postgres://me:ge/heim@db/x", "postgres://me:********@db/x"),
      (
        "postgres:///x?host=/run&password=geheim&user=me", "postgres:///x?host=/run&password=********&user=me"
      ),
      ("host=db user=me password=geheim dbname=x", "host=db user=me password=********"),
      ("host=db password='geheim mit Wort' dbname=x", "host=db password=********"),
      ("host=db dbname=x", "host=db dbname=x"),
      ("host=db PASSWORD = geheim", "host=db PASSWORD=********"),
    ])
  func redacted(_ given: String, _ shown: String) async throws {
    let outcome = try await Tenantctl.run(
      ["config", "show", "-o", "ndjson"], environment: ["DATABASE_URL": given])
    #expect(outcome.output.split(separator: "\n")[1] == "{\"name\":\"database-url\",\"value\":\"\(shown)\"}")
    #expect(!outcome.output.contains("heim"))
  }

  @Test("A password among the arguments is refused, for every user of the machine can read them")
  func argument() async throws {
    let outcome = try await Tenantctl.run([
      "tenant", "list", "--database-url", "postgres://op:top-secret@db/x",
    ])
    #expect(outcome.code == 2 && outcome.output == "")
    #expect(
      outcome.errors == """
        tenantctl: a password stands among the arguments, where every user of this machine can read it. Set \
        DATABASE_URL, and change the password if others may have seen it.

        """)
  }

  @Test("A password in a settings file is refused where others may read the file")
  func file() async throws {
    let folder = try TemporaryFolder()
    let secret = try folder.file("secret.conf", "database-url = postgres://op:top-secret@127.0.0.1:1/x\n")
    let harmless = try folder.file("harmless.conf", "database-url = postgres://op@127.0.0.1:1/x\n")
    for path in [secret, harmless] { #expect(chmod(path, 0o644) == 0) }
    let refused = try await Tenantctl.run(["tenant", "list", "--config", secret])
    #expect(refused.code == 2 && refused.output == "")
    #expect(
      refused.errors == """
        tenantctl: a password stands in the configuration file: '\(secret)' is open to others than its owner \
        (mode 644). Run 'chmod 600 \(secret)', and change the secret if others may have seen it.

        """)
    #expect(chmod(secret, 0o600) == 0)
    for path in [secret, harmless] {
      let taken = try await Tenantctl.run(["tenant", "list", "--config", path])
      #expect(taken.code == 1 && taken.errors.contains("cannot be reached"), "\(taken)")
    }
  }
}
