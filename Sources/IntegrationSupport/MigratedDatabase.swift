import CarillonStore

/// A fresh database with the whole schema and no rows, in the test run's own cluster.
public struct MigratedDatabase: Sendable {
  public let name: String

  /// Clones a template that is migrated once per process.
  public static func make() async throws -> MigratedDatabase { fatalError() }

  /// A libpq conninfo as one of the product's roles.
  public func conninfo(_ role: Schema.Role) -> String { fatalError() }

  /// A libpq conninfo as a superuser, for what tests must see past row security.
  public var superuserConninfo: String { fatalError() }
}
