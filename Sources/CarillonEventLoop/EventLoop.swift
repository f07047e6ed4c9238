import CLinux
import Glibc
import Synchronization

/// One epoll thread that is also a Swift executor.
///
/// Everything a loop owns (listeners, database connections, handlers) is confined to its thread: a job, a
/// ready descriptor and a timer all run there, one after the other, so nothing on it needs a lock. An actor
/// joins the loop by returning ``asUnownedSerialExecutor()`` from `unownedExecutor`. A task that works for the
/// loop starts with `executorPreference: loop`: without it, what resumes after a wait goes through the global
/// pool and only then to the actor's executor, two hops that nothing but ``remoteEnqueueCount`` shows.
///
/// One turn: the queued jobs; the hooks of ``beforeWaiting(_:)``; both again while there is more, a bounded
/// number of times; then the wait, the descriptors that are ready and the timers that are due. So neither
/// jobs that make jobs nor a busy descriptor can starve the others.
///
/// Methods marked *on the loop* trap when called from another thread; ``enqueue(_:)``, ``stop()`` and
/// ``waitUntilStopped()`` may be called from anywhere.
public final class EventLoop: SerialExecutor, TaskExecutor, @unchecked Sendable {
  // Unchecked: the inbox of `jobs` is behind a mutex, counters are atomic, everything else is touched on the
  // loop's own thread only, which `preconditionOnLoop` checks at each entry.

  /// How often jobs and hooks take turns before the loop looks at its descriptors again.
  static let maximumRoundsPerTurn = 16
  /// How often a loop that has been stopped runs what its last jobs still make.
  static let maximumRoundsAfterStop = 10_000

  private let poller: Poller
  private let timers = TimerQueue()
  private let jobs = JobQueue()
  /// `pthread_self` of the loop's thread; zero before it runs and after it has ended, because the system
  /// gives the value of an ended thread to a later one.
  private let thread = Atomic<UInt>(0)
  private let isStarted = Atomic<Bool>(false)
  private let isStopping = Atomic<Bool>(false)
  private let stopped = CompletionSignal()
  private var tickHooks = TurnHooks<Bool>()
  private var waitLimits = TurnHooks<Duration?>()
  private var hookCounter: UInt64 = 0
  private let name: String

  /// - Parameter name: shown by the operating system for the thread; cut after 15 bytes.
  public init(name: String) throws(EventLoopError) {
    self.name = name
    self.poller = try Poller()
  }

  // MARK: Life

  /// Starts the thread. Call once.
  public func start() {
    let wasStarted = isStarted.exchange(true, ordering: .acquiringAndReleasing)
    precondition(!wasStarted, "an event loop starts once")
    Thread.detach { [self] in run() }
  }

  /// Asks the loop to end after the jobs and events at hand. Idempotent, from any thread.
  ///
  /// What still waits on the loop then waits forever: end servers, connections and tasks first.
  public func stop() {
    isStopping.store(true, ordering: .releasing)
    poller.wake()
  }

  /// Returns when the thread has left the loop. Not to be awaited by a task of this loop.
  public func waitUntilStopped() async { await stopped.wait() }

  // MARK: On the loop

  /// Calls `source` whenever `descriptor` is ready for any of `interest`. The loop holds the source until
  /// ``unwatch(_:)``, which must come before the descriptor is closed.
  public func watch(_ descriptor: Int32, for interest: Interest, _ source: any EventSource) {
    preconditionOnLoop()
    poller.add(descriptor, interest: interest, source: source)
  }

  /// Changes what a watched descriptor waits for.
  public func setInterest(_ interest: Interest, of descriptor: Int32) {
    preconditionOnLoop()
    poller.modify(descriptor, interest: interest)
  }

  /// Forgets a descriptor; its source is not called again, not even for an event already fetched. Harmless
  /// when it is not watched.
  public func unwatch(_ descriptor: Int32) {
    preconditionOnLoop()
    poller.remove(descriptor)
  }

  /// Adds a hook that runs once each turn, after jobs and before waiting: the place to flush what collected.
  /// A hook returns true when it may have made more work, and then jobs and hooks run again.
  @discardableResult
  public func beforeWaiting(_ hook: @escaping () -> Bool) -> HookToken {
    preconditionOnLoop()
    let token = nextHookToken()
    tickHooks.add(token, hook)
    return token
  }

  /// Adds a source of an upper bound for the next wait (libmicrohttpd keeps ready connections in a list of
  /// its own and asks to be called although its descriptor is quiet). Nil means no bound.
  @discardableResult
  public func limitWait(_ limit: @escaping () -> Duration?) -> HookToken {
    preconditionOnLoop()
    let token = nextHookToken()
    waitLimits.add(token, limit)
    return token
  }

  /// Removes a hook of ``beforeWaiting(_:)`` or ``limitWait(_:)``. Harmless when it is gone.
  public func removeHook(_ token: HookToken) {
    preconditionOnLoop()
    tickHooks.remove(token)
    waitLimits.remove(token)
  }

  /// Calls `action` on the loop after `delay`, unless cancelled. Resolution: a millisecond.
  @discardableResult
  public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> TimerToken {
    preconditionOnLoop()
    return timers.add(at: .now(plus: delay), action)
  }

  /// The action is released at once. Harmless when it has run.
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
    while !isFinished { jobs.runQueued(on: self) }
    settle()
    thread.store(0, ordering: .releasing)
    stopped.complete()
  }

  /// Set by the loop's job as its last act.
  private var isFinished = false

  private func turnUntilStopped() {
    while !isStopping.load(ordering: .acquiring) {
      flush()
      poller.poll(for: waitTime())
      timers.fire()
    }
    flush()
    tickHooks.removeAll()
    waitLimits.removeAll()
    timers.removeAll()
    poller.removeAll()
    isFinished = true
  }

  private func flush() {
    var rounds = 0
    repeat {
      jobs.runQueued(on: self)
      rounds += 1
    } while (runHooks() || jobs.hasWork) && rounds < Self.maximumRoundsPerTurn
  }

  /// Runs what the last jobs still make, so that tasks at hand can end.
  private func settle() {
    var rounds = 0
    while jobs.hasWork, rounds < Self.maximumRoundsAfterStop {
      jobs.runQueued(on: self)
      rounds += 1
    }
  }

  private func runHooks() -> Bool {
    var again = false
    for hook in tickHooks.all where hook.call() { again = true }
    return again
  }

  private func waitTime() -> Duration? {
    if jobs.hasWork { return .zero }
    var limit = timers.untilNext()
    for hook in waitLimits.all {
      guard let other = hook.call() else { continue }
      limit = limit.map { min($0, other) } ?? other
    }
    return limit
  }

  private func nextHookToken() -> HookToken {
    hookCounter += 1
    return HookToken(number: hookCounter)
  }
}
