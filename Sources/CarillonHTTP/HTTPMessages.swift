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

  public init(
    method: String, path: String, query: String? = nil, headers: HTTPHeaders = HTTPHeaders(),
    body: [UInt8] = []
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
  }
}

/// Header fields in the order they came; names compare without case (RFC 9110).
public struct HTTPHeaders: Sendable {
  public init() {}
  /// The first field of that name.
  public subscript(_ name: String) -> String? { fatalError() }
  public func all(_ name: String) -> [String] { fatalError() }
  public mutating func add(_ name: String, _ value: String) { fatalError() }
}

public struct HTTPResponse: Sendable {
  public var status: Int
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]
  /// Ends the connection after this answer.
  public var closesConnection = false

  public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Why the server refuses a request by itself, before any handler: the caller gives it its words.
public enum HTTPRefusal: Sendable {
  case bodyTooLarge(limit: Int)
  /// Two different lengths, a length with a transfer coding, no or two hosts: closed after the answer.
  case malformed(detail: String)
  case draining
}
