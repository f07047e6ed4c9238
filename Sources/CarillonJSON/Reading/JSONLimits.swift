/// What a document may cost its reader. Everything that can grow has its bound here.
public struct JSONLimits: Hashable, Sendable {
  /// The deepest nesting that any limit may allow: reading recurses, and the stack must hold.
  public static let deepest = 512

  /// How many arrays and objects may be inside one another; at most ``deepest``.
  public var depth: Int
  /// How many values of any kind, members' names not counted.
  public var values: Int
  /// How long the document may be.
  public var bytes: Int
  /// RFC 8259 allows the same name twice in an object and leaves open what it means; we refuse it, except where
  /// values are only skipped.
  public var refusesDuplicateNames: Bool

  public init(
    depth: Int = 64, values: Int = 200_000, bytes: Int = 8 << 20, refusesDuplicateNames: Bool = true
  ) {
    precondition(depth <= JSONLimits.deepest, "a depth limit is at most \(JSONLimits.deepest)")
    self.depth = depth
    self.values = values
    self.bytes = bytes
    self.refusesDuplicateNames = refusesDuplicateNames
  }
}
