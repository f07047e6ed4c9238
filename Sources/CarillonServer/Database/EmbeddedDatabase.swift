import CarillonEventLoop
import CarillonPostgres
import CarillonStore

/// The database of a server that was given none: a PostgreSQL of its own under the data folder, migrated.
public enum EmbeddedDatabase {
  /// Makes what is missing (cluster, roles, database, schema) and starts it.
  public static func start(in dataFolder: String, loop: EventLoop) async throws -> LocalCluster {
    var configuration = LocalCluster.Configuration(folder: EmbeddedCluster.folder(in: dataFolder))
    configuration.superuser = EmbeddedCluster.superuser
    let cluster = try await LocalCluster.start(configuration)
    do {
      try await withTaskExecutorPreference(loop) { try await Preparation(loop: loop).prepare(cluster) }
    } catch {
      await cluster.stop()
      throw error
    }
    return cluster
  }

  /// How an operator reaches the database of a server that runs on this folder; nil when none does.
  public static func operatorConninfo(in dataFolder: String) -> String? {
    LocalCluster.runningConninfo(
      folder: EmbeddedCluster.folder(in: dataFolder), role: Schema.Role.operator.rawValue,
      database: EmbeddedCluster.database)
  }

  /// Runs on the loop, as connections must.
  private actor Preparation {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EventLoop) { self.loop = loop }

    func prepare(_ cluster: LocalCluster) async throws {
      try await cluster.ensureDatabase(EmbeddedCluster.database, on: loop)
      let own = try await connect(
        to: cluster, as: EmbeddedCluster.superuser, database: EmbeddedCluster.database)
      defer { own.close() }
      try await Schema.installRoles(on: own)

      let owner = try await connect(
        to: cluster, as: Schema.Role.owner.rawValue, database: EmbeddedCluster.database)
      defer { owner.close() }
      _ = try await Schema.migrator.migrate(on: owner)
    }

    private func connect(
      to cluster: LocalCluster, as role: String, database: String
    ) async throws -> PostgresConnection {
      try await PostgresConnection.connect(cluster.conninfo(role: role, database: database), on: loop)
    }
  }
}
