import Glibc

/// A blocking socket that sends what it is told, right or wrong, and reads answers.
final class RawClient {
  struct Answer: Equatable {
    var status: Int
    var head: String
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> [String] {
      head.split(separator: "\r\n").dropFirst().compactMap { line in
        guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
          return nil
        }
        return String(line[line.index(after: colon)...].drop { $0 == " " })
      }
    }
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
    init(_ description: String) { self.description = description }
  }

  let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Takes over one end of a socket pair, whose other end speaks for it.
  init(descriptor: Int32, patience: Int = 30) {
    self.descriptor = descriptor
    limitWaiting(patience)
  }

  private func limitWaiting(_ seconds: Int) {
    var limit = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, size)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
  }

  /// - Parameter patience: seconds a read waits before it fails; a bound for a hanging test, not a measure.
  init(port: UInt16, patience: Int = 30) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure("socket: errno \(errno)") }
    limitWaiting(patience)
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, 4)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw Failure("connect: errno \(errno)") }
  }

  deinit { close(descriptor) }

  func send(_ text: String) throws { try send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure("send: errno \(errno)") }
      sent += count
    }
  }

  /// Ends the connection with a reset.
  func reset() {
    var now = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &now, socklen_t(MemoryLayout<linger>.size))
    // The descriptor stays a valid one, for deinit to close.
    let other = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    dup2(other, descriptor)
    close(other)
  }

  /// Tells the server that nothing more comes.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// One whole answer; interim ones (1xx) come as answers of their own.
  func answer(hasBody: Bool = true) throws -> Answer {
    let end = try readUntilBlankLine()
    let head = String(decoding: buffer[..<end], as: UTF8.self)
    buffer.removeFirst(end + 4)
    guard head.hasPrefix("HTTP/1.1 "), let status = Int(head.dropFirst(9).prefix(3)) else {
      throw Failure("not a status line: \(head)")
    }
    var answer = Answer(status: status, head: head, body: [])
    guard hasBody, status >= 200, status != 204, status != 304 else { return answer }
    guard let length = answer.header("content-length").first.flatMap({ Int($0) }) else {
      throw Failure("no length: \(head)")
    }
    while buffer.count < length { try readMore() }
    answer.body = Array(buffer[..<length])
    buffer.removeFirst(length)
    return answer
  }

  /// Whether the server ends the connection, after nothing more.
  func isEnded() throws -> Bool {
    guard buffer.isEmpty else { return false }
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, 0)
    if count > 0 { buffer.append(byte) }
    return count == 0 || (count < 0 && errno == ECONNRESET)
  }

  /// Everything until the server ends the connection.
  func remainder() throws -> String {
    while try fill() {}
    defer { buffer = [] }
    return String(decoding: buffer, as: UTF8.self)
  }

  private func readUntilBlankLine() throws -> Int {
    var scanned = 0
    while true {
      if buffer.count >= 4 {
        for index in scanned...(buffer.count - 4)
        where buffer[index..<(index + 4)].elementsEqual("\r\n\r\n".utf8) {
          return index
        }
        scanned = max(0, buffer.count - 3)
      }
      try readMore()
    }
  }

  private func readMore() throws {
    guard try fill() else { throw Failure("ended after: \(String(decoding: buffer, as: UTF8.self))") }
  }

  private func fill() throws -> Bool {
    var part = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &part, part.count, 0)
    guard count >= 0 || errno == ECONNRESET else { throw Failure("recv: errno \(errno)") }
    buffer.append(contentsOf: part.prefix(max(0, count)))
    return count > 0
  }
}

/// Runs blocking client code on a thread of its own, away from the pool that tests share.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    let work = ThreadWork { continuation.resume(with: Result { try body() }) }
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<ThreadWork>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    pthread_detach(thread)
  }
}

private final class ThreadWork: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
