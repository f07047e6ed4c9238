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
    guard name.unescaped == nil else { return name.withBytes { isEqual($0, text) } }
    return isEqual(name.plain, text)
  }

  public static func != (name: JSONName, text: StaticString) -> Bool { !(name == text) }

  @inline(__always)
  private static func isEqual(_ bytes: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard bytes.count == count else { return false }
    let other = text.utf8Start
    for index in 0..<count where bytes[index] != other[index] { return false }
    return true
  }

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
