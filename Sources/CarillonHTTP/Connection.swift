import CMicroHTTPD
import CarillonEventLoop

/// One TCP connection of a server, and the request under way on it.
///
/// libmicrohttpd hands over the next request of a connection only when the last one is answered, so one object
/// with its buffers serves them all.
final class Connection: @unchecked Sendable {
  // Unchecked: confined to the server's loop; a handler's task, which runs there too, holds it.

  enum Phase {
    /// Waiting for, or in the middle of, a header block.
    case idle
    /// The header block is in and accepted; the body is coming.
    case receiving
    /// The body went over the limit: what still comes is thrown away, and the answer is 413.
    case swallowing
    /// The handler is at work.
    case running
    /// The answer is with libmicrohttpd.
    case answering
    /// libmicrohttpd has dropped the connection.
    case closed
  }

  let handle: OpaquePointer
  let descriptor: Int32
  var phase = Phase.idle
  /// Counts the requests: the answer of a handler that came too late must not meet the next one.
  var requestNumber = 0
  var isSuspended = false
  /// libmicrohttpd would not take the answer: the connection cannot go on.
  var hasFailed = false
  /// As sent, with the query.
  var target: [UInt8] = []
  var head: RequestHead?
  var body: [UInt8] = []
  var bodyLimit = 0
  var swallowed = 0
  var responseBody: [UInt8] = []
  var task: Task<Void, Never>?

  init(handle: OpaquePointer) {
    self.handle = handle
    descriptor = cmhd_socket(handle)
  }

  /// Takes a part of the body. False when no more may come.
  func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if phase == .receiving, body.count + bytes.count <= bodyLimit {
      body.append(contentsOf: bytes)
      return true
    }
    phase = .swallowing
    body = []
    swallowed += bytes.count
    return swallowed <= HTTPServer.swallowLimit
  }

  func takeRequest() -> HTTPRequest {
    guard let head = head.take() else { preconditionFailure("no request is under way") }
    defer { body = [] }
    return HTTPRequest(
      method: head.method, path: head.path, query: head.query, headers: head.headers, body: body)
  }

  /// Ready for the next request.
  func reset() {
    phase = .idle
    head = nil
    body = []
    swallowed = 0
    task = nil
  }
}
