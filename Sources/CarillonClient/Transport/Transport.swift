/// Carries one request to the server and brings the answer back. ``URLSessionTransport`` is the usual one.
///
/// A transport sends once: trying again is the SDK's part (``RetryPolicy``). It honours cancellation of the task.
public protocol Transport: Sendable {
  /// - Returns: whatever the server said, errors of HTTP included.
  /// - Throws: when there was no answer.
  func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse
}

/// A request to the server, ready to be sent.
public struct TransportRequest: Hashable, Sendable {
  public var method: String
  /// From the root, percent-encoded, with its query.
  public var target: String
  public var headers: [TransportHeader]
  /// Nil: no body.
  public var body: [UInt8]?
  /// Seconds until it is given up, from start to the last byte of the answer.
  public var timeout: Double

  public init(
    method: String, target: String, headers: [TransportHeader] = [], body: [UInt8]? = nil,
    timeout: Double = 30
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.timeout = timeout
  }
}

public struct TransportHeader: Hashable, Sendable {
  public var name: String
  public var value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

public struct TransportResponse: Hashable, Sendable {
  public var status: Int
  public var headers: [TransportHeader]
  public var body: [UInt8]

  public init(status: Int, headers: [TransportHeader] = [], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The first value of a header; names are compared without regard to case.
  public func header(_ name: String) -> String? {
    let wanted = name.lowercased()
    return headers.first { $0.name.lowercased() == wanted }?.value
  }
}

/// Why there was no answer.
public struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Hashable, Sendable {
    /// No connection, or it broke before the answer was complete. The server may have done the work.
    case connection
    /// The time was up. The server may have done the work.
    case timeout
    /// The task was cancelled.
    case cancelled
    /// The server's identity could not be verified, or the address makes no sense: trying again cannot help.
    case configuration
    /// The answer is larger than the SDK takes.
    case tooLarge
  }

  public let code: Code
  public let detail: String

  public init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  public var description: String { "\(code.rawValue): \(detail)" }
}
