import CPostgres
import Glibc
import Synchronization

/// A PostgreSQL cluster of our own under one folder: made by initdb, on a unix socket only, fsync on, never as
/// root, ended with the process that started it.
public final class LocalCluster: Sendable {
  public struct Configuration: Sendable {
    /// The folder that holds everything; made when absent.
    public var folder: String
    /// The superuser's name.
    public var superuser = "postgres"
    /// Extra settings, given to the server when it starts.
    public var settings: [String: String] = [:]
    /// Whether the folder goes when the server ends, however it ends; for tests.
    public var removesFolder = false
    public init(folder: String) { self.folder = folder }
  }

  /// How long the server may take to answer; it may have a crash to recover from.
  public static let startLimit = Duration.seconds(120)
  /// How long a fast shutdown may take before it becomes an immediate one.
  public static let stopLimit = Duration.seconds(60)
  /// How long a server may take to end whose owner was killed.
  public static let predecessorLimit = Duration.seconds(15)

  private let configuration: Configuration
  private let socketFolder: String
  private let process: Mutex<ServerProcess?>

  private init(_ configuration: Configuration, socketFolder: String, process: consuming ServerProcess) {
    self.configuration = configuration
    self.socketFolder = socketFolder
    self.process = Mutex(process)
  }

  deinit { process.withLock { $0.take() }?.abandon() }

  /// Makes the cluster when there is none, starts it and waits until it answers. Blocking work is done away
  /// from the caller's executor. Throws ``LocalClusterError``.
  public static func start(_ configuration: Configuration) async throws -> LocalCluster {
    try await BlockingWork.run { try startBlocking(configuration) }
  }

  private static func startBlocking(_ configuration: Configuration) throws(LocalClusterError) -> LocalCluster
  {
    let folder = try ClusterFolder(making: configuration.folder)
    let lock = try folder.lock()
    do {
      try folder.clearStalePostmaster(waiting: predecessorLimit)
      let binaries = try PostgresBinaries.find(version: folder.version)
      if !folder.hasData { try makeData(folder, binaries, configuration) }
      let socketFolder = try folder.makeSocketFolder()
      folder.clearStaleSocket(in: socketFolder)
      let process = try ServerProcess(
        folder: folder, binaries: binaries, socketFolder: socketFolder, lock: lock,
        settings: configuration.settings, removesFolder: configuration.removesFolder)
      let probe = conninfo(socketFolder: socketFolder, role: configuration.superuser, database: "postgres")
      try process.waitUntilReady(probe, within: startLimit)
      return LocalCluster(configuration, socketFolder: socketFolder, process: process)
    } catch {
      close(lock)
      throw error
    }
  }

  /// initdb into a folder beside, renamed when it is whole: an interrupted one leaves nothing that looks made.
  private static func makeData(
    _ folder: ClusterFolder, _ binaries: String, _ configuration: Configuration
  ) throws(LocalClusterError) {
    let unfinished = folder.data + ".unfinished"
    _ = ChildProgram(path: "/bin/rm", arguments: ["-rf", "--", unfinished]).run()
    var arguments = [
      "--pgdata", unfinished, "--username", configuration.superuser, "--encoding", "UTF8", "--locale", "C",
      "--auth", "trust", "--no-instructions",
    ]
    if configuration.settings["fsync"] == "off" { arguments.append("--no-sync") }
    let outcome = ChildProgram(path: "\(binaries)/initdb", arguments: arguments)
      .run(in: folder.path, as: folder.user)
    guard outcome.succeeded, rename(unfinished, folder.data) == 0 else {
      throw LocalClusterError(.initFailed, "initdb failed in \(folder.path): \(outcome.output)")
    }
  }

  /// A libpq conninfo for a role and a database of this cluster.
  public func conninfo(role: String, database: String) -> String {
    Self.conninfo(socketFolder: socketFolder, role: role, database: database)
  }

  /// The conninfo of a cluster that another process runs under `folder`; nil when none runs.
  public static func runningConninfo(folder: String, role: String, database: String) -> String? {
    let folder = ClusterFolder(reading: folder)
    guard let postmaster = folder.postmaster, postmaster.isReady else { return nil }
    return conninfo(socketFolder: postmaster.socketFolder, role: role, database: database)
  }

  private static func conninfo(socketFolder: String, role: String, database: String) -> String {
    func quoted(_ value: String) -> String {
      var text = "'"
      for character in value.unicodeScalars {
        if character == "'" || character == "\\" { text += "\\" }
        text.unicodeScalars.append(character)
      }
      return text + "'"
    }
    return "host=\(quoted(socketFolder)) port=\(ClusterFolder.port) user=\(quoted(role)) "
      + "dbname=\(quoted(database))"
  }

  /// The postmaster and its log; nil once the server is being ended.
  var running: (pid: Int32, log: String)? { process.withLock { $0.map { ($0.postmaster, $0.log) } } }

  /// A fast shutdown; returns when the server has ended. Idempotent.
  public func stop() async { await end { $0.stop(within: Self.stopLimit) } }

  /// kill -9 of every process of the server, for tests of what survives.
  public func kill() async { await end { $0.kill() } }

  private func end(_ body: @escaping @Sendable (ServerProcess) -> Void) async {
    guard let process = process.withLock({ $0.take() }) else { return }
    // Nothing is thrown: the work only waits.
    try? await BlockingWork.run { body(process) }
  }
}
