import CarillonEventLoop
import Glibc

/// One keep-alive connection of a load: sends a request, reads its answer whole, sends the next.
final class LoadConnection: EventSource {
  struct Answer {
    var head: AnswerHead
    var nanoseconds: UInt64
    /// Copies the body; most answers are only counted.
    var body: () -> [UInt8]
    /// Copies the status line and the fields.
    var fields: () -> [UInt8]
  }

  private unowned let loop: EventLoop
  private let descriptor: Int32
  private let pace: Duration?
  private let next: (_ buffer: inout [UInt8]) -> Bool
  private let answered: (Answer) -> Void
  private let ended: () -> Void
  private var request: [UInt8] = []
  private var sent = 0
  private var received = [UInt8](repeating: 0, count: 64 * 1024)
  private var filled = 0
  private var startedAt: UInt64 = 0

  /// - Parameters:
  ///   - next: writes the next request into the empty buffer; false ends the connection.
  ///   - ended: the connection is over, at its end or because of a failure.
  init(
    to port: UInt16, on loop: EventLoop, pace: Duration? = nil, next: @escaping (inout [UInt8]) -> Bool,
    answered: @escaping (Answer) -> Void, ended: @escaping () -> Void
  ) throws(LoadFailure) {
    self.loop = loop
    self.pace = pace
    self.next = next
    self.answered = answered
    self.ended = ended
    descriptor = try Self.connect(to: port)
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    loop.watch(descriptor, for: .read, self)
  }

  deinit { close(descriptor) }

  func start() { sendNext() }

  func ready(for interest: Interest) {
    if !interest.isDisjoint(with: .write) { flush() }
    if !interest.isDisjoint(with: [.read, .hangUp]) { receive() }
  }

  private func sendNext() {
    request.removeAll(keepingCapacity: true)
    guard next(&request) else { return finish() }
    sent = 0
    startedAt = MonotonicClock.nanoseconds
    flush()
  }

  private func flush() {
    while sent < request.count {
      let count = request.withUnsafeBytes { write(descriptor, $0.baseAddress! + sent, $0.count - sent) }
      if count < 0 {
        guard errno == EAGAIN else { return finish() }
        return loop.setInterest([.read, .write], of: descriptor)
      }
      sent += count
    }
    loop.setInterest(.read, of: descriptor)
  }

  private func receive() {
    if filled == received.count { received.append(contentsOf: repeatElement(0, count: received.count)) }
    let count = received.withUnsafeMutableBytes {
      read(descriptor, $0.baseAddress! + filled, $0.count - filled)
    }
    if count < 0, errno == EAGAIN { return }
    guard count > 0 else { return finish() }
    filled += count
    guard
      let head = received.withUnsafeBytes({ AnswerHead(UnsafeRawBufferPointer(rebasing: $0[..<filled])) }),
      filled >= head.length + head.bodyLength
    else { return }
    filled = 0
    answered(
      Answer(
        head: head, nanoseconds: MonotonicClock.nanoseconds - startedAt,
        body: { [unowned self] in Array(received[head.length..<(head.length + head.bodyLength)]) },
        fields: { [unowned self] in Array(received[..<head.length]) }))
    guard let pace else { return sendNext() }
    let since = Duration.nanoseconds(Int64(MonotonicClock.nanoseconds - startedAt))
    _ = loop.schedule(after: max(.zero, pace - since)) { [weak self] in self?.sendNext() }
  }

  private func finish() {
    loop.unwatch(descriptor)
    ended()
  }

  /// A connection that blocks.
  static func connect(to port: UInt16) throws(LoadFailure) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else {
      let failure = errno
      close(descriptor)
      throw LoadFailure(detail: "cannot connect to 127.0.0.1:\(port): \(String(cString: strerror(failure)))")
    }
    var on: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }
}

/// A measurement that could not be made.
struct LoadFailure: Error, CustomStringConvertible {
  let detail: String
  var description: String { detail }
}

/// The head of an HTTP/1.1 answer: just what a load needs of it.
struct AnswerHead {
  let status: Int
  let length: Int
  let bodyLength: Int

  /// Nil while the head is not complete.
  init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 12 else { return nil }
    var end = 0
    var lineStart = 0
    var bodyLength = 0
    while true {
      guard let newline = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
      if newline - lineStart <= 1 {
        end = newline + 1
        break
      }
      // Content-Length: the only field whose name has its hyphen at 7 and its colon at 14.
      if newline - lineStart > 15, bytes[lineStart + 7] == UInt8(ascii: "-"),
        bytes[lineStart + 14] == UInt8(ascii: ":"), bytes[lineStart] | 0x20 == UInt8(ascii: "c")
      {
        for byte in bytes[(lineStart + 15)..<newline] where byte >= 48 && byte <= 57 {
          bodyLength = bodyLength * 10 + Int(byte - 48)
        }
      }
      lineStart = newline + 1
    }
    status = Int(bytes[9] - 48) * 100 + Int(bytes[10] - 48) * 10 + Int(bytes[11] - 48)
    length = end
    self.bodyLength = bodyLength
  }
}

enum MonotonicClock {
  static var nanoseconds: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
  }
}
