import CarillonJSON

/// Where a page of a list ended, opaque to clients: base64url of a version, the list's kind, the key of the last
/// item, and a checksum over all of it.
///
/// It is no secret and proves nothing: rows are found under the caller's own tenant whatever it says. The
/// checksum tells a cursor that was cut, edited or taken from another list from a good one.
public struct Cursor: Hashable, Sendable {
  /// The lists that have pages.
  public enum List: UInt8, Hashable, Sendable {
    case devices = 1
    case notifications = 2
    case policyVersions = 3
    case inbox = 4
    case deviceHistory = 5
    case deliveries = 6
  }

  /// The longest key is a notification's id.
  public static let maxTextBytes = 256
  private static let version: UInt8 = 1
  private static let checksumBytes = 4

  public var list: List
  /// The key of the last item of the page before, in that list's order.
  public var key: String

  public init(list: List, key: String) {
    self.list = list
    self.key = key
  }

  public var text: String {
    let payload = [Self.version, list.rawValue] + Array(key.utf8)
    return Base64URL.text(payload + Self.checksum(payload))
  }

  /// - Throws: 400 `invalidCursor`.
  public init(_ text: String, of list: List) throws(Problem) {
    guard text.utf8.count <= Self.maxTextBytes, let bytes = Base64URL.bytes(text),
      bytes.count >= 2 + Self.checksumBytes
    else { throw Self.invalid }
    let payload = Array(bytes.dropLast(Self.checksumBytes))
    guard Array(bytes.suffix(Self.checksumBytes)) == Self.checksum(payload), payload[0] == Self.version,
      payload[1] == list.rawValue, let key = String(validating: payload.dropFirst(2), as: UTF8.self)
    else { throw Self.invalid }
    self.init(list: list, key: key)
  }

  private static func checksum(_ payload: [UInt8]) -> [UInt8] {
    var hash = StableHash()
    hash.combine(payload)
    return (0..<checksumBytes).map { UInt8(truncatingIfNeeded: hash.state >> (8 * UInt64($0))) }
  }

  static var invalid: Problem {
    Problem(
      .invalidCursor,
      "Send the nextCursor of the same list's last answer unchanged, or none to begin at the first page.")
  }
}
