/// One-dimensional arrays in binary form: number of dimensions, has-nulls flag, element type, size, lower bound,
/// then each element after its length.
extension Parameters {
  public mutating func uuidArray(_ values: [(high: UInt64, low: UInt64)]) {
    array(of: TypeOID.uuid, as: TypeOID.uuidArray, values.lazy.map(Optional.some)) { parameters, value in
      parameters.append(Int32(16))
      parameters.append(value.high)
      parameters.append(value.low)
    }
  }

  public mutating func textArray(_ values: [String?]) {
    array(of: TypeOID.text, as: TypeOID.textArray, values) { parameters, value in
      parameters.append(Int32(value.utf8.count))
      parameters.append(contentsOf: value.utf8)
    }
  }

  /// A `text[]` that is null.
  public mutating func noTextArray() { null(TypeOID.textArray) }

  public mutating func byteaArray(_ values: [[UInt8]?]) {
    array(of: TypeOID.bytea, as: TypeOID.byteaArray, values) { parameters, value in
      parameters.append(Int32(value.count))
      parameters.append(contentsOf: value)
    }
  }

  /// Each element is UTF-8 JSON text; PostgreSQL checks it.
  public mutating func jsonbArray(_ values: [[UInt8]?]) {
    array(of: TypeOID.jsonb, as: TypeOID.jsonbArray, values) { parameters, value in
      parameters.append(Int32(value.count + 1))
      parameters.append(Self.jsonbVersion)
      parameters.append(contentsOf: value)
    }
  }

  public mutating func int4Array(_ values: [Int32?]) {
    array(of: TypeOID.int4, as: TypeOID.int4Array, values) { parameters, value in
      parameters.append(Int32(4))
      parameters.append(value)
    }
  }

  public mutating func int8Array(_ values: [Int64?]) {
    array(of: TypeOID.int8, as: TypeOID.int8Array, values) { parameters, value in
      parameters.append(Int32(8))
      parameters.append(value)
    }
  }

  public mutating func boolArray(_ values: [Bool?]) {
    array(of: TypeOID.bool, as: TypeOID.boolArray, values) { parameters, value in
      parameters.append(Int32(1))
      parameters.append(UInt8(value ? 1 : 0))
    }
  }

  /// Milliseconds since 1970.
  public mutating func timestamptzArray(milliseconds: [Int64?]) {
    array(of: TypeOID.timestamptz, as: TypeOID.timestamptzArray, milliseconds) { parameters, value in
      parameters.append(Int32(8))
      parameters.append(TimestampCodec.encode(milliseconds: value))
    }
  }

  @inline(__always)
  private mutating func array<Element>(
    of element: UInt32, as type: UInt32, _ values: some Collection<Element?>,
    _ write: (inout Parameters, Element) -> Void
  ) {
    let start = bytes.count
    // An array without elements has no dimensions.
    append(Int32(values.isEmpty ? 0 : 1))
    append(Int32(values.contains { $0 == nil } ? 1 : 0))
    append(element)
    if !values.isEmpty {
      append(Int32(values.count))
      append(Int32(1))
    }
    for value in values {
      if let value { write(&self, value) } else { append(Int32(-1)) }
    }
    close(type, from: start)
  }
}
