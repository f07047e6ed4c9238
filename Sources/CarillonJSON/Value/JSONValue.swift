/// Any JSON value, members in the order they came. Numbers keep their text, so that nothing is rounded on the
/// way through.
public enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// The number as written, valid by RFC 8259.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([JSONMember])
}

public struct JSONMember: Hashable, Sendable {
  public var name: String
  public var value: JSONValue

  public init(_ name: String, _ value: JSONValue) {
    self.name = name
    self.value = value
  }
}
