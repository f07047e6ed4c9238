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
  public static var migrations: [Migration] { fatalError() }

  public static var migrator: Migrator { Migrator(schema: name, migrations: migrations) }

  /// Makes the roles, or brings them to this version, and lets the owner make the schema in this database.
  /// Idempotent; needs a superuser.
  public static func installRoles(on connection: PostgresConnection) async throws(StoreError) { fatalError() }

  /// Whether a server may start on this connection.
  public static func check(_ connection: PostgresConnection) async throws(SchemaError) { fatalError() }
}
