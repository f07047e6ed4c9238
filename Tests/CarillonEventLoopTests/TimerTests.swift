import CarillonEventLoop
import Testing

@Suite struct TimerTests {
  @Test func `timers fire by deadline, equal ones in the order they were set`() async throws {
    let order = try await withLoop { _, actor in
      await actor.collect { loop, fire in
        for (delay, name) in [(9, 4), (3, 1), (6, 2), (6, 3), (0, 0)] {
          loop.schedule(after: .milliseconds(delay)) { fire(name) }
        }
        return 5
      }
    }
    #expect(order == [0, 1, 2, 3, 4])
  }

  @Test func `random timers fire in order, cancelled ones never`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SplitMix(state: seed)
    let delays = (0..<400).map { _ in Int.random(in: 0...20, using: &random) }
    let order = try await withLoop { _, actor in
      await actor.collect { loop, fire in
        let tokens = delays.enumerated().map { index, delay in
          loop.schedule(after: .milliseconds(delay)) { fire(index) }
        }
        for index in stride(from: 0, to: tokens.count, by: 3) { loop.cancel(tokens[index]) }
        // Cancelling what has gone is harmless.
        loop.cancel(tokens[0])
        return tokens.indices.count { $0 % 3 != 0 }
      }
    }
    #expect(order.allSatisfy { $0 % 3 != 0 }, "seed \(seed)")
    // A timer that was set later may fire before an earlier one only with a shorter delay.
    let isOrdered = order.indices.allSatisfy { first in
      order[first...].allSatisfy { order[first] <= $0 || delays[order[first]] < delays[$0] }
    }
    #expect(isOrdered, "seed \(seed)")
  }

  @Test func `a cancelled action is let go at once`() async throws {
    try await withLoop { _, actor in
      let isReleased = await actor.run { actor in
        weak var watched: Token?
        do {
          let token = Token()
          watched = token
          let timer = actor.loop.schedule(after: .seconds(3600)) { withExtendedLifetime(token) {} }
          actor.loop.cancel(timer)
        }
        return watched == nil
      }
      #expect(isReleased)
    }
  }

  @Test func `an action may cancel a timer that is due too, and set new ones`() async throws {
    let order = try await withLoop { _, actor in
      await actor.collect { loop, fire in
        var victim: TimerToken?
        loop.schedule(after: .zero) {
          fire(0)
          if let victim { loop.cancel(victim) }
          loop.schedule(after: .zero) { fire(1) }
        }
        victim = loop.schedule(after: .zero) { fire(99) }
        return 2
      }
    }
    #expect(order == [0, 1])
  }

  @Test(arguments: [Duration.seconds(-5), .nanoseconds(-1), .zero])
  func `a negative delay is none`(_ delay: Duration) async throws {
    let order = try await withLoop { _, actor in
      await actor.collect { loop, fire in
        loop.schedule(after: delay) { fire(0) }
        return 1
      }
    }
    #expect(order == [0])
  }

  @Test func `an endless delay is no trap and holds nothing up`() async throws {
    let order = try await withLoop { _, actor in
      await actor.collect { loop, fire in
        loop.schedule(after: .seconds(Int64.max)) { fire(99) }
        loop.schedule(after: .milliseconds(1)) { fire(0) }
        return 1
      }
    }
    #expect(order == [0])
  }
}

private final class Token {}

private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension LoopActor {
  /// Runs `setUp`, which says how many calls of its second argument to wait for; returns them in order.
  fileprivate func collect(_ setUp: (EventLoop, @escaping (Int) -> Void) -> Int) async -> [Int] {
    let loop = loop
    var fired: [Int] = []
    var expected = Int.max
    let done = CompletionSignal()
    expected = setUp(loop) { name in
      fired.append(name)
      if fired.count == expected { done.complete() }
    }
    await done.wait()
    return fired
  }
}
