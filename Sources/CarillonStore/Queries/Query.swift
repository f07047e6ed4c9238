import CarillonModel
import CarillonPostgres

/// One statement and how its rows are read: the same for the server's pool and the operator's connection.
struct Query<Answer> {
  let statement: Statement
  let read: (Rows) throws(StoreError) -> Answer

  init(
    _ name: StatementName, _ build: (inout Parameters) -> Void = { _ in },
    read: @escaping (Rows) throws(StoreError) -> Answer
  ) {
    var parameters = Parameters()
    build(&parameters)
    self.statement = Statement(name.source, parameters)
    self.read = read
  }

  /// Reads each row.
  static func list<Element>(
    _ name: StatementName, _ build: (inout Parameters) -> Void = { _ in },
    row read: @escaping (Rows, Int) throws(StoreError) -> Element
  ) -> Query where Answer == [Element] {
    Query(name, build) { (rows) throws(StoreError) in
      var result: [Element] = []
      result.reserveCapacity(rows.count)
      for row in 0..<rows.count { result.append(try read(rows, row)) }
      return result
    }
  }

  /// Reads the first row; nil when there is none.
  static func first<Element>(
    _ name: StatementName, _ build: (inout Parameters) -> Void = { _ in },
    row read: @escaping (Rows, Int) throws(StoreError) -> Element
  ) -> Query where Answer == Element? {
    Query(name, build) { (rows) throws(StoreError) in rows.count == 0 ? nil : try read(rows, 0) }
  }
}

extension Store {
  /// Runs queries that commit together under one tenant; the reading is left to the caller.
  func run(_ statements: [Statement], tenant: TenantID, order: UUID128) async throws(StoreError) -> [Rows] {
    let scope = Work.Scope(setting: "app.tenant_id", uncheckedValue: tenant.uuid.description)
    return try await run(
      Work(scope: scope, order: Work.Order(high: order.high, low: order.low), statements: statements))
  }

  func run<Answer>(_ query: Query<Answer>, tenant: TenantID) async throws(StoreError) -> Answer {
    try query.read(try await run([query.statement], tenant: tenant, order: tenant.uuid)[0])
  }

  func run<Answer>(_ query: Query<Answer>, tenant: TenantID, device: DeviceID) async throws(StoreError)
    -> Answer
  {
    try query.read(try await run([query.statement], tenant: tenant, order: device.uuid)[0])
  }

  func run(_ work: Work) async throws(StoreError) -> [Rows] {
    do { return try await pool.run(work) } catch {
      throw StoreError.isOvertaken(error) ? .overtaken : .database(error)
    }
  }
}

extension OperatorStore {
  func run<Answer>(_ query: Query<Answer>) async throws(StoreError) -> Answer {
    try query.read(try await run(query.statement))
  }

  func run(_ statement: Statement) async throws(StoreError) -> Rows {
    do { return try await connection.run(statement) } catch { throw .database(error) }
  }
}
