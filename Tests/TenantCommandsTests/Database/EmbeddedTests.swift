import CarillonPostgres
import CarillonServer
import TestSupport
import Testing

/// With no DATABASE_URL the program finds the cluster that a server runs for itself.
@Suite struct EmbeddedTests {
  @Test func found() async throws {
    try await withTemporaryFolder { folder in
      try await withLoop { loop in
        let cluster = try await EmbeddedDatabase.start(in: folder, loop: loop)
        let made = try await Tenantctl.run(["tenant", "create", "acme", "-o", "csv", "--data", folder])
        #expect(made.errors == "")
        #expect(made.code == 0)
        let found = try await Tenantctl.run(
          ["doctor", "-o", "ndjson"], environment: ["TENANTCTL_DATA": folder])
        #expect(found.errors == "")
        #expect(found.code == 0)
        let roles = try await Tenantctl.run(["db", "roles", "--data", folder])
        #expect(roles.code == 0)
        await cluster.stop()
        let gone = try await Tenantctl.run(["tenant", "list", "--data", folder])
        #expect(gone.code == 1)
        #expect(
          gone.errors == """
            tenantctl: there is no DATABASE_URL, and no database runs under '\(folder)'. Set DATABASE_URL, or start \
            carillon-server, or name its folder with --data.

            """)
      }
    }
  }
}
