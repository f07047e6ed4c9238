import CPostgres

/// The rows of one statement, read in place from libpq's memory. Immutable.
///
/// A column is named by its index. Asking for a type the column does not have, or for the value of a null, is
/// a programmer's error and traps.
public final class Rows: @unchecked Sendable {
  // Unchecked: owns one PGresult that nothing changes after it has been received.
  private let result: OpaquePointer

  /// The number of rows.
  public let count: Int
  public let columnCount: Int

  /// Takes over `result`, which came in binary form.
  init(owning result: OpaquePointer) {
    self.result = result
    self.count = Int(PQntuples(result))
    self.columnCount = Int(PQnfields(result))
  }

  deinit { PQclear(result) }

  /// Rows the command changed (INSERT, UPDATE, DELETE) or returned, else 0.
  public var affected: Int {
    guard let digits = PQcmdTuples(result) else { return 0 }
    return Int(String(cString: digits)) ?? 0
  }

  /// The server's words for what it did, e.g. `COMMIT` or `INSERT 0 1`.
  var commandTag: String { String(cString: PQcmdStatus(result)) }

  public func isNull(_ row: Int, _ column: Int) -> Bool {
    check(row, column)
    return PQgetisnull(result, Int32(row), Int32(column)) == 1
  }

  public func uuid(_ row: Int, _ column: Int) -> (high: UInt64, low: UInt64) {
    let value = value(row, column, TypeOID.uuid)
    return (value.bigEndian(at: 0), value.bigEndian(at: 8))
  }

  /// text, varchar, name, json, jsonb, or a type the schema made (an enumeration's label).
  public func text(_ row: Int, _ column: Int) -> String {
    let type = type(column)
    precondition(type != TypeOID.bytea, "column \(column) is bytea, not text")
    return String(decoding: characters(row, column, type), as: UTF8.self)
  }

  /// bytea, text, json or jsonb (without its version byte).
  public func bytes(_ row: Int, _ column: Int) -> [UInt8] {
    Array(characters(row, column, type(column)))
  }

  /// As ``bytes(_:_:)``, without a copy; valid during `body` only.
  public func withBytes<R>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows
    -> R
  {
    // The call keeps `self`, and so the memory, alive.
    try withExtendedLifetime(self) { try body(characters(row, column, type(column))) }
  }

  /// int2, int4 or int8.
  public func int(_ row: Int, _ column: Int) -> Int64 {
    let type = type(column)
    let value = value(row, column, type)
    switch type {
    case TypeOID.int8: return value.bigEndian(at: 0)
    case TypeOID.int4: return Int64(value.bigEndian(at: 0) as Int32)
    case TypeOID.int2: return Int64(value.bigEndian(at: 0) as Int16)
    default: preconditionFailure("column \(column) has type \(type), not an integer type")
    }
  }

  /// float4 or float8.
  public func double(_ row: Int, _ column: Int) -> Double {
    let type = type(column)
    let value = value(row, column, type)
    switch type {
    case TypeOID.float8: return Double(bitPattern: value.bigEndian(at: 0))
    case TypeOID.float4: return Double(Float(bitPattern: value.bigEndian(at: 0)))
    default: preconditionFailure("column \(column) has type \(type), not a floating-point type")
    }
  }

  public func bool(_ row: Int, _ column: Int) -> Bool { value(row, column, TypeOID.bool)[0] != 0 }

  /// Milliseconds since 1970, rounded down; `infinity` is `Int64.max`, `-infinity` is `Int64.min`.
  public func timestamptz(_ row: Int, _ column: Int) -> Int64 {
    TimestampCodec.decode(microseconds: value(row, column, TypeOID.timestamptz).bigEndian(at: 0))
  }

  /// A text array of at most one dimension and without nulls.
  public func textArray(_ row: Int, _ column: Int) -> [String] {
    let type = type(column)
    precondition(
      type == TypeOID.textArray || type == TypeOID.varcharArray,
      "column \(column) has type \(type), not text[]")
    let value = value(row, column, type)
    let dimensions: Int32 = value.bigEndian(at: 0)
    guard dimensions > 0 else { return [] }
    precondition(dimensions == 1, "column \(column) has \(dimensions) dimensions")
    let size = Int(value.bigEndian(at: 12) as Int32)
    var elements: [String] = []
    elements.reserveCapacity(size)
    var offset = 20
    for _ in 0..<size {
      let length = Int(value.bigEndian(at: offset) as Int32)
      precondition(length >= 0, "column \(column) has a null element")
      elements.append(
        String(
          decoding: UnsafeRawBufferPointer(rebasing: value[(offset + 4)..<(offset + 4 + length)]),
          as: UTF8.self))
      offset += 4 + length
    }
    return elements
  }

  /// An int8 array of at most one dimension and without nulls.
  public func int8Array(_ row: Int, _ column: Int) -> [Int64] {
    let value = value(row, column, TypeOID.int8Array)
    let dimensions: Int32 = value.bigEndian(at: 0)
    guard dimensions > 0 else { return [] }
    precondition(dimensions == 1, "column \(column) has \(dimensions) dimensions")
    let size = Int(value.bigEndian(at: 12) as Int32)
    return (0..<size).map { index in
      let offset = 20 + 12 * index
      precondition(value.bigEndian(at: offset) as Int32 == 8, "column \(column) has a null element")
      return value.bigEndian(at: offset + 4)
    }
  }

  // MARK: In place

  private func type(_ column: Int) -> UInt32 {
    precondition(column >= 0 && column < columnCount, "no column \(column) among \(columnCount)")
    return PQftype(result, Int32(column))
  }

  private func check(_ row: Int, _ column: Int) {
    precondition(row >= 0 && row < count, "no row \(row) among \(count)")
    precondition(column >= 0 && column < columnCount, "no column \(column) among \(columnCount)")
  }

  private func value(_ row: Int, _ column: Int, _ expected: UInt32) -> UnsafeRawBufferPointer {
    check(row, column)
    let type = PQftype(result, Int32(column))
    precondition(type == expected, "column \(column) has type \(type), not \(expected)")
    precondition(
      PQgetisnull(result, Int32(row), Int32(column)) == 0, "column \(column) is null in row \(row)")
    return UnsafeRawBufferPointer(
      start: PQgetvalue(result, Int32(row), Int32(column)),
      count: Int(PQgetlength(result, Int32(row), Int32(column))))
  }

  private func characters(_ row: Int, _ column: Int, _ type: UInt32) -> UnsafeRawBufferPointer {
    let value = value(row, column, type)
    switch type {
    case TypeOID.jsonb:
      return UnsafeRawBufferPointer(rebasing: value.dropFirst())
    case TypeOID.bytea, TypeOID.text, TypeOID.varchar, TypeOID.bpchar, TypeOID.name, TypeOID.json:
      return value
    default:
      precondition(type >= TypeOID.firstUserDefined, "column \(column) has type \(type), not text or bytes")
      return value
    }
  }
}

extension UnsafeRawBufferPointer {
  @inline(__always)
  fileprivate func bigEndian<Value: FixedWidthInteger>(at offset: Int) -> Value {
    Value(bigEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
  }
}
