import CarillonEventLoop
import CarillonPostgres
import Glibc

/// One PostgreSQL cluster for all tests of the process: started when first asked for, in a folder for temporary
/// files, ended and removed when the process ends, however it ends. It does not survive a crash of the machine
/// (fsync is off); tests of durability start a ``LocalCluster`` of their own.
public actor SharedCluster {
  public static let shared = SharedCluster()

  /// Followed by the pid of the process that the folder belongs to.
  static let folderPrefix = "carillon-test-"
  private static let superuser = "postgres"

  private var starting: Task<LocalCluster, any Error>?
  private var databaseCount = 0
  private var lastCreation: Task<Void, any Error>?

  private init() {}

  /// A database nobody else knows, made from `template`.
  ///
  /// - Parameter template: a database of this cluster that nobody is connected to; `template0` is empty.
  public func makeDatabase(template: String = "template0") async throws -> TestDatabase {
    let cluster = try await cluster()
    databaseCount += 1
    let name = "test_\(databaseCount)"
    // One at a time: PostgreSQL refuses a template that another session is copying.
    let previous = lastCreation
    let creation = Task {
      _ = try? await previous?.value
      try await Self.run("CREATE DATABASE \(name) TEMPLATE \(template)", on: cluster)
    }
    lastCreation = creation
    try await creation.value
    return TestDatabase(name: name, cluster: cluster)
  }

  /// The running cluster.
  public func cluster() async throws -> LocalCluster {
    if let starting { return try await starting.value }
    let start = Task {
      Self.removeLeftovers()
      var configuration = LocalCluster.Configuration(
        folder: "\(Self.temporaryFolder)/\(Self.folderPrefix)\(getpid())")
      configuration.superuser = Self.superuser
      configuration.removesFolder = true
      configuration.settings = [
        "fsync": "off", "full_page_writes": "off", "max_connections": "200", "shared_buffers": "64MB",
        "max_wal_senders": "0", "wal_level": "minimal",
      ]
      return try await LocalCluster.start(configuration)
    }
    starting = start
    return try await start.value
  }

  static var temporaryFolder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp" }

  private static func run(_ sql: String, on cluster: LocalCluster) async throws {
    let conninfo = cluster.conninfo(role: superuser, database: "postgres")
    try await withLoop { loop in
      let connection = try await PostgresConnection.connect(conninfo, on: loop)
      defer { connection.close() }
      _ = try await connection.run(sql: sql)
    }
  }

  /// Folders of processes that are gone, and whose watchdog was killed too.
  private static func removeLeftovers() {
    guard let stream = opendir(temporaryFolder) else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard name.hasPrefix(folderPrefix),
        let pid = pid_t(name.dropFirst(folderPrefix.count).prefix { $0 != "-" }), kill(pid, 0) != 0,
        errno == ESRCH,
        LocalCluster.runningConninfo(folder: "\(temporaryFolder)/\(name)", role: "", database: "") == nil
      else { continue }
      removeFolder("\(temporaryFolder)/\(name)")
    }
  }
}

/// A database of its own for one test.
public struct TestDatabase: Sendable {
  public let name: String
  public let cluster: LocalCluster

  public init(name: String, cluster: LocalCluster) {
    self.name = name
    self.cluster = cluster
  }

  /// As superuser, who is not subject to row security.
  public var conninfo: String { conninfo(role: "postgres") }

  public func conninfo(role: String) -> String { cluster.conninfo(role: role, database: name) }
}

/// A new database of the test process's cluster; see ``SharedCluster``.
public func makeDatabase(template: String = "template0") async throws -> TestDatabase {
  try await SharedCluster.shared.makeDatabase(template: template)
}
