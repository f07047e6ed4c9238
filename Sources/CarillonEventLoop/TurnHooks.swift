/// Names one hook of a loop.
public struct HookToken: Hashable, Sendable {
  let number: UInt64
}

/// What a loop asks once each turn before it waits. A hook may add and remove hooks.
struct TurnHooks<Answer> {
  private var hooks: [(number: UInt64, call: () -> Answer)] = []

  mutating func add(_ token: HookToken, _ hook: @escaping () -> Answer) {
    hooks.append((token.number, hook))
  }

  mutating func remove(_ token: HookToken) { hooks.removeAll { $0.number == token.number } }
  mutating func removeAll() { hooks = [] }

  /// The hooks as they stand now.
  var all: [(number: UInt64, call: () -> Answer)] { hooks }
}
