/// The one way we write a decimal number: as RFC 8785 (and ECMAScript) lays it out, but of the digits as given, so
/// that nothing is rounded.
///
/// `1.0` is `1`, `1e2` is `100`, `-0` is `0`, `0.10` is `0.1`; up to 21 digits before the point and six zeros after
/// it are written out, beyond that it is `1e+21` and `1e-7`.
struct CanonicalNumber {
  private var isNegative = false
  /// Without zeros at either end; empty for zero.
  private var digits: [UInt8] = []
  /// The value is 0.`digits` times ten to this.
  private var pointPosition = 0

  private static let mostDigitsWrittenOut = 21
  private static let mostZerosAfterPoint = 6
  /// Powers of ten beyond any use are all this one, so that writing twice gives the same.
  private static let farthestPoint = 1_000_000_000_000

  /// - Parameter text: valid by RFC 8259's grammar for numbers.
  init(_ text: String) {
    var exponent = 0
    var exponentSign = 1
    enum Part { case whole, fraction, exponent }
    var part = Part.whole
    for byte in text.utf8 {
      switch (byte, part) {
      case (UInt8(ascii: "-"), .exponent): exponentSign = -1
      case (UInt8(ascii: "-"), _): isNegative = true
      case (UInt8(ascii: "+"), _): break
      case (UInt8(ascii: "."), _): part = .fraction
      case (UInt8(ascii: "e"), _), (UInt8(ascii: "E"), _): part = .exponent
      case (_, .exponent):
        exponent = min(exponent * 10 + Int(byte - UInt8(ascii: "0")), 2 * CanonicalNumber.farthestPoint)
      case (let digit, _):
        let isLeadingZero = digits.isEmpty && digit == UInt8(ascii: "0")
        if !isLeadingZero { digits.append(digit) }
        if part == .whole, !isLeadingZero { pointPosition += 1 }
        if part == .fraction, isLeadingZero { pointPosition -= 1 }
      }
    }
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    if digits.isEmpty {
      isNegative = false
      pointPosition = 1
    } else {
      pointPosition += exponentSign * exponent
      pointPosition = min(max(pointPosition, -CanonicalNumber.farthestPoint), CanonicalNumber.farthestPoint)
    }
  }

  func write(to bytes: inout [UInt8]) {
    let zero = UInt8(ascii: "0")
    if isNegative { bytes.append(UInt8(ascii: "-")) }
    if digits.isEmpty {
      bytes.append(zero)
    } else if pointPosition > CanonicalNumber.mostDigitsWrittenOut
      || pointPosition <= -CanonicalNumber.mostZerosAfterPoint
    {
      bytes.append(digits[0])
      if digits.count > 1 {
        bytes.append(UInt8(ascii: "."))
        bytes.append(contentsOf: digits[1...])
      }
      bytes.append(UInt8(ascii: "e"))
      if pointPosition > 0 { bytes.append(UInt8(ascii: "+")) }
      bytes.appendDecimal(pointPosition - 1)
    } else if pointPosition <= 0 {
      bytes.append(zero)
      bytes.append(UInt8(ascii: "."))
      bytes.append(contentsOf: repeatElement(zero, count: -pointPosition))
      bytes.append(contentsOf: digits)
    } else if digits.count > pointPosition {
      bytes.append(contentsOf: digits[..<pointPosition])
      bytes.append(UInt8(ascii: "."))
      bytes.append(contentsOf: digits[pointPosition...])
    } else {
      bytes.append(contentsOf: digits)
      bytes.append(contentsOf: repeatElement(zero, count: pointPosition - digits.count))
    }
  }
}
