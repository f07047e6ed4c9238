/// Object ids of the built-in types we speak, from PostgreSQL's catalogue (`pg_type.dat`); they never change.
enum TypeOID {
  static let bool: UInt32 = 16
  static let bytea: UInt32 = 17
  static let name: UInt32 = 19
  static let int8: UInt32 = 20
  static let int2: UInt32 = 21
  static let int4: UInt32 = 23
  static let text: UInt32 = 25
  static let json: UInt32 = 114
  static let float4: UInt32 = 700
  static let float8: UInt32 = 701
  static let void: UInt32 = 2278
  static let bpchar: UInt32 = 1042
  static let varchar: UInt32 = 1043
  static let timestamptz: UInt32 = 1184
  static let uuid: UInt32 = 2950
  static let jsonb: UInt32 = 3802

  static let boolArray: UInt32 = 1000
  static let byteaArray: UInt32 = 1001
  static let int4Array: UInt32 = 1007
  static let textArray: UInt32 = 1009
  static let varcharArray: UInt32 = 1015
  static let int8Array: UInt32 = 1016
  static let timestamptzArray: UInt32 = 1185
  static let uuidArray: UInt32 = 2951
  static let jsonbArray: UInt32 = 3807

  /// Types made by a schema (enumerations, citext) have ids from here on; they are read as text.
  static let firstUserDefined: UInt32 = 16_384
}

/// PostgreSQL counts microseconds from 2000-01-01, we count milliseconds from 1970-01-01.
enum TimestampCodec {
  static let epochOffsetMilliseconds: Int64 = 946_684_800_000

  /// Times beyond the 64-bit range become ones that the server refuses as out of range, never `infinity`.
  static func encode(milliseconds: Int64) -> Int64 {
    let (shifted, underflow) = milliseconds.subtractingReportingOverflow(epochOffsetMilliseconds)
    let (micros, overflow) = shifted.multipliedReportingOverflow(by: 1000)
    if underflow || overflow { return milliseconds < 0 ? .min + 1 : .max - 1 }
    return micros
  }

  /// Rounds down to the millisecond; `infinity` and `-infinity` are the ends of the range.
  static func decode(microseconds: Int64) -> Int64 {
    if microseconds == .max || microseconds == .min { return microseconds }
    let (quotient, remainder) = microseconds.quotientAndRemainder(dividingBy: 1000)
    return quotient - (remainder < 0 ? 1 : 0) + epochOffsetMilliseconds
  }
}
