import CarillonPostgres
import CarillonStore
import TestSupport

/// A fresh database with the whole schema and no rows, in the test process's own cluster.
public struct MigratedDatabase: Sendable {
  private let database: TestDatabase

  public var name: String { database.name }

  /// Clones a template that is migrated once per process.
  public static func make() async throws -> MigratedDatabase {
    MigratedDatabase(database: try await makeDatabase(template: try await template.value))
  }

  /// The only one of a cluster that the caller runs.
  public static func make(in cluster: LocalCluster) async throws -> MigratedDatabase {
    let database = TestDatabase(name: "postgres", cluster: cluster)
    try await installSchema(in: database)
    return MigratedDatabase(database: database)
  }

  /// The name of a database that has the schema, and that nobody is connected to.
  private static let template = Task {
    let database = try await makeDatabase()
    try await installSchema(in: database)
    return database.name
  }

  /// A libpq conninfo as one of the product's roles.
  public func conninfo(_ role: Schema.Role) -> String { database.conninfo(role: role.rawValue) }

  /// A libpq conninfo as a role that a test has made.
  public func conninfo(role: String) -> String { database.conninfo(role: role) }

  /// A libpq conninfo as a superuser, for what tests must see past row security.
  public var superuserConninfo: String { database.conninfo }
}

/// Makes the roles and brings an empty database to the newest schema, as an operator would.
public func installSchema(in database: TestDatabase) async throws {
  try await withLoop { loop in
    let superuser = try await PostgresConnection.connect(database.conninfo, on: loop)
    defer { superuser.close() }
    try await Schema.installRoles(on: superuser)
  }
  try await withLoop { loop in
    let owner = try await PostgresConnection.connect(
      database.conninfo(role: Schema.Role.owner.rawValue), on: loop)
    defer { owner.close() }
    _ = try await Schema.migrator.migrate(on: owner)
  }
}
