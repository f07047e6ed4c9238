import CarillonCrypto
import CarillonEventLoop
import CarillonHTTP
import CarillonModel
import CarillonOptions
import CarillonPostgres
import CarillonStore
import CarillonTelemetry
import Glibc

/// `carillon-server` from its arguments to its exit code.
public enum ServerProgram {
  /// 0 after a drain, 1 when it cannot start or has lost the database that it runs itself, 2 for a usage error.
  public static func run(_ arguments: [String], environment: [String: String]) async -> Int32 {
    do {
      switch try ServerOptions.program.parse(arguments: arguments, environment: environment) {
      case .help(let text):
        write(text, to: STDOUT_FILENO)
        return 0
      case .run(_, let values):
        return await serve { try ServerOptions.configuration(values, environment: environment) }
      }
    } catch {
      write("\(error.description)\n", to: STDERR_FILENO)
      return 2
    }
  }

  private static func serve(_ configuration: () throws -> ServerConfiguration) async -> Int32 {
    let clock = ServerClock.system
    let logger = Logger(time: { clock.now().description })
    let signals = TerminationSignals()
    do {
      let configuration = try configuration()
      // Without files to read anew SIGHUP keeps its meaning: the terminal has gone.
      let hangUps = configuration.tls == TLSFiles() ? nil : HangUpSignals()
      let listening = try SignalLoop(signals, hangUps)
      let server = try Server(configuration, clock: clock, logger: logger)
      try await server.start()
      write("ready\n", to: STDERR_FILENO)
      let reloading = Task {
        guard let hangUps else { return }
        for await _ in hangUps.arrivals { await server.reload() }
      }
      let loss = await firstLoss(of: server, or: signals)
      if let loss { logger.error("the database has ended", loss.fields) }
      reloading.cancel()
      logger.notice("draining")
      await server.stop()
      await listening.stop()
      logger.notice("stopped")
      return loss == nil ? 0 : 1
    } catch {
      logger.error("cannot start", ["reason": .string(StartFailure.describe(error))])
      return 1
    }
  }

  /// Returns when the server has lost its database, or nil when it is told to end.
  private static func firstLoss(of server: Server, or signals: TerminationSignals) async -> ClusterLoss? {
    let (ends, end) = AsyncStream.makeStream(of: ClusterLoss?.self)
    Task {
      await signals.wait()
      end.yield(nil)
    }
    Task { if let loss = await server.waitForDatabaseLoss() { end.yield(loss) } }
    for await loss in ends { return loss }
    return nil
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}

extension ClusterLoss {
  /// For the one line that tells of it.
  fileprivate var fields: KeyValuePairs<String, LogValue> {
    [
      "reason": .string(description),
      "remedy": .string(
        "Start the server again, or let its supervisor: it drains and exits with code 1, and PostgreSQL recovers by "
          + "itself at the next start."),
    ]
  }
}

/// Why a server did not start, with what to do.
enum StartFailure {
  static func describe(_ error: any Error) -> String {
    if let error = error as? SchemaError { return "\(error.summary) \(error.remedy)" }
    if let error = error as? StartRefusal { return "\(error.summary) \(error.remedy)" }
    if let error = error as? MasterKeyError { return "\(error.summary) \(error.remedy)" }
    if case .cannotListen(_, _, EADDRINUSE) = error as? HTTPServerError {
      return "\(error). Stop what listens there, or choose another port with --listen or --admin-listen."
    }
    return "\(error)"
  }
}

/// A loop that does nothing but wait for signals.
private struct SignalLoop {
  private let loop: EventLoop

  init(_ signals: TerminationSignals, _ hangUps: HangUpSignals?) throws(EventLoopError) {
    loop = try EventLoop(name: "signals")
    loop.start()
    let watcher = Watcher(loop: loop)
    Task { await watcher.watch(signals, hangUps) }
  }

  func stop() async {
    loop.stop()
    await loop.waitUntilStopped()
  }

  private actor Watcher {
    nonisolated let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    init(loop: EventLoop) { self.loop = loop }
    func watch(_ signals: TerminationSignals, _ hangUps: HangUpSignals?) {
      signals.watch(on: loop)
      hangUps?.watch(on: loop)
    }
  }
}

extension ServerProgram {
  /// The process's variables.
  public static var processEnvironment: [String: String] {
    var variables: [String: String] = [:]
    var entry = environ
    while let text = entry.pointee {
      let pair = String(cString: text).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if pair.count == 2 { variables[String(pair[0])] = String(pair[1]) }
      entry += 1
    }
    return variables
  }
}

extension SchemaError {
  /// What is wrong, in one sentence.
  var summary: String {
    switch self {
    case .unsafeRole(let name, .superuser):
      "The role \(name) is a superuser, and row security does not bind it."
    case .unsafeRole(let name, .bypassesRowSecurity): "The role \(name) has BYPASSRLS."
    case .unsafeRole(let name, .ownsSchema): "The role \(name) owns the schema."
    case .unsafeRole(let name, .servesAnother):
      "The role \(name) is made for another purpose than serving requests."
    case .unsafeMembership(let name, let roles):
      "The role \(name) is a member of \(roles), and may act so."
    case .unsafeWorker(let name, let problem):
      "The role \(name) of CARILLON_WORKER_DATABASE_URL \(problem)."
    case .openTables(let tables): "Row security is off, or not forced, for \(tables)."
    case .missing: "The database has no schema carillon."
    case .pending(let versions): "The database lacks the migrations \(versions)."
    case .unknown(let versions): "The database has migrations this release does not know: \(versions)."
    case .changed(let versions): "Migrations were applied with another text than this release's: \(versions)."
    case .database(let error): "The schema could not be checked (\(error.code.rawValue))."
    }
  }
}
