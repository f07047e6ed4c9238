/// Parameters `$1`, `$2` … in binary form, appended in order, all in one buffer.
public struct Parameters: Sendable {
  /// One parameter: its type, and its length in the buffer (-1: null). Values follow one another.
  struct Field {
    let type: UInt32
    let length: Int32
  }

  private(set) var bytes: [UInt8] = []
  private(set) var fields: [Field] = []

  public init() {}

  /// How many parameters there are.
  public var count: Int { fields.count }

  public mutating func uuid(high: UInt64, low: UInt64) {
    append(high)
    append(low)
    fields.append(Field(type: TypeOID.uuid, length: 16))
  }

  /// As ``uuid(high:low:)``, or null.
  public mutating func uuid(_ value: (high: UInt64, low: UInt64)?) {
    guard let value else { return null(TypeOID.uuid) }
    uuid(high: value.high, low: value.low)
  }

  public mutating func text(_ value: String?) {
    guard let value else { return null(TypeOID.text) }
    let start = bytes.count
    bytes.append(contentsOf: value.utf8)
    close(TypeOID.text, from: start)
  }

  /// UTF-8 bytes as `text`; PostgreSQL checks them.
  public mutating func text(utf8 value: [UInt8]) {
    bytes.append(contentsOf: value)
    fields.append(Field(type: TypeOID.text, length: Int32(value.count)))
  }

  public mutating func bytea(_ value: [UInt8]?) {
    guard let value else { return null(TypeOID.bytea) }
    bytes.append(contentsOf: value)
    fields.append(Field(type: TypeOID.bytea, length: Int32(value.count)))
  }

  /// UTF-8 JSON text; PostgreSQL checks it.
  public mutating func jsonb(_ value: [UInt8]?) {
    guard let value else { return null(TypeOID.jsonb) }
    bytes.append(Self.jsonbVersion)
    bytes.append(contentsOf: value)
    fields.append(Field(type: TypeOID.jsonb, length: Int32(value.count + 1)))
  }

  public mutating func int4(_ value: Int32?) {
    guard let value else { return null(TypeOID.int4) }
    append(value)
    fields.append(Field(type: TypeOID.int4, length: 4))
  }

  public mutating func int8(_ value: Int64?) {
    guard let value else { return null(TypeOID.int8) }
    append(value)
    fields.append(Field(type: TypeOID.int8, length: 8))
  }

  public mutating func bool(_ value: Bool?) {
    guard let value else { return null(TypeOID.bool) }
    bytes.append(value ? 1 : 0)
    fields.append(Field(type: TypeOID.bool, length: 1))
  }

  /// Milliseconds since 1970, as `timestamptz`. A time PostgreSQL cannot hold is refused by the server.
  public mutating func timestamptz(milliseconds: Int64?) {
    guard let milliseconds else { return null(TypeOID.timestamptz) }
    append(TimestampCodec.encode(milliseconds: milliseconds))
    fields.append(Field(type: TypeOID.timestamptz, length: 8))
  }

  // MARK: Building blocks, also for arrays

  /// The only version of jsonb's binary form there is.
  static let jsonbVersion: UInt8 = 1

  mutating func append(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func append(contentsOf value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

  mutating func close(_ type: UInt32, from start: Int) {
    fields.append(Field(type: type, length: Int32(bytes.count - start)))
  }

  mutating func null(_ type: UInt32) { fields.append(Field(type: type, length: -1)) }
}
