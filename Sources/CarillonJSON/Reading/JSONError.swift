/// Why a document, or one item of it, was refused.
///
/// Safe to show to whoever sent the document: it speaks of that document alone.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A stable word for programs, such as ``JSONError/invalidJSON``; a domain may add its own.
  public var code: String
  /// A sentence for people: what is wrong and what would be right.
  public var detail: String
  /// The byte the error is about, from the start of the whole document.
  public var offset: Int
  /// Where in the document, as RFC 6901 writes it; empty for the whole document.
  public var pointer: String

  public init(code: String, detail: String, offset: Int = 0, pointer: String = "") {
    self.code = code
    self.detail = detail
    self.offset = offset
    self.pointer = pointer
  }

  public var description: String {
    "\(code) at \(pointer.isEmpty ? "the top" : pointer) (byte \(offset)): \(detail)"
  }
}

/// The codes that reading itself can give. What they say is part of the wire and never changes.
extension JSONError {
  /// Not JSON by RFC 8259, or not strict UTF-8.
  public static let invalidJSON = "invalidJSON"
  /// Nested deeper than ``JSONLimits/depth``.
  public static let depthLimit = "depthLimit"
  /// More values than ``JSONLimits/values``.
  public static let valueLimit = "valueLimit"
  /// More bytes than ``JSONLimits/bytes``.
  public static let byteLimit = "byteLimit"
  /// Another kind of value than the one that belongs here.
  public static let unexpectedType = "unexpectedType"
  /// A member that nobody knows, where a typo would do harm.
  public static let unknownMember = "unknownMember"
  /// A member that must be there and is not.
  public static let missingMember = "missingMember"
  /// The same name twice in one object.
  public static let duplicateMember = "duplicateMember"
  /// A number or a length outside of what is allowed.
  public static let outOfRange = "outOfRange"
  /// The right kind of value, but not one that means anything here.
  public static let invalidValue = "invalidValue"

  public static let all = [
    invalidJSON, depthLimit, valueLimit, byteLimit, unexpectedType, unknownMember, missingMember,
    duplicateMember,
    outOfRange, invalidValue,
  ]
}
