import CLinux
import CMicroHTTPD
import CarillonEventLoop
import Glibc

/// What a server does with requests.
///
/// A handler is an actor whose executor is the server's loop, so everything it owns is reached without a lock
/// or a hop, and a request that waits for nothing is answered inside the very call that read it:
///
/// ```swift
/// actor Worker: HTTPHandler {
///   nonisolated let loop: EventLoop
///   nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
///   var server: HTTPServer?
///
///   init(loop: EventLoop) { self.loop = loop }
///   func open() throws { server = try HTTPServer(loop: loop, configuration: .init(), handler: self) }
///   func close() async { await server?.drain(grace: .seconds(10)) }
///
///   func bodyLimit(method: String, path: String) -> Int { 256 * 1024 }
///   func respond(to request: HTTPRequest) async -> HTTPResponse { … }
///   func respond(to refusal: HTTPRefusal) -> HTTPResponse { … }
/// }
/// ```
public protocol HTTPHandler: Actor {
  /// The most bytes the body of this request may have; asked when the headers are in, if a body is to come.
  func bodyLimit(method: String, path: String) -> Int
  /// Answers a request without waiting for its body, which is large: because nobody may send it, or
  /// too much was asked. The connection is closed afterwards. Nil, as without this method: read on.
  func refusal(of head: HTTPRequest) -> HTTPResponse?
  /// Called once per request, on the loop; suspends as it likes. Cancelled when the client has gone, or when
  /// the grace of a drain is over; the answer then reaches nobody.
  func respond(to request: HTTPRequest) async -> HTTPResponse
  /// The words for a request that the server refuses by itself.
  func respond(to refusal: HTTPRefusal) -> HTTPResponse
}

extension HTTPHandler {
  public func refusal(of head: HTTPRequest) -> HTTPResponse? { nil }
}

/// Why a server could not be opened.
public enum HTTPServerError: Error, Sendable, CustomStringConvertible {
  /// The address is not numeric, or in use, or not of this host.
  case cannotListen(address: String, port: UInt16, errno: Int32)
  case daemonRefused

  public var description: String {
    switch self {
    case .cannotListen(let address, let port, let errno):
      "cannot listen on \(address) port \(port): \(String(cString: strerror(errno)))"
    case .daemonRefused:
      "libmicrohttpd could not be started (out of memory or descriptors, or built without TLS)"
    }
  }
}

/// An HTTP/1.1 listener on one event loop, over libmicrohttpd. Confined to its loop.
///
/// An open server holds itself and its handler; ``drain(grace:)`` closes it and lets go of both.
public final class HTTPServer {
  public struct Configuration: Sendable {
    /// A numeric address.
    public var address = "127.0.0.1"
    /// 0 lets the system choose.
    public var port: UInt16 = 0
    /// Whether another server of this process listens on the port, and clients are spread over both. Without it the port
    /// must be nobody's: two processes that share one by mistake would each get some of the requests.
    public var sharesPort = false
    /// More clients wait in the listener's queue until a connection ends.
    public var connectionLimit = 12_000
    /// What libmicrohttpd may use for a connection: the request line, the headers, its notes of them and the
    /// head of the answer. A header block that does not fit is answered with 431, a target with 414.
    public var headerBytesLimit = 16 * 1024
    /// Bytes of bodies, on their way in, with the handler or on their way out, beyond which no more are taken in: new
    /// requests are refused until some have gone. What is being answered at that moment still is.
    public var heldBytesLimit = 128 * 1024 * 1024
    /// After so many answers 429 in a row a connection ends: who heeds none of them makes a new one, and somebody else may
    /// have its place. Far enough apart for the handshakes of TLS not to cost more than what is refused.
    public var refusalsLimit = 1_000
    /// How long a connection may be silent, and how long a header block may take to come in. Whole seconds.
    public var idleTimeout = Duration.seconds(75)
    /// How long a body may take to come in, and an answer to go out. Whole seconds.
    public var transferTimeout = Duration.seconds(120)
    /// Of TLS. Whole seconds.
    public var handshakeTimeout = Duration.seconds(10)
    /// With one the server speaks TLS, without it plain HTTP.
    public var credential: TLSCredential?
    public init() {}
  }

  /// Connections that the system completes before the server has accepted them.
  static let backlog: Int32 = 4096
  /// Bytes of a body that are thrown away, where the server holds too much, before the answer 503; more ends the
  /// connection without an answer, which libmicrohttpd does not allow in the middle of a body.
  static let swallowLimit = 1024 * 1024

  /// What is set aside for a body at first, whatever length it claims.
  static let firstBodyCapacity = 16 * 1024

  let loop: EventLoop
  /// Nil once the server is closed: handler and server hold each other.
  private(set) var handler: (any HTTPHandler)!
  let configuration: Configuration
  /// What new connections are shown; nil for plain HTTP.
  private(set) var credential: TLSCredential?
  private(set) var daemon: Daemon!
  var connections: [OpaquePointer: Connection] = [:]
  var isDraining = false
  let closed = CompletionSignal()
  /// Completed when a drain has nothing more to wait for.
  var quiet: CompletionSignal?

  /// The port it listens on.
  public let port: UInt16
  /// Requests handed to the handler and not yet answered.
  public internal(set) var inFlight = 0
  /// Clients that are connected, handshakes among them.
  public var connectionCount: Int { connections.count }
  /// How often libmicrohttpd has been run. It stands still while no client has anything to say, and does not measure
  /// anything else: a run may serve one client or all.
  public var runCount: Int { daemon.runCount }
  /// Requests whose headers are in and whose answer is not sent.
  var underWay = 0
  /// Bytes of bodies; see ``Configuration/heldBytesLimit``.
  public internal(set) var heldBytes = 0
  let lingering: LingeringSockets
  var sweepNumber = 0
  var sweepTimer: TimerToken?

  /// Opens the listener. On the loop, from a method of the handler.
  public init(
    loop: EventLoop, configuration: Configuration, handler: any HTTPHandler
  ) throws(HTTPServerError) {
    loop.preconditionOnLoop()
    handler.preconditionIsolated("the handler's executor must be the server's loop")
    self.loop = loop
    self.handler = handler
    credential = configuration.credential
    var kept = configuration
    // Held by `credential` alone, so that the one it began with goes when another takes its place.
    kept.credential = nil
    self.configuration = kept
    lingering = LingeringSockets(loop: loop)
    let listener = clinux_listen(
      configuration.address, configuration.port, Self.backlog, configuration.sharesPort ? 1 : 0)
    guard listener >= 0 else {
      throw HTTPServerError.cannotListen(
        address: configuration.address, port: configuration.port, errno: -listener)
    }
    port = UInt16(clinux_listener_port(listener))
    let context = Unmanaged.passRetained(self)
    do {
      daemon = try Daemon(
        loop: loop,
        configuration: Callbacks.configuration(for: configuration, listener: listener, context.toOpaque()))
    } catch {
      context.release()
      throw error
    }
    scheduleSweep()
  }

  /// Shows `credential` to connections that begin from now on; those that are open go on with theirs. For a server
  /// that speaks TLS from its start.
  public func use(_ credential: TLSCredential) {
    loop.preconditionOnLoop()
    precondition(self.credential != nil, "a server of plain HTTP cannot turn to TLS")
    self.credential = credential
  }

  /// Stops accepting; returns when nothing is in flight or `grace` is over, then closes every connection.
  ///
  /// In-flight requests are answered with `Connection: close`, idle connections are closed, new requests on
  /// open ones are refused. Idempotent: a later call waits for the first.
  public func drain(grace: Duration) async {
    loop.preconditionOnLoop()
    guard !isDraining else { return await closed.wait() }
    isDraining = true
    daemon.stopListening()
    daemon.endHandshakes()
    for connection in connections.values where connection.phase == .idle { connection.stopReading() }
    daemon.runWhileDue(turns: Self.turnsToFlush)
    await waitUntilQuiet(grace)
    abandonRunning()
    daemon.runWhileDue(turns: Self.turnsToFlush)
    daemon.stop()
    lingering.closeAll()
    if let sweepTimer { loop.cancel(sweepTimer) }
    handler = nil
    closed.complete()
    Unmanaged.passUnretained(self).release()
  }
}
