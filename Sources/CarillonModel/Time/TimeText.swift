/// Reads the fixed fields of a time's text from left to right. Every read gives nil when the text is not there.
struct TimeScanner {
  let bytes: UnsafeRawBufferPointer
  var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  /// Exactly so many digits.
  mutating func digits(_ count: Int) -> Int? {
    guard position + count <= bytes.count else { return nil }
    var value = 0
    for index in position..<(position + count) {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    position += count
    return value
  }

  /// Exactly two digits, in the range.
  mutating func field(_ range: ClosedRange<Int>) -> Int? {
    guard let value = digits(2), range.contains(value) else { return nil }
    return value
  }

  mutating func skip(_ byte: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  /// `YYYY-MM-DD`, a day that exists, as days since 1970-01-01.
  mutating func date() -> Int? {
    guard let year = digits(4), skip("-"), let month = digits(2), skip("-"), let day = digits(2),
      let date = CivilDate(checkingYear: year, month: month, day: day)
    else { return nil }
    return date.daysSinceEpoch
  }

  /// `.` and 1...9 digits, as whole milliseconds, the rest cut off; 0 when there is no point.
  mutating func milliseconds() -> Int? {
    guard skip(".") else { return 0 }
    var value = 0
    var count = 0
    while let digit = digits(1) {
      if count < 3 { value = value * 10 + digit }
      count += 1
    }
    guard (1...9).contains(count) else { return nil }
    for _ in min(count, 3)..<3 { value *= 10 }
    return value
  }

  /// `Z` or `+HH:MM`, as seconds east of UTC.
  mutating func offset() -> Int? {
    if skip("Z") || skip("z") { return 0 }
    let sign: Int
    if skip("+") { sign = 1 } else if skip("-") { sign = -1 } else { return nil }
    guard let hours = field(0...23), skip(":"), let minutes = field(0...59) else { return nil }
    return sign * (hours * 3600 + minutes * 60)
  }
}

extension [UInt8] {
  /// At least so many digits, filled with zeros from the left.
  mutating func append(_ value: Int, digits: Int) {
    if value < 0 { append(UInt8(ascii: "-")) }
    var rest = value.magnitude
    var places: (UInt8, UInt8, UInt8, UInt8) = (0, 0, 0, 0)
    guard digits <= 4, rest < 10_000 else { return appendWide(rest) }
    places.3 = UInt8(rest % 10)
    rest /= 10
    places.2 = UInt8(rest % 10)
    rest /= 10
    places.1 = UInt8(rest % 10)
    places.0 = UInt8(rest / 10)
    let zero = UInt8(ascii: "0")
    if digits > 3 || places.0 > 0 { append(places.0 + zero) }
    if digits > 2 || places.0 > 0 || places.1 > 0 { append(places.1 + zero) }
    append(places.2 + zero)
    append(places.3 + zero)
  }

  private mutating func appendWide(_ value: UInt) { append(contentsOf: String(value).utf8) }

  /// `YYYY-MM-DD`
  mutating func append(date: CivilDate) {
    append(date.year, digits: 4)
    append(UInt8(ascii: "-"))
    append(date.month, digits: 2)
    append(UInt8(ascii: "-"))
    append(date.day, digits: 2)
  }
}

/// Division that rounds down, with a remainder that is never negative.
func floorDivide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
  let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
  return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
}

extension String {
  init(ascii build: (inout [UInt8]) -> Void) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(32)
    build(&bytes)
    self.init(decoding: bytes, as: UTF8.self)
  }

  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R {
    var copy = self
    return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}
