import CarillonPostgres
import CarillonSQL

/// The database's schema: its roles, its migrations, and whether a server may start on it.
public enum Schema {
  /// Where all of Carillon's objects live.
  public static let name = "carillon"

  /// The role a command connects as.
  public enum Role: String, Sendable, CaseIterable {
    /// Owns the schema; migrations run as this role.
    case owner = "carillon_owner"
    /// The server.
    case app = "carillon_app"
    /// `tenantctl`: sees all tenants.
    case `operator` = "carillon_operator"
    /// Claims jobs over tenants.
    case worker = "carillon_worker"
  }

  /// Every step, from nothing to this version.
  public static var migrations: [Migration] {
    CarillonSQL.migrations.map { files in
      Migration(version: files.version, name: files.name, up: files.up, down: files.down)
    }
  }

  public static var migrator: Migrator { Migrator(schema: name, migrations: migrations) }

  /// Makes the roles, or brings them to this version, and lets the owner make the schema in this database.
  /// Idempotent; needs a superuser.
  public static func installRoles(on connection: PostgresConnection) async throws(StoreError) {
    do { _ = try await connection.run(sql: CarillonSQL.roles) } catch { throw .database(error) }
  }

  /// Whether a server may start on this connection.
  public static func check(_ connection: PostgresConnection) async throws(SchemaError) {
    let role: Rows
    do {
      role = try await connection.run(Statement(StatementName.schemaRole.source))
    } catch {
      throw .database(error)
    }
    try checkRole(role)
    guard role.bool(0, 4) else { throw .missing }

    let status: MigrationStatus
    do {
      status = try await migrator.status(on: connection)
    } catch let error as PostgresError where error.sqlState != insufficientPrivilege {
      throw .database(error)
    } catch {
      // Its first step opens the schema to the server: before that the server may not even look.
      throw .missing
    }
    try checkStatus(status)
  }

  /// Whether a server may tidy up on this connection.
  public static func checkWorker(_ connection: PostgresConnection) async throws(SchemaError) {
    let role: Rows
    do {
      role = try await connection.run(Statement(StatementName.schemaRole.source))
    } catch {
      throw .database(error)
    }
    let name = role.text(0, 0)
    if let problem = workerProblem(role) { throw .unsafeWorker(name: name, problem: problem) }
  }

  private static func workerProblem(_ role: Rows) -> String? {
    let worker = Role.worker.rawValue
    let name = role.text(0, 0)
    if role.bool(0, 1) { return "is a superuser" }
    if role.bool(0, 2) { return "has BYPASSRLS" }
    if role.bool(0, 3) { return "owns the schema" }
    if Role.allCases.contains(where: { $0 != .worker && $0.rawValue == name }) {
      return "is made for another purpose than tidying up"
    }
    let memberships = role.text(0, 5)
    if name == worker { return memberships.isEmpty ? nil : "is a member of \(memberships)" }
    if memberships.isEmpty { return "is no member of \(worker)" }
    return memberships == worker ? nil : "is a member of \(memberships)"
  }

  private static let insufficientPrivilege = "42501"

  private static func checkRole(_ role: Rows) throws(SchemaError) {
    let name = role.text(0, 0)
    if role.bool(0, 1) { throw .unsafeRole(name: name, .superuser) }
    if role.bool(0, 2) { throw .unsafeRole(name: name, .bypassesRowSecurity) }
    if role.bool(0, 3) { throw .unsafeRole(name: name, .ownsSchema) }
    if Role.allCases.contains(where: { $0 != .app && $0.rawValue == name }) {
      throw .unsafeRole(name: name, .servesAnother)
    }
    if case let roles = role.text(0, 5), !roles.isEmpty {
      throw .unsafeMembership(name: name, roles: roles)
    }
    if case let tables = role.text(0, 6), !tables.isEmpty { throw .openTables(tables) }
  }

  private static func checkStatus(_ status: MigrationStatus) throws(SchemaError) {
    func versions(_ state: MigrationStatus.State) -> [Int] {
      status.entries.filter { $0.state == state }.map(\.version)
    }
    if case let changed = versions(.changed), !changed.isEmpty { throw .changed(changed) }
    if case let unknown = versions(.unknown), !unknown.isEmpty { throw .unknown(unknown) }
    if case let pending = versions(.pending), !pending.isEmpty { throw .pending(pending) }
  }
}
