import CarillonEventLoop
import CarillonModel
import CarillonPostgres
import CarillonStore
import IntegrationSupport
import TestSupport

/// A migrated database with two tenants, and the doors to it. Confined to its loop.
final class StoreWorld {
  let loop: EventLoop
  let database: MigratedDatabase
  let pool: PostgresPool
  let store: Store
  let operators: OperatorStore
  /// Sees past row security.
  let superuser: PostgresConnection
  let tenant = TenantID(UUID128(high: 0x1111_1111_1111_4111, low: 0x8111_1111_1111_1111))
  let otherTenant = TenantID(UUID128(high: 0x2222_2222_2222_4222, low: 0x8222_2222_2222_2222))

  fileprivate init(loop: EventLoop, database: MigratedDatabase) async throws {
    self.loop = loop
    self.database = database
    pool = PostgresPool(loop: loop, conninfo: database.conninfo(.app))
    pool.start()
    store = Store(pool: pool)
    operators = OperatorStore(
      connection: try await PostgresConnection.connect(database.conninfo(.operator), on: loop))
    superuser = try await PostgresConnection.connect(database.superuserConninfo, on: loop)
    _ = try await operators.createTenant(id: tenant, name: "first", at: Sample.start)
    _ = try await operators.createTenant(id: otherTenant, name: "second", at: Sample.start)
  }

  /// The only value of a query as superuser.
  func count(_ sql: String) async throws -> Int { Int(try await superuser.run(sql: sql).int(0, 0)) }

  func texts(_ sql: String) async throws -> [String] {
    let rows = try await superuser.run(sql: sql)
    return (0..<rows.count).map { rows.text($0, 0) }
  }
}

/// Runs `body` on a loop of its own, over a database of its own.
func withStore(_ body: @Sendable (StoreWorld) async throws -> Void) async throws {
  try await withStore(over: try await MigratedDatabase.make(), body)
}

func withStore(
  over database: MigratedDatabase, _ body: @Sendable (StoreWorld) async throws -> Void
) async throws {
  try await withLoop { loop in
    let world = try await StoreWorld(loop: loop, database: database)
    let result: Result<Void, any Error>
    do { result = .success(try await body(world)) } catch { result = .failure(error) }
    await world.pool.close()
    world.superuser.close()
    try result.get()
  }
}
