import CarillonEventLoop
import CarillonPostgres
import TestSupport
import Testing

/// The server goes away under load: what was answered is kept, what fails says so, and the pool comes back.
@Suite(.timeLimit(.minutes(2))) struct PoolFailureTests {
  /// What became of each number that a caller tried to insert.
  private final class Journal {
    var next = 0
    var answered: [Int] = []
    var neverSent: [Int] = []
    var codes: Set<PostgresError.Code> = []
    var isOver = false

    func waitForAnswers(_ count: Int) async {
      let goal = answered.count + count
      while answered.count < goal { await Task.yield() }
    }
  }

  /// Sixteen callers insert without end while `disturb` does its work; afterwards the table is compared.
  private func load(_ conninfo: String, disturb: @escaping @Sendable (EventLoop) async throws -> Void)
    async throws
    -> Set<PostgresError.Code>
  {
    var limits = PostgresPool.Limits()
    limits.waitForConnection = .milliseconds(100)
    let (answered, neverSent, codes) = try await withPool(conninfo, limits: limits) { pool, loop in
      let journal = Journal()
      _ = try await concurrently(17, on: loop) { caller in
        if caller == 16 {
          defer { journal.isOver = true }
          await journal.waitForAnswers(200)
          try await disturb(loop)
          await journal.waitForAnswers(200)
          return
        }
        while !journal.isOver {
          journal.next += 1
          let number = journal.next
          let outcome = await outcome { try await pool.run(insertion(number)) }
          if let code = outcome.errorCode {
            journal.codes.insert(code)
          } else {
            journal.answered.append(number)
          }
          if outcome.errorCode == .unavailable { journal.neverSent.append(number) }
        }
      }
      return (journal.answered, journal.neverSent, journal.codes)
    }
    let found = try await withLoop { loop in
      let connection = try await PostgresConnection.connect(conninfo, on: loop)
      defer { connection.close() }
      let rows = try await connection.run(sql: "SELECT number FROM items")
      return Set((0..<rows.count).map { Int(rows.int($0, 0)) })
    }
    #expect(Set(answered).subtracting(found) == [], "answered, and lost")
    #expect(found.isDisjoint(with: neverSent), "called unavailable, and done")
    return codes
  }

  @Test func aKilledAndRestartedServerLosesNothingThatWasAnswered() async throws {
    try await withTemporaryFolder { folder in
      let configuration = LocalCluster.Configuration(folder: "\(folder)/cluster")
      let first = try await LocalCluster.start(configuration)
      let conninfo = first.conninfo(role: "postgres", database: "postgres")
      try await administer(conninfo, itemsTable)
      let second = Holder()
      let codes = try await load(conninfo) { _ in
        await first.kill()
        second.cluster = try await LocalCluster.start(configuration)
      }
      await second.cluster?.stop()
      #expect(!codes.isEmpty)
      #expect(codes.isSubset(of: [.connectionLost, .unavailable]))
    }
  }

  private final class Holder: @unchecked Sendable {
    // Unchecked: written and read by one task.
    var cluster: LocalCluster?
  }

  @Test func terminatedBackendsAreReplaced() async throws {
    let database = try await makeDatabase()
    try await administer(database.conninfo, itemsTable)
    let codes = try await load(database.conninfo) { _ in
      let terminated = try await administer(
        database.conninfo,
        """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        """)
      #expect(terminated ?? 0 > 0)
    }
    #expect(codes.isSubset(of: [.connectionLost, .unavailable]))
  }

  @Test func withoutAServerWorksFailInTime() async throws {
    var limits = PostgresPool.Limits()
    limits.waitForConnection = .milliseconds(50)
    try await withPool("host=/nonexistent", limits: limits) { pool, loop in
      let codes = try await concurrently(3, on: loop) { _ in
        await outcome { try await pool.run(query("SELECT 1")) }.errorCode
      }
      #expect(codes == [.unavailable, .unavailable, .unavailable])
      #expect(!pool.isReady)
    }
    try await withLoop { loop in
      let failed = await outcome { _ = try await PostgresConnection.connect("host=/nonexistent", on: loop) }
      #expect(failed.errorCode == .unavailable)
    }
  }
}
