import Testing

/// Commands that want a database, and there is none.
@Suite struct NoDatabaseTests {
  @Test("Without a database it says what is missing and what to do")
  func noDatabase() async throws {
    let outcome = try await Tenantctl.run(["tenant", "list"])
    #expect(
      outcome
        == Tenantctl.Outcome(
          output: "",
          errors: """
            tenantctl: there is no DATABASE_URL, and no database runs under '.carillon'. Set DATABASE_URL, or start \
            carillon-server, or name its folder with --data.

            """, code: 1))
  }

  @Test("A database that is away is an error that tells no password")
  func unreachable() async throws {
    let outcome = try await Tenantctl.run(
      ["tenant", "list"], environment: ["DATABASE_URL": "postgres://me:geheim@127.0.0.1:1/x"])
    #expect(
      outcome
        == Tenantctl.Outcome(
          output: "",
          errors: """
            tenantctl: the database cannot be reached. Check that it runs, and that host, port, name and password in \
            DATABASE_URL are right.

            """, code: 1))
  }
}
