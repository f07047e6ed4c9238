import Glibc
import Synchronization

/// A system call the loop cannot live without has failed.
public struct EventLoopError: Error, CustomStringConvertible {
  public let operation: String
  public let errno: Int32

  public var description: String { "\(operation) failed: \(String(cString: strerror(errno)))" }
}

enum Thread {
  /// Runs `body` on a new detached thread.
  static func detach(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    precondition(result == 0, "pthread_create failed: \(result)")
    pthread_detach(thread)
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}

/// Something that happens once, and that any number of tasks may await.
public final class CompletionSignal: Sendable {
  private struct State {
    var isComplete = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  public init() {}

  public var isComplete: Bool { state.withLock { $0.isComplete } }

  /// Idempotent, from any thread.
  public func complete() {
    let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
      state.isComplete = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  public func wait() async {
    await withCheckedContinuation { continuation in
      let isComplete = state.withLock { state in
        if !state.isComplete { state.waiters.append(continuation) }
        return state.isComplete
      }
      if isComplete { continuation.resume() }
    }
  }
}
