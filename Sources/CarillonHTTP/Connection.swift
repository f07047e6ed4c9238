import CLinux
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
    /// The server holds too much: what still comes of the body is thrown away, and the answer is 503.
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
  /// The other end.
  let peer: IPAddress?
  private(set) var phase = Phase.idle
  /// The number of the sweep under way when the phase began.
  private(set) var phaseBegan: Int
  /// Counts the requests: the answer of a handler that came too late must not meet the next one.
  var requestNumber = 0
  /// Answers 429 since the last other one.
  private var refusals = 0
  var isSuspended = false
  /// libmicrohttpd would not take the answer: the connection cannot go on.
  var hasFailed = false
  /// The request line is in, and its fields are coming.
  var isReadingFields = false
  /// As sent, with the query.
  var target: [UInt8] = []
  var head: RequestHead?
  var body: [UInt8] = []
  /// Bytes of bodies that the server counts for this connection.
  var heldBytes = 0
  var swallowed = 0
  var responseBody: [UInt8] = []
  var task: Task<Void, Never>?
  private var clientWatch: ClientWatch?
  /// Nil for plain HTTP.
  private var tls: TLSSession?
  /// The client may still be sending when the connection is closed.
  var isRefused = false

  init(handle: OpaquePointer, sweep: Int) {
    self.handle = handle
    descriptor = cmhd_socket(handle)
    peer = withUnsafeTemporaryAllocation(byteCount: 16, alignment: 1) { bytes in
      let isKnown = cmhd_peer(handle, bytes.assumingMemoryBound(to: UInt8.self).baseAddress) != 0
      return isKnown ? IPAddress(bytes: UnsafeRawBufferPointer(bytes)) : nil
    }
    phaseBegan = sweep
  }

  /// False when the connection cannot be made safe, and must not go on.
  func secure(with credential: TLSCredential) -> Bool {
    tls = TLSSession(of: handle, showing: credential)
    return tls != nil
  }

  /// Whether the client owes the server the rest of a handshake.
  var isHandshaking: Bool { phase == .idle && requestNumber == 0 && tls?.isEstablished == false }

  func enter(_ phase: Phase, sweep: Int) {
    self.phase = phase
    phaseBegan = sweep
  }

  /// Takes a part of the body. False when no more may come.
  ///
  /// - Parameter hasRoom: whether the server holds more.
  func receive(_ bytes: UnsafeRawBufferPointer, hasRoom: Bool) -> Bool {
    if phase == .receiving {
      if hasRoom {
        body.append(contentsOf: bytes)
        return true
      }
      enter(.swallowing, sweep: phaseBegan)
    }
    body = []
    swallowed += bytes.count
    return swallowed <= HTTPServer.swallowLimit
  }

  /// Whether this answer is one 429 too many.
  func overdoes(with response: HTTPResponse, limit: Int) -> Bool {
    refusals = response.status == 429 ? refusals + 1 : 0
    return refusals >= limit
  }

  func takeRequest() -> HTTPRequest {
    guard let head = head.take() else { preconditionFailure("no request is under way") }
    defer { body = [] }
    return HTTPRequest(
      method: head.method, path: head.path, query: head.query, headers: head.headers, body: body, peer: peer)
  }

  /// Forgets the request.
  func reset() {
    endWatch()
    head = nil
    body = []
    swallowed = 0
    task = nil
  }

  /// Cancels the handler's task as soon as the client closes.
  func watchClient(on loop: EventLoop) {
    guard clientWatch == nil, let task else { return }
    clientWatch = ClientWatch(loop: loop, descriptor: descriptor, task: task)
  }

  func endWatch() {
    clientWatch?.end()
    clientWatch = nil
  }

  /// Sends `bytes` past libmicrohttpd, as far as the client has room for them, and nothing after them: what libmicrohttpd
  /// would say reaches nobody, and it closes.
  func sendLast(_ bytes: [UInt8]) {
    if let tls {
      tls.sendLast(bytes, on: handle)
    } else {
      _ = clinux_send(descriptor, bytes, UInt(bytes.count))
    }
    clinux_stop_sending(descriptor)
  }

  /// Lets the client send nothing more: what has arrived is still read and answered, then libmicrohttpd sees
  /// the end and closes.
  func stopReading() { clinux_stop_receiving(descriptor) }

  /// Ends the connection under libmicrohttpd, which finds it broken and closes.
  func abort() { clinux_stop_both(descriptor) }

  /// Whether the client has closed and everything it sent is read.
  var hasReachedEnd: Bool { clinux_has_reached_end(descriptor) != 0 }

  /// Whether bytes have arrived that nobody has read.
  var hasUnreadInput: Bool { clinux_unread_bytes(descriptor) > 0 }
}
