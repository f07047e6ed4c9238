/// A member's name, compared in place. Use it only inside the closure that received it.
///
/// ```swift
/// switch name {
/// case "id": id = try reader.string()
/// default: throw reader.unknownMember(name)
/// }
/// ```
public struct JSONName {
  /// The bytes as they stand in the document; meaningless when the name was written with escapes.
  private let plain: UnsafeRawBufferPointer
  private let unescaped: [UInt8]?

  init(plain: UnsafeRawBufferPointer) {
    self.plain = plain
    self.unescaped = nil
  }

  init(unescaped: [UInt8]) {
    self.plain = UnsafeRawBufferPointer(start: nil, count: 0)
    self.unescaped = unescaped
  }

  /// The name's UTF-8, escapes resolved.
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    if let unescaped { return unescaped.withUnsafeBytes(body) }
    return body(plain)
  }

  public static func == (name: JSONName, text: StaticString) -> Bool {
    name.withBytes { bytes in
      let count = text.utf8CodeUnitCount
      guard bytes.count == count else { return false }
      let other = text.utf8Start
      for index in 0..<count where bytes[index] != other[index] { return false }
      return true
    }
  }

  public static func != (name: JSONName, text: StaticString) -> Bool { !(name == text) }

  // A literal is to be taken for the static one, which costs no string.
  @_disfavoredOverload
  public static func == (name: JSONName, text: String) -> Bool {
    name.withBytes { bytes in bytes.elementsEqual(text.utf8) }
  }

  /// So that a `switch` over a name reads like one over a string.
  public static func ~= (text: StaticString, name: JSONName) -> Bool { name == text }

  /// A copy that outlives the closure.
  public var string: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// Finds a name that comes twice. Few names are compared one by one, in place; many go to a hashed set, so that an
/// object of 100,000 members costs 100,000 steps.
struct NamesSeen {
  private static let comparedOneByOne = 24

  private var few: [(hash: UInt32, name: JSONName)] = []
  private var many: Set<[UInt8]> = []

  /// - Returns: false when the name was there before.
  mutating func insert(_ name: JSONName) -> Bool {
    if !many.isEmpty { return many.insert(name.withBytes { Array($0) }).inserted }
    let hash = name.withBytes { bytes in
      var hash = UInt32(truncatingIfNeeded: bytes.count)
      for byte in bytes.prefix(12) { hash = hash &* 31 &+ UInt32(byte) }
      return hash
    }
    for entry in few where entry.hash == hash {
      if entry.name.withBytes({ old in name.withBytes { old.elementsEqual($0) } }) { return false }
    }
    few.append((hash, name))
    if few.count > NamesSeen.comparedOneByOne {
      for entry in few { many.insert(entry.name.withBytes { Array($0) }) }
    }
    return true
  }
}
