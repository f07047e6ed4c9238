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
}
