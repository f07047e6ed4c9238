/// One request, complete with its body.
public struct HTTPRequest: Sendable {
  /// As sent: `GET`, `PUT` …
  public var method: String
  /// The path as sent, without the query, still percent-encoded.
  public var path: String
  /// The query as sent, without `?`; nil when there is none.
  public var query: String?
  public var headers: HTTPHeaders
  public var body: [UInt8]
  /// The other end of the connection: a client, or a proxy in front (``TrustedProxies/client(peer:headers:)``). Nil for
  /// a request that did not come over a network.
  public var peer: IPAddress?

  public init(
    method: String, path: String, query: String? = nil, headers: HTTPHeaders = HTTPHeaders(),
    body: [UInt8] = [], peer: IPAddress? = nil
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.peer = peer
  }
}

/// What the handler answers. `Date`, `Content-Length`, `Connection` and the leaving out of the body for `HEAD`
/// are the server's affair.
public struct HTTPResponse: Sendable {
  /// 200...599.
  public var status: Int
  /// Names must be tokens (RFC 9110), else the server traps. A control character in a value is sent as a
  /// space, so that no value can end its line.
  public var headers: [(name: String, value: String)]
  /// Sent as it is, never copied.
  public var body: [UInt8]
  /// Ends the connection after this answer.
  public var closesConnection = false

  public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Why the server refuses a request by itself, before any handler: the caller gives it its words. The
/// connection is closed after each.
public enum HTTPRefusal: Sendable, Equatable {
  /// 411: a body in chunks (RFC 9110, section 15.5.12).
  case lengthRequired
  /// 413
  case bodyTooLarge(limit: Int)
  /// 400: two lengths, a length with a transfer coding, no or two hosts, a folded line and the like.
  case malformed(detail: String)
  /// 503
  case draining
  /// 503: the bodies at hand are as many as the server holds.
  case overloaded
}
