/// A unit of work: statements that commit together under one tenant, in one round trip.
public struct Work: Sendable {
  /// `SET LOCAL <setting> = '<value>'` before the statements.
  public struct Scope: Hashable, Sendable {
    public let setting: String
    /// Built from a parsed value, never from raw text: it is spliced into SQL, because `SET` takes no parameter.
    public let uncheckedValue: String

    /// Traps on what does not look like a setting's name (`app.tenant_id`) or like a parsed value (letters,
    /// digits, `-`, `_`, `.` and `:`).
    public init(setting: String, uncheckedValue: String) {
      precondition(setting.utf8.allSatisfy(Self.isNameByte), "not the name of a setting")
      precondition(uncheckedValue.utf8.allSatisfy(Self.isValueByte), "not a parsed value")
      self.setting = setting
      self.uncheckedValue = uncheckedValue
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
        true
      default: false
      }
    }

    private static func isValueByte(_ byte: UInt8) -> Bool {
      isNameByte(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ":")
    }
  }

  /// Works of one batch run in this order, so that two batches take their row locks alike.
  public struct Order: Comparable, Sendable {
    public let high: UInt64
    public let low: UInt64

    public init(high: UInt64, low: UInt64) {
      self.high = high
      self.low = low
    }

    public static func < (left: Order, right: Order) -> Bool {
      (left.high, left.low) < (right.high, right.low)
    }
  }

  public var scope: Scope?
  public var order: Order
  public var statements: [Statement]

  public init(scope: Scope?, order: Order, statements: [Statement]) {
    self.scope = scope
    self.order = order
    self.statements = statements
  }

  /// The same for works of one scope; for two scopes almost never.
  var flow: UInt64 { scope.map { UInt64(truncatingIfNeeded: $0.uncheckedValue.hashValue) } ?? 0 }

  /// Whether this one runs before `other` in a batch: works without a scope first, because a setting that has
  /// been made cannot be unmade inside a transaction; then scope by scope, each in its order.
  func precedes(_ other: Work) -> Bool {
    switch (scope, other.scope) {
    case (nil, nil): return order < other.order
    case (nil, _): return true
    case (_, nil): return false
    case (let left?, let right?):
      if left == right { return order < other.order }
      return (left.setting, left.uncheckedValue) < (right.setting, right.uncheckedValue)
    }
  }
}
