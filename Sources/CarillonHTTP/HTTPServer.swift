import CarillonEventLoop

/// What a server does with requests. Called on the server's loop.
public protocol HTTPHandler: AnyObject {
  /// The most bytes the body of this request may have; asked when the headers are in.
  func bodyLimit(method: String, path: String) -> Int
  /// Called once per request, on the loop; suspends as it likes. Cancelled when the client has gone.
  func respond(to request: HTTPRequest) async -> HTTPResponse
  func respond(to refusal: HTTPRefusal) -> HTTPResponse
}

/// An HTTP/1.1 listener on one event loop, over libmicrohttpd. Confined to its loop.
public final class HTTPServer {
  public struct Configuration: Sendable {
    /// A numeric address.
    public var address = "127.0.0.1"
    /// 0 lets the system choose.
    public var port: UInt16 = 0
    public var connectionLimit = 12_000
    public var headerBytesLimit = 32 * 1024
    public var idleTimeout = Duration.seconds(75)
    public init() {}
  }

  public init(loop: EventLoop, configuration: Configuration, handler: any HTTPHandler) throws { fatalError() }

  /// The port it listens on.
  public var port: UInt16 { fatalError() }
  /// Requests handed to the handler and not yet answered.
  public var inFlight: Int { fatalError() }

  /// Stops accepting; returns when nothing is in flight or `grace` is over, then closes every connection.
  public func drain(grace: Duration) async { fatalError() }
}
