import CarillonClient
import CarillonModel
import Synchronization

/// A clock that moves only when told to, or when somebody sleeps on it: waiting takes no time in a test.
public final class ManualClock: Sendable {
  private struct State {
    var now: Instant
    var slept: [Double] = []
    var generator: SeededGenerator
  }

  private let state: Mutex<State>

  /// - Parameters:
  ///   - now: where it stands.
  ///   - seed: of the randomness in ``effects``; equal seeds give equal runs.
  public init(_ now: Instant, seed: UInt64 = 1) {
    state = Mutex(State(now: now, generator: SeededGenerator(seed: seed)))
  }

  public var now: Instant { state.withLock { $0.now } }

  /// Every wait so far, in seconds.
  public var slept: [Double] { state.withLock { $0.slept } }

  /// Moves on; never back.
  public func advance(to later: Instant) {
    state.withLock { $0.now = max($0.now, later) }
  }

  /// - Parameter seconds: above 0.
  public func advance(by seconds: Double) {
    state.withLock { $0.now = $0.now.adding(fractionalSeconds: seconds) }
  }

  /// This clock as the SDK uses it: sleeping moves it on at once.
  public var effects: Effects {
    Effects(
      now: { self.now },
      sleep: { seconds in
        try Task.checkCancellation()
        self.state.withLock { state in
          state.slept.append(seconds)
          state.now = state.now.adding(fractionalSeconds: seconds)
        }
      },
      random: { self.state.withLock { Double.random(in: 0..<1, using: &$0.generator) } },
      uuid: {
        self.state.withLock { state in
          UUID128.make(random: (state.generator.next(), state.generator.next()))
        }
      })
  }
}

extension Instant {
  fileprivate func adding(fractionalSeconds seconds: Double) -> Instant {
    Instant(milliseconds: milliseconds + Int64((seconds * 1000).rounded(.up)))
  }
}

/// SplitMix64: small, and the same on every platform.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
