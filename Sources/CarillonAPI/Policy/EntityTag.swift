import CarillonJSON

/// An entity tag (RFC 9110 section 8.8.3): names one state of a resource.
public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
  /// Without quotes: printable ASCII without `"`.
  public var opaque: String
  /// Whether it promises equal meaning only, not equal bytes.
  public var isWeak: Bool

  public init(_ opaque: String, isWeak: Bool = false) {
    precondition(Self.isOpaque(opaque), "an entity tag is printable ASCII without quotes")
    self.opaque = opaque
    self.isWeak = isWeak
  }

  /// As it stands in a header field: `"3"`, `W/"3"`.
  public var description: String { "\(isWeak ? "W/" : "")\"\(opaque)\"" }

  /// The same state in other bytes, as when a body is compressed.
  public var weakened: EntityTag { EntityTag(opaque, isWeak: true) }

  static func isOpaque(_ text: String) -> Bool {
    text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 }
  }

  /// Of a policy: its version.
  public static func policy(version: Int) -> EntityTag { EntityTag(String(version)) }

  /// The policy version it names; nil when it names none.
  public var policyVersion: Int? {
    guard !isWeak, let version = Int(opaque), version >= 0, String(version) == opaque else { return nil }
    return version
  }

  /// Of a plan: its version, the policy's, and whatever else its answer depends on, so that it holds until one of
  /// them changes or the next notification fires.
  ///
  /// - Parameter dependencies: texts like the zone data's release and the instant the plan holds until.
  public static func plan(version: Int, policyVersion: Int, dependencies: [String]) -> EntityTag {
    var hash = StableHash()
    for dependency in dependencies { hash.combine("\(dependency.utf8.count):\(dependency)") }
    return EntityTag("\(version)-\(policyVersion)-\(hash.hex)")
  }
}

/// What `If-Match` or `If-None-Match` says (RFC 9110 section 13.1).
public enum EntityTagCondition: Hashable, Sendable {
  /// `*`
  case any
  case tags([EntityTag])

  /// More than any client of ours sends.
  public static let maxTags = 32

  /// - Parameter field: the field's value; several fields joined by commas.
  /// - Throws: 400 `invalidHeader`.
  public init(_ field: String) throws(Problem) {
    var scanner = TagScanner(rest: Array(field.utf8)[...])
    scanner.skipSpace()
    if scanner.take("*") {
      scanner.skipSpace()
      guard scanner.rest.isEmpty else { throw Self.invalid }
      self = .any
      return
    }
    var tags: [EntityTag] = []
    while true {
      scanner.skipSpace()
      // Empty elements of a list are allowed.
      if scanner.take(",") { continue }
      if scanner.rest.isEmpty { break }
      guard tags.count < Self.maxTags, let tag = scanner.tag() else { throw Self.invalid }
      tags.append(tag)
      scanner.skipSpace()
      guard scanner.rest.isEmpty || scanner.take(",") else { throw Self.invalid }
    }
    guard !tags.isEmpty else { throw Self.invalid }
    self = .tags(tags)
  }

  private static var invalid: Problem {
    Problem(.invalidHeader, "If-Match and If-None-Match hold entity tags in quotes, like \"3\", or *.")
  }

  /// For `If-None-Match`: whether the client has this state already. Weak tags count.
  public func matches(_ current: EntityTag) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tags.contains { $0.opaque == current.opaque }
    }
  }

  /// For `If-Match`: whether the client has seen this very state. Weak tags do not count.
  public func matchesStrongly(_ current: EntityTag) -> Bool {
    switch self {
    case .any: true
    case .tags(let tags): tags.contains { !$0.isWeak && !current.isWeak && $0.opaque == current.opaque }
    }
  }
}

private struct TagScanner {
  var rest: ArraySlice<UInt8>

  mutating func skipSpace() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

  mutating func take(_ text: StaticString) -> Bool {
    let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard rest.starts(with: bytes) else { return false }
    rest = rest.dropFirst(bytes.count)
    return true
  }

  mutating func tag() -> EntityTag? {
    let isWeak = take("W/")
    guard take("\"") else { return nil }
    let opaque = String(decoding: rest.prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
    rest = rest.drop { $0 != UInt8(ascii: "\"") }
    guard take("\""), EntityTag.isOpaque(opaque) else { return nil }
    return EntityTag(opaque, isWeak: isWeak)
  }
}
