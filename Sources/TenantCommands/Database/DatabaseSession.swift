import CarillonOptions
import CarillonCrypto
import CarillonEventLoop
import CarillonPostgres
import CarillonStore

/// One connection on a loop of its own, for the time of one command.
actor DatabaseSession {
  private nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private init(loop: EventLoop) { self.loop = loop }

  /// Connects, acts as `role`, runs `body` on the connection's loop and closes.
  static func run<Result: Sendable>(
    _ target: DatabaseTarget, as role: DatabaseTarget.Role,
    _ body: @Sendable (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    let conninfo = try target.conninfo(role)
    let loop = try EventLoop(name: "tenantctl")
    loop.start()
    do {
      let result = try await DatabaseSession(loop: loop).run(conninfo, fallback: target.login, role, body)
      loop.stop()
      await loop.waitUntilStopped()
      return result
    } catch {
      loop.stop()
      await loop.waitUntilStopped()
      throw error
    }
  }

  private func run<Result: Sendable>(
    _ conninfo: String, fallback: String?, _ role: DatabaseTarget.Role,
    _ body: @Sendable (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    let connection: PostgresConnection
    do {
      connection = try await PostgresConnection.connect(conninfo, on: loop)
    } catch {
      // The server's refusal to act as a role looks like a server that is away; the bare login tells them apart.
      guard let fallback, let plain = try? await PostgresConnection.connect(fallback, on: loop) else {
        throw CommandFailure(connecting: error)
      }
      plain.close()
      throw CommandFailure(
        .notAllowed, "the login of DATABASE_URL may not act as \(role.name), or there is no such role",
        "Use a login that is, or is a member of, \(role.name); 'tenantctl db roles', run as a superuser, makes the roles"
      )
    }
    defer { connection.close() }
    return try await body(connection)
  }
}

/// Which database a command speaks to.
struct DatabaseTarget: Sendable {
  enum Role: Sendable {
    case product(Schema.Role)
    /// Whatever the login is; it must be a superuser.
    case superuser

    var name: String {
      switch self {
      case .product(let role): role.rawValue
      case .superuser: "a superuser"
      }
    }
  }

  private var url: String?
  private var dataFolder: String
  /// Why a password that stands in the string would not stay one.
  private var exposure: CommandFailure?

  init(_ context: CommandContext) {
    url = context.values[CommonOptions.databaseURL]
    dataFolder = context.values[CommonOptions.data]
    exposure =
      url.map(ConnectionSettings.holdPassword) == true
      ? Self.exposure(of: context.values.origin(of: CommonOptions.databaseURL)) : nil
  }

  /// The connection string as it was given; nil for a cluster of our own, whose roles need no test.
  var login: String? { url }

  private static func exposure(of origin: Origin) -> CommandFailure? {
    switch origin {
    case .commandLine:
      return CommandFailure(
        .usage, "a password stands among the arguments, where every user of this machine can read it",
        "Set DATABASE_URL, and change the password if others may have seen it")
    case .file(let path, _):
      do { try SecretFile.checkIsClosed(path) } catch {
        return CommandFailure(
          .usage, "a password stands in the configuration file: \(error.summary)", error.remedy)
      }
      return nil
    case .environment, .defaultValue, .unset: return nil
    }
  }

  func conninfo(_ role: Role) throws(CommandFailure) -> String {
    if let exposure { throw exposure }
    if let url {
      return switch role {
      case .product(let role): ConnectionString(url).acting(as: role.rawValue).text
      case .superuser: url
      }
    }
    let name =
      switch role {
      case .product(let role): role.rawValue
      case .superuser: EmbeddedCluster.superuser
      }
    guard
      let conninfo = LocalCluster.runningConninfo(
        folder: EmbeddedCluster.folder(in: dataFolder), role: name, database: EmbeddedCluster.database)
    else {
      throw CommandFailure(
        .error, "there is no DATABASE_URL, and no database runs under '\(dataFolder)'",
        "Set DATABASE_URL, or start carillon-server, or name its folder with --data")
    }
    return conninfo
  }
}

extension CommandContext {
  /// Runs `body` with the operator's view of all tenants.
  func withStore<Result: Sendable>(_ body: @Sendable (OperatorStore) async throws -> Result) async throws
    -> Result
  {
    let name = operatorName
    return try await DatabaseSession.run(DatabaseTarget(self), as: .product(.operator)) { connection in
      do {
        return try await body(OperatorStore(connection: connection, operatorName: name))
      } catch StoreError.database(let error) where error.sqlState == SQLState.insufficientPrivilege {
        // The schema gives the operator all it needs; until it is there, the operator may not even look.
        throw CommandFailure.noSchema
      }
    }
  }
}
