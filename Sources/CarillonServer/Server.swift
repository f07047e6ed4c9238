import CarillonCrypto
import CarillonEventLoop
import CarillonHTTP
import CarillonModel
import CarillonPlanner
import CarillonPostgres
import CarillonStore
import CarillonTelemetry
import CarillonZones

/// The server as a whole: one worker for each core, the admin listener, and the embedded database when it was given
/// no other. `start`, then `stop`; each once.
public actor Server {
  public private(set) var configuration: ServerConfiguration
  private let clock: ServerClock
  private let logger: Logger
  private let control: EventLoop
  private let metrics: ServerMetrics
  private let certificate: CertificateWatch
  private let limiter = RateLimiter()
  private let deviceCounts = DeviceCounts()
  private let waits = PlanWaits()
  private var workers: [Worker] = []
  private var admin: AdminHandler?
  private var cluster: LocalCluster?
  private var isDraining = false
  /// Of the server's own role; nil before the start.
  private var conninfo: String?
  private var loops: [EventLoop] = []
  /// Of the reports, and who lives on it.
  private var reportLoop: EventLoop?
  private var reports: ReportKeeper?
  private var retention: RetentionKeeper?
  private var hints: CredentialHints?

  /// The ports that were bound, for a configuration that asks for port 0.
  public private(set) var port: UInt16 = 0
  public private(set) var adminPort: UInt16 = 0

  public init(
    _ configuration: ServerConfiguration, clock: ServerClock = .system, logger: Logger
  ) throws(EventLoopError) {
    self.configuration = configuration
    self.clock = clock
    self.logger = logger
    metrics = ServerMetrics(clock: clock)
    certificate = CertificateWatch(configuration.tls, logger: logger, registry: metrics.registry)
    control = try EventLoop(name: "control")
    control.start()
  }

  /// Checks everything that can be checked, then serves. When it throws, nothing is left running.
  public func start() async throws {
    do {
      try configuration.check()
      let credential = try certificate.read(at: clock.now())
      let zones = try ZoneFolder(path: configuration.timeZoneFolder)
      let conninfo = try await database()
      self.conninfo = conninfo
      try await withTaskExecutorPreference(control) { [control] in
        try await SchemaGuard(loop: control).check(conninfo)
        if let worker = configuration.workerDatabaseURL {
          try await SchemaGuard(loop: control).checkWorker(worker)
        }
      }
      try await openWorkers(conninfo: conninfo, zones: zones, credential: credential)
      await openHints(conninfo: conninfo)
      logger.notice(
        "addresses of clients",
        [
          "field": .string(configuration.proxies.field.rawValue),
          "honouredFrom": .string(
            configuration.proxies.ranges.isEmpty
              ? "none" : configuration.proxies.ranges.map(\.description).joined(separator: ",")),
        ])
      logger.notice(
        "serving",
        [
          "port": .int(Int(port)), "adminPort": .int(Int(adminPort)), "loops": .int(workers.count),
          "tls": .bool(credential != nil), "zoneData": .string(zones.version),
          "version": .string(CarillonVersion.text),
        ])
    } catch {
      await stop()
      throw error
    }
  }

  /// Reads the files of TLS anew. From then on new connections are shown what they hold, and open ones go on as they
  /// are; files that cannot be used change nothing. One call at a time.
  public func reload() async {
    do throws(TLSFilesError) {
      guard !isDraining, let credential = try certificate.read(at: clock.now()) else { return }
      for worker in workers { await worker.use(credential) }
      logger.notice(
        "certificate read anew", ["expiresAt": .string(Instant(seconds: credential.expiresAt).description)])
    } catch {
      logger.error("the certificate stays as it was", ["reason": .string(error.description)])
    }
  }

  /// Returns when the database that the server runs itself has ended though nobody stopped it: what happened. Nil when
  /// the server is stopped first, and at once when its database is run by others, who may bring it back.
  public func waitForDatabaseLoss() async -> ClusterLoss? { await cluster?.waitForLoss() }

  /// Stops accepting, finishes what is running, and closes everything. Idempotent.
  public func stop() async {
    guard !isDraining else { return }
    isDraining = true
    await withTaskGroup { group in
      for worker in workers {
        group.addTask(executorPreference: worker.loop) { await worker.close() }
      }
    }
    if let reports, let reportLoop {
      await withTaskExecutorPreference(reportLoop) { [retention] in
        await retention?.close()
        await reports.close()
      }
    }
    await admin?.close()
    if let hints { await withTaskExecutorPreference(control) { await hints.close() } }
    await cluster?.stop()
    for loop in loops + [reportLoop, control].compactMap(\.self) {
      loop.stop()
      await loop.waitUntilStopped()
    }
    workers = []
    admin = nil
    cluster = nil
    loops = []
    reports = nil
    retention = nil
    hints = nil
    reportLoop = nil
  }

  /// Requests whose answer is held back until a plan changes (`GET …/plan?wait=N`).
  public nonisolated var waitingForPlans: Int { waits.waiting }

  /// Jobs that reached the workers' loops from other threads: stands still under load.
  public var remoteEnqueueCount: Int { loops.reduce(0) { $0 + $1.remoteEnqueueCount } }

  private func database() async throws -> String {
    if let url = configuration.databaseURL {
      if configuration.masterKeys == nil {
        logger.notice(
          "no device tokens",
          ["remedy": "Set CARILLON_MASTER_KEY_FILE to a file made with 'openssl rand -base64 32'."])
      }
      return url
    }
    let keyFile = "\(configuration.dataFolder)/master.key"
    // Before anything is started.
    if configuration.masterKeys == nil, SecretFile.exists(keyFile) {
      configuration.masterKeys = MasterKeys(current: try MasterKey.read(keyFile))
    }
    let cluster = try await EmbeddedDatabase.start(in: configuration.dataFolder, loop: control)
    self.cluster = cluster
    if configuration.masterKeys == nil {
      configuration.masterKeys = MasterKeys(current: try MasterKey.readOrMake(keyFile))
    }
    return cluster.conninfo(role: Schema.Role.app.rawValue, database: EmbeddedCluster.database)
  }

  private func openWorkers(
    conninfo: String, zones: ZoneFolder, credential: TLSCredential?
  ) async throws {
    let reports = try await openReports(conninfo: conninfo)
    port = configuration.listen.port
    for index in 0..<configuration.loops {
      let loop = try EventLoop(name: "loop-\(index)")
      loop.start()
      loops.append(loop)
      let worker = Worker(
        loop: loop, configuration: configuration, clock: clock, logger: logger, zones: zones,
        metrics: metrics, reports: reports, limiter: limiter, deviceCounts: deviceCounts, waits: waits)
      workers.append(worker)
      // Without the preference the calls within would resume on the global pool, not on the loop.
      try await withTaskExecutorPreference(loop) { try await worker.open(conninfo: conninfo) }
      // The first bind makes sure that the port is nobody else's, and chooses it when it was left open.
      port = try await worker.listen(port: port, sharesPort: index > 0, credential: credential)
    }
    let admin = AdminHandler(loop: loops[0], zoneData: zones.version, metrics: metrics) { [weak self] in
      await self?.readiness() ?? Readiness(database: false, migrations: false, draining: true)
    }
    self.admin = admin
    adminPort = try await admin.listen(configuration.adminListen)
  }

  private func openReports(conninfo: String) async throws -> ReportKeeper {
    let loop = try EventLoop(name: "reports")
    loop.start()
    reportLoop = loop
    let keeper = ReportKeeper(
      loop: loop, conninfo: conninfo, preparesStatements: configuration.preparesStatements, clock: clock,
      logger: logger, metrics: metrics.reports)
    reports = keeper
    await withTaskExecutorPreference(loop) { await keeper.open() }
    await openRetention(on: loop)
    return keeper
  }

  private func openRetention(on loop: EventLoop) async {
    let worker = Schema.Role.worker.rawValue
    let own = cluster?.conninfo(role: worker, database: EmbeddedCluster.database)
    guard let conninfo = configuration.workerDatabaseURL ?? own else {
      logger.notice(
        "what devices that do not come back have kept for too long stays: set CARILLON_WORKER_DATABASE_URL, "
          + "the same database as \(worker)")
      return
    }
    let keeper = RetentionKeeper(
      loop: loop, conninfo: conninfo, preparesStatements: configuration.preparesStatements, clock: clock,
      logger: logger, metrics: metrics.retention)
    retention = keeper
    await withTaskExecutorPreference(loop) { await keeper.open() }
  }

  private func openHints(conninfo: String) async {
    let hints = CredentialHints(loop: control, conninfo: conninfo) { [weak self] in
      Task { await self?.forgetCredentials() }
    }
    self.hints = hints
    await withTaskExecutorPreference(control) { await hints.open() }
  }

  private func forgetCredentials() async {
    for worker in workers { await worker.forgetCredentials() }
  }

  private func readiness() async -> Readiness {
    var isDatabaseReady = !workers.isEmpty
    for worker in workers where await !worker.isDatabaseReady { isDatabaseReady = false }
    return Readiness(
      database: isDatabaseReady, migrations: await isSchemaCurrent(), draining: isDraining)
  }

  /// Asked at each probe: an operator may migrate or roll back under a running server.
  private func isSchemaCurrent() async -> Bool {
    guard let conninfo, !isDraining else { return false }
    return await withTaskExecutorPreference(control) { [control] in
      do {
        try await SchemaGuard(loop: control).check(conninfo)
        return true
      } catch {
        return false
      }
    }
  }
}

/// Holds the database against what this release needs, on a connection of its own.
private actor SchemaGuard {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(loop: EventLoop) { self.loop = loop }

  func check(_ conninfo: String) async throws {
    let connection = try await PostgresConnection.connect(conninfo, on: loop)
    defer { connection.close() }
    try await Schema.check(connection)
  }

  /// One that cannot be reached is no reason not to start: it is tried again where it is needed.
  func checkWorker(_ conninfo: String) async throws {
    guard let connection = try? await PostgresConnection.connect(conninfo, on: loop) else { return }
    defer { connection.close() }
    try await Schema.checkWorker(connection)
  }
}
