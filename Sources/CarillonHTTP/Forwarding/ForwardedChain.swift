/// Through whom a request came, from the client's side to ours, as proxies wrote it down.
public struct ForwardedChain: Sendable, Hashable {
  public enum Hop: Sendable, Hashable {
    case address(IPAddress)
    /// `unknown`, a name that hides the address, or nothing said.
    case unnamed
  }

  /// Longer fields are refused: proxies are few.
  public static let byteLimit = 2_048
  public static let hopLimit = 32

  public private(set) var hops: [Hop] = []

  mutating func append(_ hop: Hop) throws(ForwardedError) {
    guard hops.count < Self.hopLimit else { throw ForwardedError("names more than \(Self.hopLimit) hops") }
    hops.append(hop)
  }

  /// All fields of one name are one list (RFC 9110, section 5.3).
  static func joined(_ fields: [String]) throws(ForwardedError) -> [UInt8] {
    guard fields.reduce(0, { $0 + $1.utf8.count + 1 }) <= Self.byteLimit + 1 else {
      throw ForwardedError("is longer than \(Self.byteLimit) bytes")
    }
    return Array(fields.joined(separator: ",").utf8)
  }
}

/// Why the word of a proxy is not taken. Nothing of it is believed then: whoever can write a part of it could otherwise
/// make the rest be read as something else.
public struct ForwardedError: Error, Sendable, Hashable {
  /// Goes on "the field …".
  public let detail: String
  init(_ detail: String) { self.detail = detail }
}
