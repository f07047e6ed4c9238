import CarillonModel

/// A policy made ready for planning: types by prefix, in a form that a look-up walks once.
public struct CompiledPolicy: Sendable {
  public let policy: Policy
  public init(_ policy: Policy) { self.policy = policy }
}
