extension JSONValue {
  /// Reads one whole document.
  public init(parsing bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
    self = try JSONReader.read(bytes, limits: limits) { (reader) throws(JSONError) in try reader.value() }
  }

  public init(parsing text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// Writes the members in their order and the numbers as they came: reading it again gives an equal value.
  public func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let value): writer.bool(value)
    case .number(let text): writer.number(text)
    case .string(let text): writer.string(text)
    case .array(let items):
      writer.beginArray()
      for item in items { item.write(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for member in members {
        writer.name(member.name)
        member.value.write(to: &writer)
      }
      writer.endObject()
    }
  }

  /// Writes the canonical form: members sorted by the bytes of their names, no spaces, the fewest escapes, and
  /// numbers in one way only (`1.0` and `1e0` are `1`, `1e2` is `100`, `-0` is `0`; 22 digits and more are `1e+21`,
  /// seven zeros after the point and more `1e-7`; no digit is rounded away).
  ///
  /// It differs from RFC 8785 in two points: names are sorted by UTF-8 (not UTF-16), and numbers that no double
  /// holds keep their digits.
  public func writeCanonical(to writer: inout JSONWriter) {
    switch self {
    case .number(let text): writer.canonicalNumber(text)
    case .array(let items):
      writer.beginArray()
      for item in items { item.writeCanonical(to: &writer) }
      writer.endArray()
    case .object(let members):
      writer.beginObject()
      for member in members.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
        writer.name(member.name)
        member.value.writeCanonical(to: &writer)
      }
      writer.endObject()
    default: write(to: &writer)
    }
  }

  public var bytes: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  public var canonicalBytes: [UInt8] {
    var writer = JSONWriter()
    writeCanonical(to: &writer)
    return writer.bytes
  }
}

extension JSONWriter {
  /// - Parameter text: a number, valid by RFC 8259.
  public mutating func number(_ text: String) {
    var text = text
    text.withUTF8 { raw(UnsafeRawBufferPointer($0)) }
  }

  /// - Parameter text: a number, valid by RFC 8259; written in the canonical form.
  public mutating func canonicalNumber(_ text: String) {
    raw([])
    CanonicalNumber(text).write(to: &bytes)
  }
}
