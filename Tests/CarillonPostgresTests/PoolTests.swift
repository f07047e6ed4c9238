import CarillonEventLoop
import CarillonPostgres
import TestSupport
import Testing

@Suite struct PoolTests {
  @Test(arguments: [true, false]) func worksShareATransactionAndGetTheirOwnRows(_ prepared: Bool) async throws
  {
    let database = try await makeDatabase()
    try await administer(database.conninfo, itemsTable)
    var limits = PostgresPool.Limits()
    limits.connections = 1
    let transactions = try await withPool(
      database.conninfo, limits: limits, usesPreparedStatements: prepared
    ) { pool, loop in
      let rows = try await concurrently(64, on: loop) { number in
        let rows = try await pool.run(insertion(number))
        return rows.map { $0.int(0, 0) }
      }
      #expect(rows == (0..<64).map { [Int64($0)] })
      let ids = try await pool.run(query("SELECT count(DISTINCT xmin::text) FROM items"))
      return ids[0].int(0, 0)
    }
    // All are submitted in one turn of the loop, before the connection is up.
    #expect(transactions == 1)
  }

  @Test func aWorkIsAtomicAndItsStatementsRunInOrder() async throws {
    let database = try await makeDatabase()
    try await administer(database.conninfo, itemsTable)
    try await withPool(database.conninfo) { pool, _ in
      var work = insertion(1)
      work.statements.append(.sql("UPDATE items SET number = 2"))
      work.statements.append(.sql("SELECT number FROM items"))
      let rows = try await pool.run(work)
      #expect(rows.count == 3)
      #expect(rows[1].affected == 1)
      #expect(rows[2].int(0, 0) == 2)

      work = insertion(3)
      work.statements.append(.sql("SELECT 1 / 0"))
      let failed = await outcome { try await pool.run(work) }
      guard case .failure(let error) = failed else { return #expect(Bool(false), "it did not fail") }
      #expect(error.code == .refused && error.sqlState == "22012")
      #expect(try await pool.run(query("SELECT count(*) FROM items"))[0].int(0, 0) == 1)
    }
  }

  @Test(arguments: [true, false]) func onePoisonedWorkFailsAloneAndNothingIsLost(_ prepared: Bool)
    async throws
  {
    let database = try await makeDatabase()
    try await administer(database.conninfo, itemsTable)
    let poison = 17
    try await withPool(database.conninfo, usesPreparedStatements: prepared) { pool, loop in
      let outcomes = try await concurrently(65, on: loop) { number in
        await outcome {
          try await pool.run(insertion(number, json: number == poison ? #"{"a":"\u0000"}"# : "{}"))[0].int(
            0, 0)
        }
      }
      for (number, outcome) in outcomes.enumerated() {
        switch outcome {
        case .success(let value): #expect(value == Int64(number) && number != poison)
        case .failure(let error):
          #expect(number == poison && error.code == .refused && error.sqlState == "22P05")
          #expect(!error.description.contains("u0000") && !error.debugMessage.isEmpty)
        }
      }
      // A second application would have violated the primary key.
      let rows = try await pool.run(query("SELECT number FROM items ORDER BY number"))[0]
      #expect((0..<rows.count).map { Int(rows.int($0, 0)) } == (0..<65).filter { $0 != poison })
    }
  }

  @Test func manyBadWorksAmongGoodOnesFailAlone() async throws {
    let database = try await makeDatabase()
    try await administer(database.conninfo, itemsTable)
    try await withPool(database.conninfo) { pool, loop in
      let codes = try await concurrently(128, on: loop) { number in
        let isBad = number % 3 == 0
        let outcome = await outcome {
          try await pool.run(insertion(number, json: isBad ? "not JSON" : "{}"))
        }
        return outcome.errorCode
      }
      #expect(codes == (0..<128).map { $0 % 3 == 0 ? .refused : nil })
      let good = (0..<128).count { $0 % 3 != 0 }
      #expect(try await pool.run(query("SELECT count(*) FROM items"))[0].int(0, 0) == Int64(good))
    }
  }

  @Test func aViolationNamesItsConstraint() async throws {
    let database = try await makeDatabase()
    try await administer(database.conninfo, itemsTable)
    try await withPool(database.conninfo) { pool, _ in
      _ = try await pool.run(insertion(1))
      let second = await outcome { try await pool.run(insertion(1)) }
      guard case .failure(let error) = second else { return #expect(Bool(false), "it did not fail") }
      #expect(error.sqlState == "23505" && error.constraint == "items_pkey")
      // The connection goes on with a clean transaction.
      #expect(try await pool.run(query("SELECT count(*) FROM items"))[0].int(0, 0) == 1)
    }
  }

  @Test func aStatementThatCouldNotBePreparedDoesNotPoisonItsName() async throws {
    let database = try await makeDatabase()
    try await withPool(database.conninfo) { pool, _ in
      let missing = await outcome { try await pool.run(query("SELECT count(*) FROM later")) }
      #expect(missing.errorCode == .refused)
      _ = try await pool.run(query("CREATE TABLE later (number int8)"))
      #expect(try await pool.run(query("SELECT count(*) FROM later"))[0].int(0, 0) == 0)
    }
  }

  @Test func aPlanThatTheSchemaOutgrewIsPreparedAnew() async throws {
    let database = try await makeDatabase()
    try await administer(database.conninfo, itemsTable)
    try await withPool(database.conninfo) { pool, _ in
      _ = try await pool.run(insertion(1))
      #expect(try await pool.run(query("SELECT * FROM items"))[0].columnCount == 2)
      _ = try await pool.run(query("ALTER TABLE items ADD COLUMN extra text"))
      #expect(try await pool.run(query("SELECT * FROM items"))[0].columnCount == 3)
    }
  }

  @Test func deadlocksAreRetriedUntilBothAreDone() async throws {
    let database = try await makeDatabase()
    try await administer(
      database.conninfo, itemsTable, "INSERT INTO items VALUES (1, '0'), (2, '0')",
      "ALTER DATABASE \(database.name) SET deadlock_timeout = '10ms'")
    var limits = PostgresPool.Limits()
    limits.worksPerBatch = 1
    // Each deadlock lets one of the two through, so no work loses more often than there are others.
    try await withPool(database.conninfo, limits: limits) { pool, loop in
      _ = try await concurrently(6, on: loop) { index in
        let (first, second) = index.isMultiple(of: 2) ? (1, 2) : (2, 1)
        let work = Work(
          scope: nil, order: Work.Order(high: 0, low: 0),
          statements: [
            .sql("UPDATE items SET document = to_jsonb(document::int4 + 1) WHERE number = \(first)"),
            .sql("SELECT pg_sleep(0.002)"),
            .sql("UPDATE items SET document = to_jsonb(document::int4 + 1) WHERE number = \(second)"),
          ])
        _ = try await pool.run(work)
      }
      let rows = try await pool.run(query("SELECT document::int4 FROM items ORDER BY number"))[0]
      #expect((0..<2).map { rows.int($0, 0) } == [6, 6])
    }
  }

  @Test func tooMuchWorkIsRefusedAtOnce() async throws {
    let database = try await makeDatabase()
    var limits = PostgresPool.Limits()
    limits.connections = 1
    limits.waitingWorks = 10
    try await withPool(database.conninfo, limits: limits) { pool, loop in
      let outcomes = try await concurrently(15, on: loop) { _ in
        await outcome { try await pool.run(query("SELECT 1")) }
      }
      #expect(outcomes.count { $0.errorCode == .overloaded } == 5)
      #expect(outcomes.count { $0.errorCode == nil } == 10)
    }
  }

  @Test func closingWaitsForTheWorkAtHand() async throws {
    let database = try await makeDatabase()
    try await administer(database.conninfo, itemsTable)
    let kept = try await withPool(database.conninfo) { pool, loop in
      let done = Box(0)
      let keptWhenClosed = Box<Int64?>(nil)
      let outcomes = try await concurrently(101, on: loop) { number -> PostgresError.Code? in
        if number == 100 {
          while pool.waitingWorks == 0 && done.value == 0 { await Task.yield() }
          await pool.close()
          keptWhenClosed.value = try await administer(database.conninfo, "SELECT count(*) FROM items")
          return nil
        }
        let outcome = await outcome { try await pool.run(insertion(number)) }
        if outcome.errorCode == nil { done.value += 1 }
        return outcome.errorCode
      }
      // What came too late was told so; the rest was done before the pool closed.
      #expect(Set(outcomes).isSubset(of: [nil, .closed]))
      #expect(done.value > 0 && keptWhenClosed.value == Int64(done.value))
      let late = await outcome { try await pool.run(query("SELECT 1")) }
      #expect(late.errorCode == .closed)
      #expect(!pool.isReady)
      await pool.close()
      return done.value
    }
    #expect(try await administer(database.conninfo, "SELECT count(*) FROM items") == Int64(kept))
  }

  @Test func aCancelledTaskTakesItsWorkBackIfItStillWaits() async throws {
    let database = try await makeDatabase()
    try await administer(database.conninfo, itemsTable)
    var limits = PostgresPool.Limits()
    limits.connections = 1
    limits.worksPerBatch = 1
    try await withPool(database.conninfo, limits: limits) { pool, loop in
      let cancelled = Box<PostgresError.Code?>(nil)
      let sent = Box<PostgresError.Code?>(.closed)
      struct Stop: Error {}
      // The third throws, which cancels the others.
      await #expect(throws: Stop.self) {
        _ = try await concurrently(3, on: loop) { index in
          switch index {
          case 0: sent.value = await outcome { try await pool.run(query("SELECT pg_sleep(0.1)")) }.errorCode
          case 1: cancelled.value = await outcome { try await pool.run(query("SELECT 2")) }.errorCode
          default:
            while pool.waitingWorks != 1 { await Task.yield() }
            throw Stop()
          }
        }
      }
      #expect(cancelled.value == .cancelled)
      #expect(sent.value == nil)
    }
  }

  @Test func nothingHopsBetweenThreadsUnderLoad() async throws {
    let database = try await makeDatabase()
    try await administer(database.conninfo, itemsTable)
    let hops = try await withPool(database.conninfo) { pool, loop in
      _ = try await pool.run(query("SELECT 1"))
      return try await concurrently(64, on: loop) { caller in
        _ = try await pool.run(insertion(caller * 100))
        let before = loop.remoteEnqueueCount
        for step in 1..<50 { _ = try await pool.run(insertion(caller * 100 + step)) }
        return loop.remoteEnqueueCount - before
      }
    }
    #expect(hops == Array(repeating: 0, count: 64))
  }
}
