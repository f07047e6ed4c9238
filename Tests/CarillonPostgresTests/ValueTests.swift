import CarillonEventLoop
import CarillonPostgres
import TestSupport
import Testing

/// Values go to the server and come back in binary form, unchanged.
@Suite struct ValueTests {
  private func roundTrip<R: Sendable>(
    _ cast: String, _ write: @Sendable (inout Parameters) -> Void, _ read: @Sendable (Rows) -> R
  ) async throws -> R {
    let database = try await makeDatabase()
    return try await withLoop { loop in
      let connection = try await PostgresConnection.connect(database.conninfo, on: loop)
      defer { connection.close() }
      var parameters = Parameters()
      write(&parameters)
      return read(
        try await connection.run(Statement(.init(name: "echo", sql: "SELECT $1::\(cast)"), parameters)))
    }
  }

  @Test(arguments: ["", "a", "Grüße 🔔", String(repeating: "x", count: 100_000)])
  func text(_ value: String) async throws {
    #expect(try await roundTrip("text", { $0.text(value) }, { $0.text(0, 0) }) == value)
  }
}
