import CMicroHTTPD
import CarillonEventLoop
import Glibc

/// The owner of one `MHD_Daemon`, driven from its event loop.
final class Daemon: EventSource {
  private let handle: OpaquePointer
  /// Which libmicrohttpd keeps a pointer to.
  private let configuration: UnsafeMutablePointer<cmhd_configuration>
  private let loop: EventLoop
  private let pollDescriptor: Int32
  private var hooks: [HookToken] = []
  /// libmicrohttpd has something to do although its epoll descriptor may be quiet.
  private var needsRun = true
  /// How often libmicrohttpd has been run.
  private(set) var runCount = 0
  private var handshakes: Handshakes!
  private var listensStill = true
  private var isStopped = false

  /// Takes the listening socket over, also when it fails.
  init(loop: EventLoop, configuration: cmhd_configuration) throws(HTTPServerError) {
    let kept = UnsafeMutablePointer<cmhd_configuration>.allocate(capacity: 1)
    kept.initialize(to: configuration)
    guard let handle = cmhd_start(kept) else {
      kept.deallocate()
      close(configuration.listener)
      throw HTTPServerError.daemonRefused
    }
    self.handle = handle
    self.configuration = kept
    self.loop = loop
    pollDescriptor = cmhd_epoll_descriptor(handle)
    precondition(pollDescriptor >= 0, "libmicrohttpd was built without epoll")
    loop.watch(pollDescriptor, for: .read, self)
    handshakes = Handshakes(loop: loop) { [unowned self] connection in resume(connection.handle) }
    hooks = [
      loop.beforeWaiting { [unowned self] in runIfNeeded() },
      loop.limitWait { [unowned self] in waitLimit() },
    ]
  }

  deinit {
    precondition(isStopped, "a daemon must be stopped before it is dropped")
    configuration.deallocate()
  }

  func ready(for interest: Interest) { run() }

  func run() {
    needsRun = false
    runCount += 1
    MHD_run(handle)
    handshakes.suspendUnfinished()
  }

  /// A connection whose client is to shake hands first.
  func expectHandshake(on connection: Connection) { handshakes.add(connection) }

  /// Goes on with all handshakes, so that ``stop()`` may come.
  func endHandshakes() { handshakes.end() }

  /// Runs in this turn of the loop.
  func runSoon() { needsRun = true }

  /// Goes on with a suspended connection in this turn of the loop: its response has been queued, or its client goes on
  /// with the handshake.
  func resume(_ connection: OpaquePointer) {
    MHD_resume_connection(connection)
    needsRun = true
  }

  /// Closes the listening socket; open connections live on.
  func stopListening() {
    guard listensStill else { return }
    listensStill = false
    let listener = MHD_quiesce_daemon(handle)
    if listener >= 0 { close(listener) }
    needsRun = true
  }

  /// Closes every connection. None may be suspended.
  func stop() {
    guard !isStopped else { return }
    isStopped = true
    stopListening()
    loop.unwatch(pollDescriptor)
    for hook in hooks { loop.removeHook(hook) }
    MHD_stop_daemon(handle)
  }

  /// While libmicrohttpd says so, and at most `turns` times.
  func runWhileDue(turns: Int) {
    var turns = turns
    repeat {
      run()
      turns -= 1
    } while turns > 0 && waitLimit() == .zero
  }

  private func runIfNeeded() -> Bool {
    guard needsRun else { return false }
    run()
    return true
  }

  private func waitLimit() -> Duration? {
    if needsRun { return .zero }
    var milliseconds: UInt64 = 0
    guard MHD_get_timeout(handle, &milliseconds) == .YES else { return nil }
    if milliseconds == 0 { needsRun = true }
    return .milliseconds(Int64(clamping: milliseconds))
  }
}
