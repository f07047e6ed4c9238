import CarillonEventLoop
import Testing

@Suite struct ExecutorTests {
  @Test func `an actor of a loop runs on its thread, also after every kind of wait`() async throws {
    try await withLoop { loop, actor in
      let visits = await actor.run { $0.loop.isCurrent }
      #expect(visits)
      let afterWaits = await actor.visitEverything()
      #expect(afterWaits.allSatisfy { $0 }, "\(afterWaits)")
      #expect(!loop.isCurrent)
    }
  }

  @Test func `jobs from many threads all arrive, one at a time`() async throws {
    try await withLoop { _, actor in
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<50 {
          group.addTask { for _ in 0..<100 { await actor.increment() } }
        }
      }
      #expect(await actor.count == 5000)
    }
  }

  @Test func `a task that prefers the loop never leaves it`() async throws {
    try await withLoop { loop, actor in
      let counts = await Task(executorPreference: loop) { await actor.countRemoteEnqueues() }.value
      #expect(counts.after == counts.before)
    }
  }

  @Test func `a job that came before the start runs`() async throws {
    let loop = try EventLoop(name: "early")
    let actor = LoopActor(loop)
    let early = (0..<10).map { _ in Task { await actor.increment() } }
    while loop.remoteEnqueueCount < early.count { await Task.yield() }
    loop.start()
    for task in early { await task.value }
    #expect(await actor.count == 10)
    loop.stop()
    await loop.waitUntilStopped()
  }

  @Test func `a task that only yields does not keep descriptors and timers waiting`() async throws {
    try await withLoop { _, actor in
      let pipe = Pipe()
      await actor.yieldUntilReadable(pipe)
      await actor.yieldUntilTimer()
      pipe.close()
    }
  }

  @Test func `isolation is known to assumeIsolated in a callback`() async throws {
    try await withLoop { loop, actor in
      let done = CompletionSignal()
      await actor.run { actor in
        let loop = actor.loop
        loop.schedule(after: .zero) {
          // No task runs here: only the loop itself can vouch for the thread.
          actor.assumeIsolated { $0.increment() }
          done.complete()
        }
      }
      await done.wait()
      #expect(await actor.count == 1)
    }
  }
}

extension LoopActor {
  fileprivate func visitEverything() async -> [Bool] {
    let loop = loop
    var onLoop = [loop.isCurrent]
    await Task.yield()
    onLoop.append(loop.isCurrent)
    try? await Task.sleep(for: .milliseconds(2))
    onLoop.append(loop.isCurrent)
    await withCheckedContinuation { continuation in Task.detached { continuation.resume() } }
    onLoop.append(loop.isCurrent)
    await withTaskExecutorPreference(loop) {
      async let child = Self.isCurrent(loop)
      onLoop.append(await child)
      let grouped = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<5 { group.addTask { await Self.isCurrent(loop) } }
        return await group.reduce(true) { $0 && $1 }
      }
      onLoop.append(grouped)
    }
    onLoop.append(loop.isCurrent)
    return onLoop
  }

  @concurrent private static func isCurrent(_ loop: EventLoop) async -> Bool {
    try? await Task.sleep(for: .milliseconds(1))
    return loop.isCurrent
  }

  fileprivate func countRemoteEnqueues() async -> (before: Int, after: Int) {
    let before = loop.remoteEnqueueCount
    for _ in 0..<1000 { await Task.yield() }
    await withTaskExecutorPreference(loop) {
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<100 { group.addTask { await Task.yield() } }
      }
    }
    for _ in 0..<100 {
      let task = Task.immediate(executorPreference: loop) {
        await Task.yield()
        self.increment()
      }
      await task.value
    }
    return (before, loop.remoteEnqueueCount)
  }

  fileprivate func yieldUntilReadable(_ pipe: Pipe) async {
    var isReadable = false
    let source = ClosureSource { _ in isReadable = true }
    loop.watch(pipe.read, for: .read, source)
    await Task.yield()
    pipe.put()
    while !isReadable { await Task.yield() }
    loop.unwatch(pipe.read)
  }

  fileprivate func yieldUntilTimer() async {
    var hasFired = false
    loop.schedule(after: .milliseconds(1)) { hasFired = true }
    while !hasFired { await Task.yield() }
  }
}
