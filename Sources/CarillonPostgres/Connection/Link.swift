import CarillonEventLoop
import Glibc

/// Who is told what happens on a ``Link``. Called on the loop.
protocol LinkDelegate: AnyObject {
  func linkDidOpen()
  /// There may be results to fetch.
  func linkDidReceive()
  /// The link is closed: it could not be opened, or it broke. Called at most once, never after `close()`.
  func linkDidFail(_ message: String)
}

/// One connection on an event loop: opens without blocking, writes what is pending when the socket allows it,
/// and says when something came. Confined to its loop.
final class Link: EventSource {
  private enum State { case opening, open, closed }

  private let loop: EventLoop
  private var state = State.opening
  /// A second descriptor of libpq's socket: libpq closes its own when the connection breaks, and a watched
  /// descriptor must not be closed.
  private var watched: Int32 = -1
  private var isWriting = false
  private var deadline: TimerToken?
  private(set) var handle: ConnectionHandle?
  private weak var delegate: (any LinkDelegate)?

  /// Begins to open; one of the delegate's methods follows, never before this returns.
  init(_ conninfo: String, on loop: EventLoop, within limit: Duration, delegate: any LinkDelegate) {
    self.loop = loop
    self.delegate = delegate
    let handle = ConnectionHandle(conninfo: conninfo)
    self.handle = handle
    if handle.isBroken {
      deadline = loop.schedule(after: .zero) { [weak self] in self?.fail() }
    } else {
      deadline = loop.schedule(after: limit) { [weak self] in self?.fail("no connection in time") }
      watch(.write)
    }
  }

  deinit {
    // The loop's poller holds a watched link: one that gets here has been closed, or its loop has ended.
    if watched >= 0 { Glibc.close(watched) }
  }

  /// Closes without a word to the delegate. Idempotent.
  func close() {
    guard state != .closed else { return }
    state = .closed
    if let deadline { loop.cancel(deadline) }
    deadline = nil
    unwatch()
    handle = nil
  }

  /// Writes what libpq holds; what the socket does not take now goes when it can.
  func flush() {
    guard state == .open, let handle else { return }
    switch handle.flush() {
    case .done: setWriting(false)
    case .pending: setWriting(true)
    // A server that ends says why before it hangs up: read that first.
    case .failed: setWriting(false)
    }
  }

  func fail(_ message: String? = nil) {
    guard state != .closed else { return }
    let message = message ?? handle?.message ?? ""
    close()
    delegate?.linkDidFail(message)
  }

  func ready(for interest: Interest) {
    switch state {
    case .opening: continueOpening()
    case .open: exchange(interest)
    case .closed: break
    }
  }

  private func continueOpening() {
    guard let handle else { return }
    // The socket may change under PQconnectPoll, even to a new one of the same number.
    unwatch()
    switch handle.connectStep() {
    case .wait(let interest): watch(interest)
    case .failed: fail()
    case .connected:
      state = .open
      if let deadline { loop.cancel(deadline) }
      deadline = nil
      watch(.read)
      delegate?.linkDidOpen()
    }
  }

  private func exchange(_ interest: Interest) {
    if isWriting { flush() }
    guard !interest.isDisjoint(with: [.read, .hangUp]), let handle else { return }
    let isAlive = handle.receive()
    delegate?.linkDidReceive()
    if !isAlive || handle.isBroken { fail() }
  }

  private func setWriting(_ writing: Bool) {
    guard writing != isWriting else { return }
    isWriting = writing
    loop.setInterest(writing ? [.read, .write] : .read, of: watched)
  }

  private func watch(_ interest: Interest) {
    guard let socket = handle?.socket, socket >= 0 else { return fail() }
    let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return fail("no descriptor is free") }
    watched = copy
    loop.watch(copy, for: interest, self)
  }

  private func unwatch() {
    guard watched >= 0 else { return }
    loop.unwatch(watched)
    Glibc.close(watched)
    watched = -1
  }
}
