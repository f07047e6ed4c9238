import CLinux
import CarillonEventLoop
import Glibc

/// Sockets that are closed for sending and drained for a moment before they go.
///
/// Closing a socket whose input is not read to the end makes the system send a reset, and a reset that
/// overtakes the answer takes it from the client (RFC 9112, section 9.6). So a refused client, which may still
/// be sending, is read and ignored until it ends, within bounds.
final class LingeringSockets {
  /// More than these are closed at once.
  static let socketLimit = 256
  static let timeLimit = Duration.seconds(2)
  /// Bytes that are thrown away for one client.
  static let byteLimit = 4 * 1024 * 1024

  private let loop: EventLoop
  private var sockets: [Int32: Lingering] = [:]

  init(loop: EventLoop) { self.loop = loop }

  /// Keeps a copy of `descriptor`, whose owner is about to close it.
  func add(copyOf descriptor: Int32) {
    guard sockets.count < Self.socketLimit else { return }
    let copy = clinux_duplicate(descriptor)
    guard copy >= 0 else { return }
    clinux_stop_sending(copy)
    let socket = Lingering(copy) { [unowned self] in close(copy) }
    sockets[copy] = socket
    loop.watch(copy, for: .read, socket)
    socket.timer = loop.schedule(after: Self.timeLimit) { [unowned self] in close(copy) }
  }

  func closeAll() {
    for descriptor in Array(sockets.keys) { close(descriptor) }
  }

  private func close(_ descriptor: Int32) {
    guard let socket = sockets.removeValue(forKey: descriptor) else { return }
    if let timer = socket.timer { loop.cancel(timer) }
    loop.unwatch(descriptor)
    Glibc.close(descriptor)
  }

  private final class Lingering: EventSource {
    let descriptor: Int32
    let end: () -> Void
    var timer: TimerToken?
    private var bytesLeft = byteLimit

    init(_ descriptor: Int32, end: @escaping () -> Void) {
      self.descriptor = descriptor
      self.end = end
    }

    func ready(for interest: Interest) {
      let count = withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) {
        clinux_receive(descriptor, $0.baseAddress, UInt($0.count))
      }
      if count < 0, errno == EAGAIN || errno == EINTR { return }
      bytesLeft -= max(0, count)
      if count <= 0 || bytesLeft <= 0 { end() }
    }
  }
}
