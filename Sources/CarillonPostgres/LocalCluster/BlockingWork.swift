import Glibc

/// Blocking calls on a thread of their own, never on an executor.
enum BlockingWork {
  static func run<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withUnsafeThrowingContinuation { continuation in
      detach { continuation.resume(with: Result { try body() }) }
    }
  }

  static func detach(_ body: @escaping @Sendable () -> Void) {
    let box = Unmanaged.passRetained(Body(run: body))
    var thread = pthread_t()
    let failure = pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    precondition(failure == 0, "pthread_create failed: \(failure)")
    pthread_detach(thread)
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Looks every few milliseconds until `condition` holds; false after `limit`. For what sends no signal: another
  /// process's end, a server's first answer.
  static func wait(atMost limit: Duration, until condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now + limit
    while true {
      if try condition() { return true }
      if ContinuousClock.now >= end { return false }
      poll(nil, 0, 10)
    }
  }
}
