import CarillonCrypto
import CarillonEventLoop
import CarillonJSON
import CarillonModel
import CarillonPostgres
import CarillonServer
import CarillonStore
import CarillonTelemetry
import Synchronization

/// The real server in this process, on a database of its own.
public final class TestServer: Sendable {
  public let database: MigratedDatabase!
  private let operatorConninfo: String
  public let port: UInt16
  public let adminPort: UInt16
  public let server: Server
  /// What the server logged, a line each.
  public let log: LogLines
  /// The server's time, moved by the test; it stands still unless moved.
  public let clock: MovableClock

  /// What a server has unless the test says otherwise: new ones in each process.
  public static let masterKeys: MasterKeys = {
    var random = SecureRandom()
    return MasterKeys(current: .make(using: &random))
  }()

  /// Runs `body` with a server that is stopped afterwards.
  ///
  /// - Parameters:
  ///   - tidiesUp: whether it takes away what was kept long enough.
  ///   - forgets: whether what it remembers for a while ages; without it only a hint makes it ask again.
  public static func with<R: Sendable>(
    now: Instant = Instant(milliseconds: 1_796_000_000_000), loops: Int = 2,
    database: MigratedDatabase? = nil, tidiesUp: Bool = false,
    masterKeys: MasterKeys? = TestServer.masterKeys,
    forgets: Bool = true, _ body: (TestServer) async throws -> R
  ) async throws -> R {
    let own: MigratedDatabase
    if let database { own = database } else { own = try await MigratedDatabase.make() }
    return try await run(
      try await TestServer(
        now: now, loops: loops, database: own, conninfo: own.conninfo(.app),
        operatorConninfo: own.conninfo(.operator), workerConninfo: tidiesUp ? own.conninfo(.worker) : nil,
        masterKeys: masterKeys, forgets: forgets), body)
  }

  /// Runs `body` with a server on a database that is not one of ``MigratedDatabase``.
  public static func with<R: Sendable>(
    conninfo: String, operatorConninfo: String, _ body: (TestServer) async throws -> R
  ) async throws -> R {
    try await run(
      try await TestServer(
        now: Instant(milliseconds: 1_796_000_000_000), loops: 2, database: nil, conninfo: conninfo,
        operatorConninfo: operatorConninfo, masterKeys: masterKeys), body)
  }

  private static func run<R: Sendable>(
    _ running: TestServer, _ body: (TestServer) async throws -> R
  ) async throws -> R {
    do {
      let result = try await body(running)
      await running.server.stop()
      return result
    } catch {
      await running.server.stop()
      throw error
    }
  }

  private init(
    now: Instant, loops: Int, database: MigratedDatabase?, conninfo: String, operatorConninfo: String,
    workerConninfo: String? = nil, masterKeys: MasterKeys?, forgets: Bool = true
  ) async throws {
    self.database = database
    self.operatorConninfo = operatorConninfo
    var configuration = ServerConfiguration()
    configuration.listen.port = 0
    configuration.adminListen.port = 0
    configuration.databaseURL = conninfo
    configuration.workerDatabaseURL = workerConninfo
    configuration.loops = loops
    configuration.masterKeys = masterKeys
    let log = LogLines()
    self.log = log
    let clock = MovableClock(now)
    self.clock = clock
    server = try Server(
      configuration, clock: clock.serverClock(ages: forgets),
      logger: Logger(time: { clock.now.description }, write: log.append))
    try await server.start()
    port = await server.port
    adminPort = await server.adminPort
  }

  /// A new tenant with a key that may do everything.
  public func makeTenant(
    _ name: String = "t" + String(UInt64.random(in: .min ... .max), radix: 36),
    scopes: Set<KeyScope> = Set(KeyScope.allCases)
  ) async throws -> TestTenant {
    try await TestTenant.make(name, scopes: scopes, operatorConninfo: operatorConninfo, at: clock.now)
  }

  /// As if the server's clock had run to where it stands, and not jumped: what is old by it may go.
  public func ageWhatIsKept() async throws {
    _ = try await database.column(
      "UPDATE carillon.tenants SET retention_at = '\(clock.now)', retention_moved_at = '\(clock.now)' RETURNING name"
    )
  }

  /// A client without a credential.
  /// Requests whose answer is held back until a plan changes.
  public var waitingForPlans: Int { server.waitingForPlans }

  public var client: HTTPTestClient { HTTPTestClient(port: port) }
  public var admin: HTTPTestClient { HTTPTestClient(port: adminPort) }

  public func client(_ tenant: TestTenant) -> HTTPTestClient { HTTPTestClient(port: port, key: tenant.key) }

  /// A client with a token of its own for a device.
  public func client(
    _ tenant: TestTenant, device: String, ttl: Int? = nil
  ) async throws -> HTTPTestClient {
    HTTPTestClient(port: port, key: try await token(tenant, device: device, ttl: ttl))
  }

  /// A new token, as the app's backend gets one.
  public func token(_ tenant: TestTenant, device: String, ttl: Int? = nil) async throws -> String {
    let answer = try await client(tenant).send(
      "POST", "/v1/devices/\(device)/token", body: ttl.map { "{\"ttl\":\($0)}" } ?? "{}")
    guard answer.status == 200, let token = answer.json["token"]?.string else {
      throw HTTPTestClient.Failure(description: "no token: \(answer)")
    }
    return token
  }
}

/// Lines that somebody wrote.
public final class LogLines: Sendable {
  private let lines = Mutex<[String]>([])

  public var all: [String] { lines.withLock { $0 } }
  @Sendable func append(_ line: [UInt8]) {
    lines.withLock { $0.append(String(decoding: line, as: UTF8.self)) }
  }
}

/// A clock that a test sets.
public final class MovableClock: Sendable {
  private let time: Mutex<Instant>

  init(_ start: Instant) { time = Mutex(start) }

  public var now: Instant { time.withLock { $0 } }
  public func move(to instant: Instant) { time.withLock { $0 = instant } }
  public func advance(seconds: Int64) { time.withLock { $0 = $0.adding(seconds: seconds) } }

  /// - Parameter ages: whether ages are real, so that what is remembered for a second expires in a test, too.
  func serverClock(ages: Bool) -> ServerClock {
    let system = ServerClock.system.monotonic
    return ServerClock(now: { self.now }, monotonic: { ages ? system() : 1 })
  }
}

/// A tenant of a test, with its key.
public struct TestTenant: Sendable {
  public let id: TenantID
  public let name: String
  public let keyID: String
  public let key: String

  /// - Parameter operatorConninfo: as `carillon_operator`.
  public static func make(
    _ name: String, scopes: Set<KeyScope> = Set(KeyScope.allCases), operatorConninfo: String, at now: Instant
  ) async throws -> TestTenant {
    try await withOperator(operatorConninfo) { store in
      var random = SecureRandom()
      let id = TenantID(UUID128(high: random.next(), low: random.next()))
      guard try await store.createTenant(id: id, name: name, at: now) == .created else {
        throw HTTPTestClient.Failure(description: "the tenant \(name) exists")
      }
      let key = TenantKey.make(using: &random)
      let draft = KeyDraft(id: key.keyId, secretHash: key.hash.bytes, scopes: scopes, createdAt: now)
      _ = try await store.createKey(draft, tenant: id)
      return TestTenant(id: id, name: name, keyID: key.keyId, key: key.text)
    }
  }

  public func revokeKey(in database: MigratedDatabase, at now: Instant) async throws {
    _ = try await withOperator(database.conninfo(.operator)) { store in
      try await store.revokeKey(id: keyID, tenant: id, at: now)
    }
  }
}
