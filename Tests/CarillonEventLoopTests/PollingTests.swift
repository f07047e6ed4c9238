import CarillonEventLoop
import Glibc
import Testing

@Suite struct PollingTests {
  @Test func `a source that is unwatched during a round is not called in it`() async throws {
    let calls = try await withLoop { _, actor in
      await actor.unwatchEachOther()
    }
    #expect(calls == 1)
  }

  @Test func `an event of a closed descriptor does not reach the next owner of its number`() async throws {
    let reached = try await withLoop { _, actor in await actor.reuseDescriptorWithinRound() }
    #expect(!reached)
  }

  @Test func `interest can be changed`() async throws {
    try await withLoop { _, actor in
      let pipe = Pipe()
      let done = CompletionSignal()
      await actor.run { actor in
        let loop = actor.loop
        var seen: [Interest] = []
        let source = ClosureSource { interest in
          seen.append(interest)
          loop.unwatch(pipe.write)
          done.complete()
        }
        loop.watch(pipe.write, for: [], source)
        loop.setInterest(.write, of: pipe.write)
      }
      await done.wait()
      pipe.close()
    }
  }

  @Test func `more ready descriptors than one wait reports are all served`() async throws {
    try await withLoop { _, actor in
      let pipes = (0..<600).map { _ in Pipe() }
      for pipe in pipes { pipe.put() }
      let done = CompletionSignal()
      await actor.run { actor in
        let loop = actor.loop
        var left = pipes.count
        for pipe in pipes {
          let source = ClosureSource { _ in
            loop.unwatch(pipe.read)
            left -= 1
            if left == 0 { done.complete() }
          }
          loop.watch(pipe.read, for: .read, source)
        }
      }
      await done.wait()
      for pipe in pipes { pipe.close() }
    }
  }

  @Test func `hooks run before the wait, again when they made work, and can remove themselves`() async throws
  {
    let calls = try await withLoop { _, actor in await actor.countHookCalls() }
    #expect(calls == 3)
  }
}

extension LoopActor {
  /// Two ready pipes; whichever is served first unwatches and closes the other.
  fileprivate func unwatchEachOther() async -> Int {
    let loop = loop
    let pipes = [Pipe(), Pipe()]
    var calls = 0
    for (mine, other) in [(0, 1), (1, 0)] {
      let source = ClosureSource { _ in
        calls += 1
        loop.unwatch(pipes[mine].read)
        loop.unwatch(pipes[other].read)
        pipes[other].close()
      }
      loop.watch(pipes[mine].read, for: .read, source)
    }
    for pipe in pipes { pipe.put() }
    await turn()
    return calls
  }

  fileprivate func reuseDescriptorWithinRound() async -> Bool {
    let loop = loop
    let pipes = [Pipe(), Pipe()]
    let quiet = Pipe()
    var wasReached = false
    var isFirst = true
    for (mine, other) in [(0, 1), (1, 0)] {
      let source = ClosureSource { _ in
        guard isFirst else { return wasReached = true }
        isFirst = false
        loop.unwatch(pipes[mine].read)
        loop.unwatch(pipes[other].read)
        // The same number, another file: one on which nothing is to be read.
        dup2(quiet.read, pipes[other].read)
        loop.watch(pipes[other].read, for: .read, ClosureSource { _ in wasReached = true })
      }
      loop.watch(pipes[mine].read, for: .read, source)
    }
    for pipe in pipes { pipe.put() }
    await turn()
    for pipe in pipes {
      loop.unwatch(pipe.read)
      pipe.close()
    }
    quiet.close()
    return wasReached
  }

  fileprivate func countHookCalls() async -> Int {
    let loop = loop
    var calls = 0
    var token: HookToken?
    token = loop.beforeWaiting {
      calls += 1
      if calls == 3, let token { loop.removeHook(token) }
      return calls < 3
    }
    await turn()
    return calls
  }

  /// Lets the loop wait and serve at least twice.
  private func turn() async {
    for _ in 0..<2 {
      await withCheckedContinuation { continuation in
        loop.schedule(after: .milliseconds(1)) { continuation.resume() }
      }
    }
  }
}
