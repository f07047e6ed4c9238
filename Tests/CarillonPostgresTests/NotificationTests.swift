import CarillonEventLoop
import CarillonPostgres
import TestSupport
import Testing

/// LISTEN and NOTIFY over a connection.
@Suite struct NotificationTests {
  /// What came, awaited one by one. Confined to its loop.
  private final class Inbox {
    private var arrived: [DatabaseNotification] = []
    private var waiter: UnsafeContinuation<Void, Never>?

    func take(_ notification: DatabaseNotification) {
      arrived.append(notification)
      waiter?.resume()
      waiter = nil
    }

    func next() async -> DatabaseNotification {
      while arrived.isEmpty { await withUnsafeContinuation { waiter = $0 } }
      return arrived.removeFirst()
    }
  }

  @Test func whatIsAnnouncedArrivesWhenItIsCommitted() async throws {
    let database = try await makeDatabase()
    try await withLoop { loop in
      let listener = try await PostgresConnection.connect(database.conninfo, on: loop)
      let speaker = try await PostgresConnection.connect(database.conninfo, on: loop)
      defer { speaker.close() }
      let inbox = Inbox()
      listener.onNotification = inbox.take
      _ = try await listener.run(sql: "LISTEN news")
      try await speaker.transaction {
        _ = try await speaker.run(sql: "SELECT pg_notify('news', 'first'), pg_notify('elsewhere', 'x')")
        // Beside results of its own, too, and not before the commit.
        #expect(try await listener.run(sql: "SELECT 7").int(0, 0) == 7)
      }
      #expect(await inbox.next() == DatabaseNotification(channel: "news", payload: "first"))
      _ = try await listener.run(sql: "SELECT pg_notify('news', 'own')")
      #expect(await inbox.next() == DatabaseNotification(channel: "news", payload: "own"))

      let pid = try await listener.run(sql: "SELECT pg_backend_pid()").int(0, 0)
      _ = try await speaker.run(sql: "SELECT pg_terminate_backend(\(pid))")
      await listener.waitUntilClosed()
      await #expect(throws: PostgresError.self) { try await listener.run(sql: "SELECT 1") }
      listener.close()
      await listener.waitUntilClosed()
    }
  }
}
