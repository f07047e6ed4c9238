import CarillonEventLoop
import CarillonPostgres
import TestSupport
import Testing

/// Values go to the server and come back in binary form, unchanged.
@Suite struct ValueTests {
  private func roundTrip<R: Sendable>(
    _ select: String, _ write: @Sendable (inout Parameters) -> Void, _ read: @Sendable (Rows) -> R
  ) async throws -> R {
    let cluster = try await SharedCluster.shared.cluster()
    return try await withLoop { loop in
      let connection = try await PostgresConnection.connect(
        cluster.conninfo(role: "postgres", database: "postgres"), on: loop)
      defer { connection.close() }
      var parameters = Parameters()
      write(&parameters)
      return read(try await connection.run(.sql("SELECT \(select)", parameters)))
    }
  }

  @Test(arguments: ["", "a", "Grüße 🔔", String(repeating: "x", count: 100_000)])
  func text(_ value: String) async throws {
    #expect(try await roundTrip("$1::text", { $0.text(value) }, { $0.text(0, 0) }) == value)
    #expect(
      try await roundTrip("$1", { $0.text(utf8: Array(value.utf8)) }, { $0.bytes(0, 0) })
        == Array(value.utf8))
  }

  @Test(arguments: [[], [0], [0, 255, 39, 92], [UInt8](repeating: 7, count: 70_000)] as [[UInt8]])
  func bytea(_ value: [UInt8]) async throws {
    #expect(try await roundTrip("$1", { $0.bytea(value) }, { $0.bytes(0, 0) }) == value)
    #expect(
      try await roundTrip("$1", { $0.bytea(value) }, { $0.withBytes(0, 0) { Array($0) } }) == value)
  }

  @Test func jsonb() async throws {
    let value = Array(#"{"a":[1,2,{"b":null}]}"#.utf8)
    #expect(
      try await roundTrip("$1", { $0.jsonb(value) }, { $0.text(0, 0) }) == #"{"a": [1, 2, {"b": null}]}"#)
    #expect(
      try await roundTrip("$1 ->> 'a'", { $0.jsonb(value) }, { $0.text(0, 0) }) == #"[1, 2, {"b": null}]"#)
  }

  @Test(arguments: [0, 1, -1, .min, .max] as [Int64]) func integers(_ value: Int64) async throws {
    #expect(try await roundTrip("$1", { $0.int8(value) }, { $0.int(0, 0) }) == value)
    let small = Int32(truncatingIfNeeded: value)
    #expect(try await roundTrip("$1", { $0.int4(small) }, { $0.int(0, 0) }) == Int64(small))
    let tiny = Int16(truncatingIfNeeded: value)
    #expect(try await roundTrip("\(tiny)::int2", { _ in }, { $0.int(0, 0) }) == Int64(tiny))
  }

  @Test(arguments: [true, false]) func bool(_ value: Bool) async throws {
    #expect(try await roundTrip("$1", { $0.bool(value) }, { $0.bool(0, 0) }) == value)
  }

  @Test func uuid() async throws {
    let (high, low): (UInt64, UInt64) = (0x0192_3456_789a_7bcd, 0x8123_4567_89ab_cdef)
    let text = try await roundTrip("$1::text", { $0.uuid(high: high, low: low) }, { $0.text(0, 0) })
    #expect(text == "01923456-789a-7bcd-8123-456789abcdef")
    let back = try await roundTrip("$1", { $0.uuid(high: high, low: low) }) { rows -> [UInt64] in
      let value = rows.uuid(0, 0)
      return [value.high, value.low]
    }
    #expect(back == [high, low])
  }

  @Test(
    arguments: [
      (0, "1970-01-01 00:00:00+00"), (946_684_800_000, "2000-01-01 00:00:00+00"),
      (1_772_323_199_999, "2026-02-28 23:59:59.999+00"), (-1, "1969-12-31 23:59:59.999+00"),
      (-62_135_596_800_000, "0001-01-01 00:00:00+00"),
    ] as [(Int64, String)])
  func timestamptz(_ milliseconds: Int64, _ text: String) async throws {
    let set: @Sendable (inout Parameters) -> Void = { $0.timestamptz(milliseconds: milliseconds) }
    #expect(try await roundTrip("$1::text", set, { $0.text(0, 0) }) == text)
    #expect(try await roundTrip("$1", set, { $0.timestamptz(0, 0) }) == milliseconds)
  }

  @Test func timesThatPostgreSQLCannotHoldAreRefused() async throws {
    for milliseconds in [Int64.min, .max] {
      let outcome = await outcome {
        try await roundTrip("$1", { $0.timestamptz(milliseconds: milliseconds) }, { $0.timestamptz(0, 0) })
      }
      #expect(outcome.errorCode == .refused)
    }
    #expect(try await roundTrip("'infinity'::timestamptz", { _ in }, { $0.timestamptz(0, 0) }) == .max)
  }

  @Test func floatingPoint() async throws {
    #expect(try await roundTrip("1.5::float4", { _ in }, { $0.double(0, 0) }) == 1.5)
    #expect(try await roundTrip("-1e300::float8", { _ in }, { $0.double(0, 0) }) == -1e300)
  }

  static let nulls: [(String, @Sendable (inout Parameters) -> Void)] = [
    ("text", { $0.text(nil) }), ("bytea", { $0.bytea(nil) }), ("jsonb", { $0.jsonb(nil) }),
    ("int4", { $0.int4(nil) }), ("int8", { $0.int8(nil) }), ("bool", { $0.bool(nil) }),
    ("timestamptz", { $0.timestamptz(milliseconds: nil) }), ("uuid", { $0.uuid(nil) }),
  ]

  @Test func nullsOfEveryType() async throws {
    for (type, write) in Self.nulls {
      let isNull = try await roundTrip("$1, pg_typeof($1)::text", write) { rows in
        rows.isNull(0, 0) ? rows.text(0, 1) : "not null"
      }
      #expect([type, "timestamp with time zone", "integer", "bigint", "boolean"].contains(isNull))
    }
  }

  static let arrays: [(String, @Sendable (inout Parameters) -> Void)] = [
    ("{1,NULL,-3}", { $0.int4Array([1, nil, -3]) }), ("{1,NULL,-3}", { $0.int8Array([1, nil, -3]) }),
    (#"{a,NULL,"","b c"}"#, { $0.textArray(["a", nil, "", "b c"]) }),
    ("{t,NULL,f}", { $0.boolArray([true, nil, false]) }),
    (#"{"\\x01ff",NULL,"\\x"}"#, { $0.byteaArray([[1, 255], nil, []]) }),
    (#"{"{\"a\": 1}",NULL}"#, { $0.jsonbArray([Array(#"{"a":1}"#.utf8), nil]) }),
    (#"{"1970-01-01 00:00:00+00",NULL}"#, { $0.timestamptzArray(milliseconds: [0, nil]) }),
    (
      "{00000000-0000-0001-0000-000000000002,00000000-0000-0003-0000-000000000004}",
      { $0.uuidArray([(1, 2), (3, 4)]) }
    ),
    ("{}", { $0.textArray([]) }), ("{}", { $0.uuidArray([]) }),
  ]

  @Test func arraysOfEveryType() async throws {
    for (expected, write) in Self.arrays {
      #expect(try await roundTrip("$1::text", write, { $0.text(0, 0) }) == expected)
    }
    #expect(
      try await roundTrip("$1", { $0.textArray(["a", "ü", ""]) }, { $0.textArray(0, 0) }) == ["a", "ü", ""])
    #expect(try await roundTrip("$1", { $0.textArray([]) }, { $0.textArray(0, 0) }) == [])
  }
}
