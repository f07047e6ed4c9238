/// One numbered step of a schema, up and down.
public struct Migration: Sendable {
  public let version: Int
  public let name: String
  public let up: String
  public let down: String

  public init(version: Int, name: String, up: String, down: String) {
    self.version = version
    self.name = name
    self.up = up
    self.down = down
  }
}

/// What a database has of a list of migrations.
public struct MigrationStatus: Sendable {
  public enum State: String, Sendable { case applied, pending, changed, unknown }
  public struct Entry: Sendable {
    public let version: Int
    public let name: String
    public let state: State
    /// Milliseconds since 1970.
    public let appliedAt: Int64?
  }
  public let entries: [Entry]
  /// All applied, none changed, none unknown.
  public var isCurrent: Bool { fatalError() }
}

/// Brings a schema to the newest version and back, one statement a message, each migration in a transaction of
/// its own. Two at once wait for each other.
public struct Migrator: Sendable {
  /// - Parameter schema: where the table `schema_migrations` lives; it is made when absent.
  public init(schema: String, migrations: [Migration]) { fatalError() }

  public func status(on connection: PostgresConnection) async throws -> MigrationStatus { fatalError() }
  /// Returns the versions applied.
  public func migrate(on connection: PostgresConnection, to version: Int? = nil) async throws -> [Int] {
    fatalError()
  }
  /// Takes back the newest `steps`; returns the versions.
  public func rollback(on connection: PostgresConnection, steps: Int = 1) async throws -> [Int] {
    fatalError()
  }
}
