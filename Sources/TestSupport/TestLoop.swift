import CarillonEventLoop

/// An actor whose jobs run on an event loop's thread.
private actor LoopActor {
  nonisolated let loop: EventLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ loop: EventLoop) { self.loop = loop }

  func run<R: Sendable>(_ body: @Sendable (EventLoop) async throws -> R) async throws -> R {
    try await body(loop)
  }
}

/// Runs `body` on the thread of a new event loop, which ends with it. What the body makes may be confined to
/// the loop: it is called by an actor whose executor the loop is.
public func withLoop<R: Sendable>(_ body: @Sendable (EventLoop) async throws -> R) async throws -> R {
  let loop = try EventLoop(name: "test")
  loop.start()
  let result: Result<R, any Error>
  do {
    // The preference keeps what the body starts without isolation on the loop, too.
    result = .success(
      try await withTaskExecutorPreference(loop) { try await LoopActor(loop).run(body) })
  } catch {
    result = .failure(error)
  }
  loop.stop()
  await loop.waitUntilStopped()
  return try result.get()
}

/// Runs `body` `count` times at once on `loop`, the way requests share one; returns the results in order. Must be
/// called on the loop.
public func concurrently<R: Sendable>(
  _ count: Int, on loop: EventLoop, _ body: @escaping (Int) async throws -> R
) async throws -> [R] {
  loop.preconditionOnLoop()
  let shared = ConfinedToLoop(value: body)
  return try await withThrowingTaskGroup(of: (Int, R).self) { group in
    for index in 0..<count {
      group.addTask(executorPreference: loop) { (index, try await shared.value(index)) }
    }
    var results: [R?] = Array(repeating: nil, count: count)
    for try await (index, result) in group { results[index] = result }
    return results.map { $0! }
  }
}

/// What stays on one loop's thread although it is handed to tasks.
private struct ConfinedToLoop<Value>: @unchecked Sendable {
  // Unchecked: each task that gets it prefers the loop's executor, so all of them run on its thread.
  let value: Value
}
