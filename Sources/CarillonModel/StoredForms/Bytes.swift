/// Appends fixed-width little-endian numbers and short texts.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 64) { bytes.reserveCapacity(capacity) }

  mutating func byte(_ value: UInt8) { bytes.append(value) }

  mutating func append(_ more: [UInt8]) { bytes += more }

  mutating func integer<Value: FixedWidthInteger>(_ value: Value) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func double(_ value: Double) { integer(value.bitPattern) }

  /// At most 255 bytes.
  mutating func shortText(_ text: String) {
    byte(UInt8(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// At most 65,535 bytes.
  mutating func longText(_ text: String) {
    integer(UInt16(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  /// Of any length that there is memory for.
  mutating func wideText(_ text: String) {
    integer(UInt32(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}

/// Reads what ``ByteWriter`` wrote, and trusts none of it.
struct ByteReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  func damaged(_ reason: String) -> StoredFormError { StoredFormError(reason: reason, offset: position) }

  private mutating func take(_ count: Int) throws(StoredFormError) -> Int {
    guard bytes.count - position >= count else { throw damaged("cut off") }
    defer { position += count }
    return position
  }

  mutating func byte() throws(StoredFormError) -> UInt8 { bytes[try take(1)] }

  mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>() throws(StoredFormError) -> Value {
    let start = try take(MemoryLayout<Value>.size)
    return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: Value.self))
  }

  /// - Parameter range: no NaN is in any range.
  mutating func double(in range: ClosedRange<Double>) throws(StoredFormError) -> Double {
    let value = Double(bitPattern: try integer())
    guard range.contains(value) else { throw damaged("number out of range") }
    return value
  }

  /// Seconds from 1970 of the years that text can name, 1...9999: what sums of times can never overflow.
  private static let seconds: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  mutating func instant() throws(StoredFormError) -> Instant {
    let instant = Instant(milliseconds: try integer())
    guard Self.seconds.contains(instant.seconds) else { throw damaged("instant out of range") }
    return instant
  }

  mutating func wallTime() throws(StoredFormError) -> LocalDateTime {
    let time = LocalDateTime(wallSeconds: try integer())
    guard Self.seconds.contains(time.wallSeconds) else { throw damaged("wall time out of range") }
    return time
  }

  mutating func shortText() throws(StoredFormError) -> String { try text(Int(try byte())) }

  mutating func longText() throws(StoredFormError) -> String {
    let count: UInt16 = try integer()
    return try text(Int(count))
  }

  mutating func wideText() throws(StoredFormError) -> String {
    let count: UInt32 = try integer()
    return try text(Int(count))
  }

  /// How many follow, of which none is shorter than a byte.
  mutating func count() throws(StoredFormError) -> Int {
    let count: UInt32 = try integer()
    guard Int(count) <= bytes.count - position else { throw damaged("cut off") }
    return Int(count)
  }

  private mutating func text(_ count: Int) throws(StoredFormError) -> String {
    let start = try take(count)
    let part = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + count)])
    // Names are ASCII nearly always, and need no validation then.
    if part.allSatisfy({ $0 < 0x80 }) { return String(decoding: part, as: UTF8.self) }
    guard let text = String(validating: part, as: UTF8.self) else { throw damaged("not UTF-8") }
    return text
  }
}

/// Stored bytes that are not what they should be: cut off, overwritten, or of a later format.
public struct StoredFormError: Error, Hashable, Sendable, CustomStringConvertible {
  public var reason: String
  /// Where reading stopped.
  public var offset: Int

  public var description: String { "damaged stored form at byte \(offset): \(reason)" }
}
