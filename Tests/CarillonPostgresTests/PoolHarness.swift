import CarillonEventLoop
import CarillonPostgres
import TestSupport

/// Runs `body` with a started pool on a loop of its own, and closes the pool afterwards.
func withPool<R: Sendable>(
  _ conninfo: String, limits: PostgresPool.Limits = PostgresPool.Limits(),
  usesPreparedStatements: Bool = true,
  _ body: @Sendable (PostgresPool, EventLoop) async throws -> R
) async throws -> R {
  try await withLoop { loop in
    let pool = PostgresPool(
      loop: loop, conninfo: conninfo, limits: limits, usesPreparedStatements: usesPreparedStatements)
    pool.start()
    let result: Result<R, any Error>
    do { result = .success(try await body(pool, loop)) } catch { result = .failure(error) }
    await pool.close()
    return try result.get()
  }
}

/// Runs statements one by one on a connection of its own, as superuser unless told otherwise.
@discardableResult
func administer(_ conninfo: String, _ statements: String...) async throws -> Int64? {
  try await withLoop { loop in
    let connection = try await PostgresConnection.connect(conninfo, on: loop)
    defer { connection.close() }
    var last: Rows?
    for statement in statements { last = try await connection.run(sql: statement) }
    guard let last, last.count > 0, last.columnCount > 0, !last.isNull(0, 0) else { return nil }
    return last.int(0, 0)
  }
}

extension Statement {
  static func sql(_ text: String, _ parameters: Parameters = Parameters()) -> Statement {
    Statement(Source(name: text, sql: text), parameters)
  }
}

extension Parameters {
  static func with(_ write: (inout Parameters) -> Void) -> Parameters {
    var parameters = Parameters()
    write(&parameters)
    return parameters
  }
}

/// Inserts `number` with a JSON document into `items`, once: a second time violates its primary key.
func insertion(_ number: Int, json: String = "{}", scope: Work.Scope? = nil) -> Work {
  Work(
    scope: scope, order: Work.Order(high: 0, low: UInt64(number)),
    statements: [
      .sql(
        "INSERT INTO items (number, document) VALUES ($1, $2) RETURNING number",
        .with {
          $0.int8(Int64(number))
          $0.jsonb(Array(json.utf8))
        })
    ])
}

let itemsTable = "CREATE TABLE items (number int8 CONSTRAINT items_pkey PRIMARY KEY, document jsonb NOT NULL)"

func query(_ sql: String, scope: Work.Scope? = nil) -> Work {
  Work(scope: scope, order: Work.Order(high: 0, low: 0), statements: [.sql(sql)])
}

/// The outcome of a throwing call as a value.
func outcome<R>(_ body: () async throws -> R) async -> Result<R, PostgresError> {
  do {
    return .success(try await body())
  } catch let error as PostgresError {
    return .failure(error)
  } catch {
    fatalError("not an error of PostgreSQL: \(error)")
  }
}

extension Result where Failure == PostgresError {
  var errorCode: PostgresError.Code? {
    if case .failure(let error) = self { error.code } else { nil }
  }
}

/// A variable shared by the tasks of one loop.
final class Box<Value> {
  var value: Value
  init(_ value: Value) { self.value = value }
}
