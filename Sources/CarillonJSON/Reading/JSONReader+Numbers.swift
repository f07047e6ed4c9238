/// A number as scanned: its value is `mantissa` times ten to the `exponent`, exactly, unless it was cut.
struct NumberToken {
  enum Integer: Hashable {
    case value(Int)
    /// Not whole.
    case fraction
    case tooLarge
  }

  var isNegative = false
  var mantissa: UInt64 = 0
  var exponent = 0
  /// More than 19 significant digits: `mantissa` has only the first ones.
  var isCut = false

  /// Digits that surely fit 64 bits.
  private static let digitsKept = 19
  private var digits = 0

  mutating func append(_ digit: UInt8, isFraction: Bool) {
    if digits == 0, digit == 0 {
      if isFraction { exponent -= 1 }
    } else if digits < NumberToken.digitsKept {
      mantissa = mantissa &* 10 &+ UInt64(digit)
      digits += 1
      if isFraction { exponent -= 1 }
    } else {
      isCut = isCut || digit != 0
      if !isFraction { exponent += 1 }
    }
  }

  var integer: Integer {
    var magnitude = mantissa
    var exponent = exponent
    if magnitude == 0 { return .value(0) }
    if isCut { return exponent > 0 ? .tooLarge : .fraction }
    while exponent < 0 {
      let (quotient, remainder) = magnitude.quotientAndRemainder(dividingBy: 10)
      guard remainder == 0 else { return .fraction }
      magnitude = quotient
      exponent += 1
    }
    while exponent > 0 {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      guard !overflow else { return .tooLarge }
      magnitude = product
      exponent -= 1
    }
    if isNegative {
      guard magnitude <= UInt64(Int.max) + 1 else { return .tooLarge }
      return .value(Int(truncatingIfNeeded: 0 &- magnitude))
    }
    guard magnitude <= UInt64(Int.max) else { return .tooLarge }
    return .value(Int(magnitude))
  }

  /// The double, where both factors are exact and one rounding is all there is; nil: take the long way.
  var exactDouble: Double? {
    if mantissa == 0, !isCut { return isNegative ? -0.0 : 0 }
    guard !isCut, mantissa <= 1 << 53, (-22...22).contains(exponent) else { return nil }
    let power = NumberToken.powersOfTen[abs(exponent)]
    let value = exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
    return isNegative ? -value : value
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19,
    1e20, 1e21, 1e22,
  ]
}

extension JSONReader {
  /// Checks a number by RFC 8259's grammar and moves past it.
  mutating func numberToken() throws(JSONError) -> NumberToken {
    var token = NumberToken()
    if bytes[position] == UInt8(ascii: "-") {
      token.isNegative = true
      position += 1
    }
    guard let first = digit() else { throw invalid("a number needs a digit here") }
    position += 1
    token.append(first, isFraction: false)
    if first == 0 {
      if digit() != nil { throw invalid("a number has no leading zeros") }
    } else {
      while let next = digit() {
        token.append(next, isFraction: false)
        position += 1
      }
    }
    if position < end, bytes[position] == UInt8(ascii: ".") {
      position += 1
      guard digit() != nil else { throw invalid("a number needs a digit after its point") }
      while let next = digit() {
        token.append(next, isFraction: true)
        position += 1
      }
    }
    if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      token.exponent += try exponent()
    }
    return token
  }

  private mutating func exponent() throws(JSONError) -> Int {
    var sign = 1
    if position < end, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-") {
      sign = bytes[position] == UInt8(ascii: "-") ? -1 : 1
      position += 1
    }
    guard digit() != nil else { throw invalid("a number needs a digit in its exponent") }
    var value = 0
    while let next = digit() {
      // Far beyond what any double reaches; kept from overflowing.
      if value < 100_000_000 { value = value * 10 + Int(next) }
      position += 1
    }
    return sign * value
  }

  private borrowing func digit() -> UInt8? {
    guard position < end else { return nil }
    let value = bytes[position] &- UInt8(ascii: "0")
    return value < 10 ? value : nil
  }
}
