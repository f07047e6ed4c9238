/// A PostgreSQL cluster of our own under one folder: made by initdb, on a unix socket only, fsync on, never as
/// root, ended with the process that started it.
public final class LocalCluster: Sendable {
  public struct Configuration: Sendable {
    /// The folder that holds everything; made when absent.
    public var folder: String
    /// The superuser's name.
    public var superuser = "postgres"
    /// Extra `name = value` lines for postgresql.conf.
    public var settings: [String: String] = [:]
    public init(folder: String) { self.folder = folder }
  }

  /// Makes the cluster when there is none, starts it and waits until it answers. Blocking work is done away
  /// from the caller's executor.
  public static func start(_ configuration: Configuration) async throws -> LocalCluster { fatalError() }

  /// A libpq conninfo for a role and a database of this cluster.
  public func conninfo(role: String, database: String) -> String { fatalError() }

  /// The conninfo of a cluster that another process runs under `folder`; nil when none runs.
  public static func runningConninfo(folder: String, role: String, database: String) -> String? {
    fatalError()
  }

  /// A fast shutdown; returns when the server has ended. Idempotent.
  public func stop() async { fatalError() }

  /// kill -9, for tests of what survives.
  public func kill() async { fatalError() }
}
