/// FNV-1a with 64 bits: the same for the same bytes on every platform, in every process and in every release, as
/// revisions that devices hold are made of it. Not for secrets, not against malice.
///
/// Streaming: feeding parts gives the same as feeding the whole, and a state that was stored can be continued.
/// Offset basis 0xcbf29ce484222325, prime 0x100000001b3, per Fowler, Noll and Vo.
public struct StableHash: Hashable, Sendable {
  /// The hash of all that was fed so far, and all that is needed to go on.
  public private(set) var state: UInt64

  public init() { state = 0xcbf2_9ce4_8422_2325 }
  public init(continuing state: UInt64) { self.state = state }

  public mutating func combine(_ bytes: UnsafeRawBufferPointer) {
    var hash = state
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    state = hash
  }

  public mutating func combine(_ bytes: [UInt8]) { bytes.withUnsafeBytes { combine($0) } }

  public mutating func combine(_ text: String) {
    var text = text
    text.withUTF8 { combine(UnsafeRawBufferPointer($0)) }
  }

  @inlinable
  public mutating func combine(_ text: StaticString) {
    combine(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Two decimal digits.
  ///
  /// - Parameter value: 0...99.
  @inline(__always)
  public mutating func combine(twoDigits value: Int) {
    let value = UInt32(truncatingIfNeeded: value)
    combine(digit: value / 10)
    combine(digit: value % 10)
  }

  /// Four decimal digits.
  ///
  /// - Parameter value: 0...9999.
  @inline(__always)
  public mutating func combine(fourDigits value: Int) {
    combine(twoDigits: value / 100)
    combine(twoDigits: value % 100)
  }

  @inline(__always)
  private mutating func combine(digit: UInt32) {
    state = (state ^ UInt64(digit &+ 0x30)) &* 0x0000_0100_0000_01b3
  }

  /// A number's decimal digits, as many as it has.
  public mutating func combine(number value: Int) {
    if value >= 0, value < 10 { return combine(digit: UInt32(value)) }
    if value >= 10, value < 100 { return combine(twoDigits: value) }
    combine(String(value))
  }

  /// 16 lower-case hexadecimal digits.
  public var hex: String { StableHash.hex(state) }

  public static func hex(_ value: UInt64) -> String {
    String(unsafeUninitializedCapacity: 16) { buffer in
      for index in 0..<16 {
        let digit = UInt8(truncatingIfNeeded: value &>> UInt64(60 - 4 * index)) & 0xF
        buffer[index] = digit < 10 ? digit + UInt8(ascii: "0") : digit - 10 + UInt8(ascii: "a")
      }
      return 16
    }
  }
}
