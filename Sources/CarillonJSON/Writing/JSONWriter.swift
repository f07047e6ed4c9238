/// Writes JSON into a buffer of bytes: no tree, no strings in between, commas by itself.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.object { writer in
///   writer.member("id", "habit.1")
///   writer.name("held")
///   writer.array { writer in writer.int(64) }
/// }
/// send(writer.bytes)
/// ```
///
/// What is written is already minimal: no spaces, escapes only where RFC 8259 demands them (`/` stays), numbers in
/// their shortest form. Well-formedness beyond that (names only in objects, each begun container ended) is the
/// caller's, whose mistakes a debug build traps.
public struct JSONWriter {
  public internal(set) var bytes: [UInt8]
  private var needsComma = false
  private var depth = 0

  public init(capacity: Int = 256) {
    bytes = []
    bytes.reserveCapacity(capacity)
  }

  /// Writes into a buffer that was used before: its content goes, its memory stays.
  public init(reusing buffer: consuming [UInt8]) {
    bytes = buffer
    bytes.removeAll(keepingCapacity: true)
  }

  /// Starts over with the same memory.
  public mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
    depth = 0
  }

  // MARK: Containers

  public mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    beginObject()
    try body(&self)
    endObject()
  }

  public mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    beginArray()
    try body(&self)
    endArray()
  }

  public mutating func beginObject() { open(UInt8(ascii: "{")) }
  public mutating func endObject() { close(UInt8(ascii: "}")) }
  public mutating func beginArray() { open(UInt8(ascii: "[")) }
  public mutating func endArray() { close(UInt8(ascii: "]")) }

  private mutating func open(_ byte: UInt8) {
    separate()
    bytes.append(byte)
    needsComma = false
    depth += 1
  }

  private mutating func close(_ byte: UInt8) {
    assert(depth > 0, "nothing is open")
    bytes.append(byte)
    needsComma = true
    depth -= 1
  }

  /// A comma where one is due; called before every name and every value.
  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
  }

  // MARK: Names

  /// - Parameter name: plain ASCII that needs no escapes.
  public mutating func name(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  public mutating func name(_ name: String) {
    separate()
    appendString(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  // MARK: Values

  public mutating func null() { ascii("null") }
  public mutating func bool(_ value: Bool) { ascii(value ? "true" : "false") }

  public mutating func string(_ value: String) {
    separate()
    appendString(value)
  }

  public mutating func int(_ value: Int) {
    separate()
    appendDecimal(value)
  }

  /// The shortest text that reads back as the same value; whole numbers without `.0`.
  /// - Parameter value: finite. JSON has no other numbers, and whoever would write one has lost a check before.
  public mutating func double(_ value: Double) {
    precondition(value.isFinite, "JSON has no infinite numbers")
    separate()
    if value.magnitude < 0x1p53, Double(Int(value)) == value {
      appendDecimal(Int(value))
    } else {
      CanonicalNumber(value.description).write(to: &bytes)
    }
  }

  /// A value that is JSON already.
  public mutating func raw(_ json: [UInt8]) {
    separate()
    bytes.append(contentsOf: json)
  }

  public mutating func raw(_ json: UnsafeRawBufferPointer) {
    separate()
    bytes.append(contentsOf: json)
  }

  /// A string of plain ASCII that needs no escapes, appended by the closure straight into the buffer.
  public mutating func asciiString(_ append: (inout [UInt8]) -> Void) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    append(&bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func ascii(_ text: StaticString) {
    separate()
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  // MARK: Members

  public mutating func member(_ name: StaticString, _ value: String) {
    self.name(name)
    string(value)
  }

  public mutating func member(_ name: StaticString, _ value: Int) {
    self.name(name)
    int(value)
  }

  public mutating func member(_ name: StaticString, _ value: Double) {
    self.name(name)
    double(value)
  }

  public mutating func member(_ name: StaticString, _ value: Bool) {
    self.name(name)
    bool(value)
  }
}
