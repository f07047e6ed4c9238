import CarillonEventLoop
import CarillonPostgres
import IntegrationSupport
import TestSupport
import Testing

/// A transaction of somebody else's that holds locks, so that others stop where they need them: what then happens
/// happens in the order that a test wants.
struct LockGate: Sendable {
  private let isHeld = CompletionSignal()
  private let isOpen = CompletionSignal()

  /// Takes locks and keeps them until ``open()``, or until the database is gone.
  ///
  /// - Parameter sql: a statement that takes them.
  func hold(_ sql: String, in conninfo: String) async throws {
    defer { isHeld.complete() }
    try await withLoop { loop in
      let connection = try await PostgresConnection.connect(conninfo, on: loop)
      defer { connection.close() }
      _ = try await connection.run(sql: "BEGIN")
      _ = try await connection.run(sql: sql)
      isHeld.complete()
      await isOpen.wait()
      // Rolled back with the connection.
    }
  }

  func held() async { await isHeld.wait() }
  func open() { isOpen.complete() }

  /// Returns when so many others wait for a lock in the database.
  static func untilWaiting(_ count: Int, asking column: (String) async throws -> [String?]) async throws {
    let begin = ContinuousClock.now
    let waiting = """
      SELECT count(*)::text FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'
      """
    while try await column(waiting).first != "\(count)" {
      try #require(ContinuousClock.now - begin < .seconds(300), "nobody waits for the lock")
    }
  }
}
