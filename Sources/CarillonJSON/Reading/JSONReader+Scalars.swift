extension JSONReader {
  /// Consumes a null when it comes next.
  /// - Returns: false, with nothing read, when something else does.
  public mutating func null() throws(JSONError) -> Bool {
    guard try peek() == .null else { return false }
    try count()
    try literal("null")
    return true
  }

  public mutating func bool() throws(JSONError) -> Bool {
    try begin(.bool)
    if bytes[position] == UInt8(ascii: "t") {
      try literal("true")
      return true
    }
    try literal("false")
    return false
  }

  /// A whole number that fits. `2.0` and `2e3` are whole numbers, as JSON has only one kind of number.
  public mutating func int() throws(JSONError) -> Int {
    try begin(.number)
    let token = try numberToken()
    switch token.integer {
    case .value(let value): return value
    case .fraction: throw error(code: JSONError.unexpectedType, detail: "expected a whole number")
    case .tooLarge: throw error(code: JSONError.outOfRange, detail: "the number does not fit 64 bits")
    }
  }

  public mutating func int(in range: ClosedRange<Int>) throws(JSONError) -> Int {
    let value = try int()
    guard range.contains(value) else {
      throw error(
        code: JSONError.outOfRange,
        detail: "\(value) is outside \(range.lowerBound)...\(range.upperBound)")
    }
    return value
  }

  /// The nearest binary64 value; one that would be infinite is refused.
  public mutating func double() throws(JSONError) -> Double {
    try begin(.number)
    let start = position
    let token = try numberToken()
    if let exact = token.exactDouble { return exact }
    let text = String(decoding: UnsafeRawBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    guard let value = Double(text), value.isFinite else {
      throw error(code: JSONError.outOfRange, detail: "the number is too large")
    }
    return value
  }

  public mutating func double(in range: ClosedRange<Double>) throws(JSONError) -> Double {
    let value = try double()
    guard range.contains(value) else {
      throw error(
        code: JSONError.outOfRange,
        detail: "\(value) is outside \(range.lowerBound)...\(range.upperBound)")
    }
    return value
  }

  /// A string, escapes resolved.
  public mutating func string() throws(JSONError) -> String {
    try begin(.string)
    let token = try stringToken()
    if token.hasEscapes { return String(decoding: unescape(token.range), as: UTF8.self) }
    return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[token.range]), as: UTF8.self)
  }

  /// A string's UTF-8, without making a `String` of it where it has no escapes.
  public mutating func stringBytes<R>(
    _ body: (UnsafeRawBufferPointer) throws(JSONError) -> R
  ) throws(JSONError) -> R {
    try begin(.string)
    let token = try stringToken()
    guard token.hasEscapes else { return try body(UnsafeRawBufferPointer(rebasing: bytes[token.range])) }
    let unescaped = unescape(token.range)
    return try unescaped.withUnsafeBufferPointer { (bytes) throws(JSONError) -> R in
      try body(UnsafeRawBufferPointer(bytes))
    }
  }

  /// Checks the value that comes next against the grammar and the limits, and moves past it. Names that come twice
  /// pass: nobody looks at them.
  public mutating func skip() throws(JSONError) {
    let start: Int
    switch try peek() {
    case .string:
      try count()
      _ = try stringToken()
    case .number:
      try count()
      _ = try numberToken()
    case .bool: _ = try bool()
    case .null: _ = try null()
    case .array:
      start = place
      try count()
      try descend()
      try skipItems(until: UInt8(ascii: "]"))
      place = start
    case .object:
      start = place
      try count()
      try descend()
      try skipItems(until: UInt8(ascii: "}"))
      place = start
    }
  }

  private mutating func skipItems(until close: UInt8) throws(JSONError) {
    skipWhitespace()
    if position < end, bytes[position] == close {
      position += 1
    } else {
      repeat {
        skipWhitespace()
        if close == UInt8(ascii: "}") { try skipName() }
        try skip()
      } while try !containerEnds(with: close)
    }
    depth -= 1
  }

  private mutating func skipName() throws(JSONError) { _ = try memberName() }

  /// Like ``skip()``, and says where the value stands: to keep its bytes, or to read it by itself.
  public mutating func raw() throws(JSONError) -> Range<Int> {
    _ = try peek()
    let start = position
    try skip()
    return start..<position
  }
}
