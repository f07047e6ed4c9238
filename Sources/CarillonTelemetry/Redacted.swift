/// A value that must not be shown: a key, a token, a password. Printing, logging and dumping it give
/// `[redacted]`; only ``reveal()`` gives it away, and that word can be searched for.
public struct Redacted<Value> {
  private let value: Value

  public init(_ value: Value) { self.value = value }

  public func reveal() -> Value { value }
}

extension Redacted: Sendable where Value: Sendable {}
extension Redacted: Equatable where Value: Equatable {}

extension Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "[redacted]" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
