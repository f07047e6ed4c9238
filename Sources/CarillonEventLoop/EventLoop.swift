import CLinux
import Glibc
import Synchronization

/// One epoll thread that is also a Swift executor.
///
/// Everything a loop owns (listeners, database connections, handlers) is confined to its thread: a job, a
/// ready descriptor and a timer all run there, one after the other, so nothing on it needs a lock. An actor
/// joins the loop by returning ``asUnownedSerialExecutor()`` from `unownedExecutor`.
///
/// Methods marked *on the loop* trap when called from another thread; ``enqueue(_:)``, ``stop()`` and
/// ``waitUntilStopped()`` may be called from anywhere.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  // Unchecked: `jobs.remote` is behind a mutex, counters are atomic, everything else is touched on the
  // loop's own thread only, which `preconditionOnLoop` checks at each entry.

  let poller: Poller
  let timers = TimerQueue()
  private let jobs = JobQueue()
  private let thread = Atomic<UInt>(0)
  private let stopping = Atomic<Bool>(false)
  private let stopped = CompletionSignal()
  private var tickHooks: [() -> Bool] = []
  private var waitLimits: [() -> Duration?] = []
  private let name: String

  /// - Parameter name: shown by the operating system for the thread; cut after 15 bytes.
  public init(name: String) throws(EventLoopError) {
    self.name = name
    self.poller = try Poller()
  }

  // MARK: Life

  /// Starts the thread. Call once.
  public func start() {
    precondition(thread.load(ordering: .acquiring) == 0, "an event loop starts once")
    Thread.detach { [self] in run() }
  }

  /// Asks the loop to end after the jobs and events at hand. Idempotent, from any thread.
  public func stop() {
    stopping.store(true, ordering: .releasing)
    poller.wake()
  }

  /// Returns when the thread has left the loop.
  public func waitUntilStopped() async { await stopped.wait() }

  // MARK: On the loop

  /// Calls `source` whenever `descriptor` is ready for any of `interest`. The source is held weakly by the
  /// kernel's view of it: ``unwatch(_:)`` before closing the descriptor or dropping the source.
  public func watch(_ descriptor: Int32, for interest: Interest, _ source: any EventSource) {
    preconditionOnLoop()
    poller.add(descriptor, interest: interest, source: source)
  }

  /// Changes what a watched descriptor waits for.
  public func setInterest(_ interest: Interest, of descriptor: Int32) {
    preconditionOnLoop()
    poller.modify(descriptor, interest: interest)
  }

  /// Forgets a descriptor. Harmless when it is not watched.
  public func unwatch(_ descriptor: Int32) {
    preconditionOnLoop()
    poller.remove(descriptor)
  }

  /// Adds a hook that runs once each turn, after jobs and before waiting: the place to flush what collected.
  /// A hook returns true when it may have made more work, and then all run again.
  public func beforeWaiting(_ hook: @escaping () -> Bool) {
    preconditionOnLoop()
    tickHooks.append(hook)
  }

  /// Adds a source of an upper bound for the next wait (libmicrohttpd keeps ready connections in a list of
  /// its own and asks to be called although its descriptor is quiet). Nil means no bound.
  public func limitWait(_ limit: @escaping () -> Duration?) {
    preconditionOnLoop()
    waitLimits.append(limit)
  }

  /// Calls `action` on the loop after `delay`, unless cancelled. Resolution: a millisecond.
  @discardableResult
  public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> TimerToken {
    preconditionOnLoop()
    return timers.add(at: .now(plus: delay), action)
  }

  public func cancel(_ timer: TimerToken) {
    preconditionOnLoop()
    timers.cancel(timer)
  }

  // MARK: Executor

  /// Whether the caller runs on this loop's thread.
  public var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }

  /// Jobs that arrived from other threads since the start: under load this stands still, or something hops.
  public var remoteEnqueueCount: Int { jobs.remoteCount }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent {
      jobs.appendLocal(job)
    } else if jobs.appendRemote(job) {
      poller.wake()
    }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
  public func asUnownedTaskExecutor() -> UnownedTaskExecutor { UnownedTaskExecutor(ordinary: self) }
  public func checkIsolated() { preconditionOnLoop() }
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  public func preconditionOnLoop(_ caller: StaticString = #function) {
    precondition(isCurrent, "\(caller) must be called on its event loop")
  }

  // MARK: The thread

  private func run() {
    thread.store(UInt(pthread_self()), ordering: .releasing)
    clinux_name_thread(String(name.utf8.prefix(15)) ?? "event-loop")
    // The whole loop is one job: without a job around it the runtime knows no current executor on this
    // thread, and every continuation would resume on the global pool before hopping back here.
    Task(executorPreference: self) { self.turnUntilStopped() }
    while !jobs.isFinished {
      _ = drain()
      if !jobs.isFinished { poller.waitForWake() }
    }
    stopped.complete()
  }

  private func turnUntilStopped() {
    while !stopping.load(ordering: .acquiring) {
      flush()
      poller.poll(for: waitTime())
      timers.fire()
    }
    flush()
    tickHooks.removeAll()
    waitLimits.removeAll()
    jobs.finish()
  }

  private func flush() {
    repeat { _ = drain() } while runHooks() || jobs.hasWork
  }

  private func runHooks() -> Bool {
    var again = false
    for hook in tickHooks where hook() { again = true }
    return again
  }

  private func drain() -> Bool { jobs.runAll(on: asUnownedSerialExecutor()) }

  private func waitTime() -> Duration? {
    var limit = timers.untilNext()
    for source in waitLimits {
      guard let other = source() else { continue }
      limit = limit.map { min($0, other) } ?? other
    }
    return limit
  }
}
