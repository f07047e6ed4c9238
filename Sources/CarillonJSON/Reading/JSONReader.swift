/// A pull reader: one pass over the bytes of a document, checked strictly by RFC 8259 as it goes, with limits, and
/// without a tree in between.
///
/// The caller asks for what it expects, and each value must be read exactly once:
///
/// ```swift
/// let point = try JSONReader.read(bytes) { reader throws(JSONError) in
///   var x = 0.0, y = 0.0
///   try reader.object { reader, name throws(JSONError) in
///     switch name {
///     case "x": x = try reader.double()
///     case "y": y = try reader.double()
///     default: throw reader.unknownMember(name)
///     }
///   }
///   return (x, y)
/// }
/// ```
///
/// After it threw, a reader is done. To let one bad item of a list stand alone, take its ``raw()`` slice and read
/// that with ``slice(_:pointer:limits:)``.
///
/// Where an error is, in RFC 6901's form, is worked out only when there is one: the document is scanned again up to
/// the value last touched (``place``), so that keeping track costs nothing.
public struct JSONReader: ~Copyable {
  let bytes: UnsafeRawBufferPointer
  /// Where this reader started and must end, when it reads a slice.
  let origin: Int
  let end: Int
  let basePointer: String
  var limits: JSONLimits

  var position: Int
  var depth = 0
  var valueCount = 0
  var names: [NameSeen] = []

  /// The first byte of the value last begun, or of the container last finished: what errors are about.
  public internal(set) var place: Int

  /// - Parameter bytes: must stay valid and unchanged for as long as the reader is used.
  public init(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    guard bytes.count <= limits.bytes else {
      throw JSONError(
        code: JSONError.byteLimit, detail: "\(bytes.count) bytes; at most \(limits.bytes) are read")
    }
    self.init(bytes, range: 0..<bytes.count, pointer: "", limits: limits)
  }

  init(_ bytes: UnsafeRawBufferPointer, range: Range<Int>, pointer: String, limits: JSONLimits) {
    self.bytes = bytes
    self.origin = range.lowerBound
    self.end = range.upperBound
    self.basePointer = pointer
    self.limits = limits
    self.position = range.lowerBound
    self.place = range.lowerBound
  }

  /// Reads one whole document; anything but white space after it is refused.
  public static func read<R>(
    _ bytes: [UInt8], limits: JSONLimits = JSONLimits(),
    _ body: (inout JSONReader) throws(JSONError) -> R
  ) throws(JSONError) -> R {
    try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) -> R in
      var reader = try JSONReader(UnsafeRawBufferPointer(buffer), limits: limits)
      let result = try body(&reader)
      try reader.finish()
      return result
    }
  }

  /// A reader for a part of the same document.
  /// - Parameters:
  ///   - range: what ``raw()`` returned.
  ///   - pointer: where that part is, as in `/operations/3`; errors of the slice begin with it.
  public borrowing func slice(_ range: Range<Int>, pointer: String, limits: JSONLimits? = nil) -> JSONReader {
    precondition(range.lowerBound >= origin && range.upperBound <= end, "the slice is of another document")
    return JSONReader(bytes, range: range, pointer: pointer, limits: limits ?? self.limits)
  }

  /// The bytes of a part of the document; valid as long as the document is.
  public borrowing func bytes(in range: Range<Int>) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[range])
  }

  /// Checks that nothing but white space is left.
  public mutating func finish() throws(JSONError) {
    skipWhitespace()
    guard position == end else { throw invalid("something follows the end of the document") }
  }

  /// What comes next, without reading it.
  public mutating func peek() throws(JSONError) -> JSONKind {
    skipWhitespace()
    place = position
    guard position < end else { throw invalid("a value is missing: the document ends") }
    switch bytes[position] {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    default: throw invalid("no value begins like this")
    }
  }
}

/// The six kinds of JSON values.
public enum JSONKind: String, Hashable, Sendable { case null, bool, number, string, array, object }

// MARK: - Steps shared by all values

extension JSONReader {
  mutating func skipWhitespace() {
    while position < end {
      switch bytes[position] {
      case 0x20, 0x0A, 0x0D, 0x09: position += 1
      default: return
      }
    }
  }

  /// Every value begins here: it is counted, and errors from now on are about it.
  mutating func begin(_ kind: JSONKind) throws(JSONError) {
    let next = try peek()
    guard next == kind else {
      throw error(code: JSONError.unexpectedType, detail: "expected \(kind.phrase), found \(next.phrase)")
    }
    try count()
  }

  mutating func count() throws(JSONError) {
    valueCount += 1
    guard valueCount <= limits.values else {
      throw error(code: JSONError.valueLimit, detail: "more than \(limits.values) values")
    }
  }

  mutating func descend() throws(JSONError) {
    depth += 1
    guard depth <= limits.depth else {
      throw error(code: JSONError.depthLimit, detail: "nested deeper than \(limits.depth)")
    }
    position += 1
  }

  mutating func literal(_ text: StaticString) throws(JSONError) {
    let count = text.utf8CodeUnitCount
    guard position + count <= end else { throw invalid("the document ends inside a word") }
    let expected = text.utf8Start
    for index in 0..<count where bytes[position + index] != expected[index] {
      throw invalid("expected \(text)")
    }
    position += count
  }
}

extension JSONKind {
  var phrase: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
