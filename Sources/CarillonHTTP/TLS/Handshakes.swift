import CGnuTLS
import CMicroHTTPD
import CarillonEventLoop

/// Watches connections whose client owes the rest of a handshake, in libmicrohttpd's stead.
///
/// While a handshake lasts, libmicrohttpd takes its connection for ready and asks to be run again at once: one client that
/// says nothing would keep a core busy. So after each run such a connection is suspended, as one is whose handler is at
/// work, and goes on when its socket has something to say. Everything else is left to libmicrohttpd.
final class Handshakes {
  private let loop: EventLoop
  private let resume: (Connection) -> Void
  /// Those that the last run of libmicrohttpd may have brought further.
  private var moving: [Connection] = []
  /// Suspended, by descriptor.
  private var waiting: [Int32: Wait] = [:]
  private var isOver = false

  /// - Parameter resume: asks libmicrohttpd to go on with a connection, and to be run soon.
  init(loop: EventLoop, resume: @escaping (Connection) -> Void) {
    self.loop = loop
    self.resume = resume
  }

  func add(_ connection: Connection) { moving.append(connection) }

  /// After a run of libmicrohttpd, never inside one.
  func suspendUnfinished() {
    guard !moving.isEmpty, !isOver else { return }
    for connection in moving { suspendIfUnfinished(connection) }
    moving.removeAll(keepingCapacity: true)
  }

  /// Resumes all, and suspends none any more: libmicrohttpd cannot be stopped while a connection is suspended.
  func end() {
    isOver = true
    moving = []
    for wait in Array(waiting.values) { goOn(wait.connection) }
  }

  private func suspendIfUnfinished(_ connection: Connection) {
    guard connection.isHandshaking, let session = cmhd_tls_session(connection.handle) else { return }
    MHD_suspend_connection(connection.handle)
    let wait = Wait(connection) { [unowned self] in goOn(connection) }
    waiting[connection.descriptor] = wait
    let isWriting = gnutls_record_get_direction(OpaquePointer(session)) != 0
    loop.watch(connection.descriptor, for: isWriting ? .write : .read, wait)
  }

  private func goOn(_ connection: Connection) {
    waiting[connection.descriptor] = nil
    loop.unwatch(connection.descriptor)
    if !isOver { moving.append(connection) }
    resume(connection)
  }

  private final class Wait: EventSource {
    let connection: Connection
    private let goOn: () -> Void

    init(_ connection: Connection, goOn: @escaping () -> Void) {
      self.connection = connection
      self.goOn = goOn
    }

    func ready(for interest: Interest) { goOn() }
  }
}
