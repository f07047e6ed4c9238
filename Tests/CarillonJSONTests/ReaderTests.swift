import CarillonJSON
import Testing

private func read<R>(
  _ text: String, limits: JSONLimits = JSONLimits(), _ body: (inout JSONReader) throws(JSONError) -> R
) throws(JSONError) -> R {
  try JSONReader.read(Array(text.utf8), limits: limits, body)
}

private func failure(
  _ text: String, limits: JSONLimits = JSONLimits(), _ body: (inout JSONReader) throws(JSONError) -> Void
) -> JSONError? {
  do throws(JSONError) {
    try read(text, limits: limits, body)
    return nil
  } catch { return error }
}

@Suite("Reading scalars")
struct ScalarTests {
  @Test(arguments: [
    ("0", 0), ("-0", 0), ("7", 7), ("-12", -12), ("2.0", 2), ("2e3", 2000), ("1200e-2", 12), ("0e99", 0),
    ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min), ("1.50e1", 15),
    ("0.00000000000000000000", 0), ("1000000000000000000", 1_000_000_000_000_000_000),
  ])
  func wholeNumbers(_ text: String, _ expected: Int) throws {
    #expect(try read(text) { (reader) throws(JSONError) in try reader.int() } == expected)
  }

  @Test(arguments: [
    ("1.5", JSONError.unexpectedType), ("1e-1", JSONError.unexpectedType),
    ("1e-400", JSONError.unexpectedType),
    ("9223372036854775808", JSONError.outOfRange), ("-9223372036854775809", JSONError.outOfRange),
    ("1e400", JSONError.outOfRange), ("123456789012345678901234567890", JSONError.outOfRange),
    ("true", JSONError.unexpectedType), ("\"1\"", JSONError.unexpectedType), ("01", JSONError.invalidJSON),
    ("1e99999999999999999999999", JSONError.outOfRange),
  ])
  func notWholeNumbers(_ text: String, _ code: String) {
    #expect(failure(text) { (reader) throws(JSONError) in _ = try reader.int() }?.code == code)
  }

  @Test(arguments: [
    ("0", 0.0), ("1", 1), ("-2.5", -2.5), ("0.1", 0.1), ("1e22", 1e22), ("1e23", 1e23),
    ("123456789.123456789", 123456789.123456789),
    ("1.7976931348623157e308", .greatestFiniteMagnitude), ("5e-324", .leastNonzeroMagnitude), ("1e-400", 0),
    ("9007199254740993", 9007199254740992), ("0.000000000000000000000000000001", 1e-30),
    ("123456789012345678901234567890", 123456789012345678901234567890.0),
  ])
  func doubles(_ text: String, _ expected: Double) throws {
    #expect(try read(text) { (reader) throws(JSONError) in try reader.double() } == expected)
  }

  @Test func minusZeroKeepsItsSign() throws {
    #expect(try read("-0.0") { (reader) throws(JSONError) in try reader.double() }.sign == .minus)
  }

  @Test(arguments: ["1e400", "-1e400", "1e99999999999"])
  func infiniteDoublesAreRefused(_ text: String) {
    #expect(
      failure(text) { (reader) throws(JSONError) in _ = try reader.double() }?.code == JSONError.outOfRange)
  }

  @Test(arguments: [
    (#""""#, ""), (#""a""#, "a"), (#""\u0041\n\/\\\"""#, "A\n/\\\""), (#""\uD834\udd1e""#, "\u{1D11E}"),
    ("\"Grüße, 日本 🎉\"", "Grüße, 日本 🎉"), (#""\u0000""#, "\0"),
    ("\"twelve bytes \\t and more\"", "twelve bytes \t and more"),
  ])
  func strings(_ text: String, _ expected: String) throws {
    #expect(try read(text) { (reader) throws(JSONError) in try reader.string() } == expected)
    let bytes = try read(text) { (reader) throws(JSONError) in
      try reader.stringBytes { (bytes) throws(JSONError) in Array(bytes) }
    }
    #expect(bytes == Array(expected.utf8))
  }

  @Test(arguments: [
    #""\uD834""#, #""\uDD1E""#, #""\uD834\u0041""#, #""\uDD1E\uD834""#, #""\x""#, #""\u12G4""#, "\"a\tb\"",
    "\"a",
    #""\"#, #""\u12"#,
  ])
  func brokenStrings(_ text: String) {
    #expect(
      failure(text) { (reader) throws(JSONError) in _ = try reader.string() }?.code == JSONError.invalidJSON)
  }

  @Test(
    arguments: [
      [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0x80], [0xFF], [0xC3], [0xE2, 0x82],
      [0xF0, 0x9F, 0x8E],
      [0xE2, 0x28, 0xA1],
    ] as [[UInt8]])
  func brokenUTF8(_ bytes: [UInt8]) {
    let document = Array("\"12345678".utf8) + bytes + Array("\"".utf8)
    #expect(throws: JSONError.self) { try JSONValue(parsing: document) }
    #expect(throws: JSONError.self) { try JSONValue(parsing: Array(document.dropLast())) }
  }

  @Test func nullIsConsumedOnlyWhenItIsThere() throws {
    let seen = try read("[null, 1]") { (reader) throws(JSONError) in
      var seen: [Int?] = []
      try reader.array { (reader) throws(JSONError) in
        seen.append(try reader.null() ? nil : try reader.int())
      }
      return seen
    }
    #expect(seen == [nil, 1])
  }
}

@Suite("Reading containers")
struct ContainerTests {
  @Test func namesCompareWithAndWithoutEscapes() throws {
    let values = try read(#"{"a":1,"\u0062":2,"é":3}"#) { (reader) throws(JSONError) in
      var values: [Int] = []
      try reader.object { (reader, name) throws(JSONError) in
        switch name {
        case "a", "b": values.append(try reader.int())
        default:
          if name == "é" as String {
            values.append(10 * (try reader.int()))
          } else {
            throw reader.unknownMember(name)
          }
        }
      }
      return values
    }
    #expect(values == [1, 2, 30])
  }

  @Test func aNameTwiceIsRefused() {
    let error = failure(#"{"a":{"b":1,"c":2,"\u0062":3}}"#) { (reader) throws(JSONError) in
      _ = try reader.value()
    }
    #expect(error?.code == JSONError.duplicateMember)
    #expect(error?.pointer == "/a/b")
  }

  @Test func aNameTwiceAmongManyIsRefused() {
    let names = (0..<5000).map { "\"name\($0)\":0" }
    let good = "{" + names.joined(separator: ",") + "}"
    #expect(throws: Never.self) { try JSONValue(parsing: good) }
    for repeated in [0, 20, 24, 25, 4999] {
      let bad = "{" + (names + [names[repeated]]).joined(separator: ",") + "}"
      #expect(throws: JSONError.self) { try JSONValue(parsing: bad) }
    }
  }

  @Test func aSliceIsReadByItself() throws {
    let (sum, error) = try read(#"{"items":[1, {"x": [true, "no"]}, 3]}"#) { (reader) throws(JSONError) in
      var sum = 0
      var failed: JSONError?
      try reader.object { (reader, _) throws(JSONError) in
        var index = 0
        try reader.array { (reader) throws(JSONError) in
          var item = reader.slice(try reader.raw(), pointer: "/items/\(index)")
          index += 1
          do throws(JSONError) {
            if try item.peek() == .number {
              sum += try item.int()
            } else {
              try item.object { (item, _) throws(JSONError) in
                try item.array { (item) throws(JSONError) in _ = try item.bool() }
              }
            }
            try item.finish()
          } catch { failed = error }
        }
      }
      return (sum, failed)
    }
    #expect(sum == 4)
    #expect(error?.pointer == "/items/1/x/1")
    #expect(error?.offset == 26)
  }

  @Test func lookingAheadMovesNothing() throws {
    let (kind, value) = try read(#"{"at":"x","kind":"instant"}"#) { (reader) throws(JSONError) in
      (try reader.stringMember("kind"), try reader.value())
    }
    #expect(kind == "instant")
    #expect(value == ["at": "x", "kind": "instant"])
    let absent = try read(#"{"kind":1}"#) { (reader) throws(JSONError) in
      let kind = try reader.stringMember("kind")
      try reader.skip()
      return kind
    }
    #expect(absent == nil)
  }
}

@Suite("Errors and limits of reading")
struct ErrorTests {
  @Test(arguments: [
    (#"{"a":[1,2,{"b/c~d":tru}]}"#, "/a/2/b~1c~0d", 19), (#"[1,2 3]"#, "/1", 5), (#"{"a":1,}"#, "", 7),
    (#"[1,]"#, "/1", 3), (#"{"a" 1}"#, "/a", 5), (#"{}x"#, "", 2), ("", "", 0),
    (#"{"a":{"b":"\q"}}"#, "/a/b", 11),
    (#"{"a":1,"b"}"#, "/b", 10), (#"[[],[{}],"#, "/2", 9),
  ])
  func syntaxErrorsSayWhere(_ text: String, _ pointer: String, _ offset: Int) {
    for error in [
      failure(text, { (reader) throws(JSONError) in _ = try reader.value() }),
      failure(text, { (reader) throws(JSONError) in try reader.skip() }),
    ] {
      #expect(error?.code == JSONError.invalidJSON)
      #expect(error?.pointer == pointer)
      #expect(error?.offset == offset)
    }
  }

  @Test func domainErrorsAreAboutTheValueLastTouched() {
    let text = #"{"x": {"y": [10, 20]}, "z": 1}"#
    let error = failure(text) { (reader) throws(JSONError) in
      try reader.object { (reader, name) throws(JSONError) in
        if name == "z" {
          _ = try reader.int()
          throw reader.error(code: "tooSmall", detail: "z is too small")
        }
        try reader.object { (reader, _) throws(JSONError) in
          try reader.array { (reader) throws(JSONError) in _ = try reader.int() }
        }
      }
    }
    #expect(error == JSONError(code: "tooSmall", detail: "z is too small", offset: 28, pointer: "/z"))
    let missing = failure(text) { (reader) throws(JSONError) in
      var inner: JSONError?
      try reader.object { (reader, _) throws(JSONError) in
        guard try reader.peek() == .object else { return try reader.skip() }
        try reader.object { (reader, _) throws(JSONError) in try reader.skip() }
        inner = reader.missingMember("w")
      }
      if let inner { throw inner }
    }
    #expect(missing?.pointer == "/x")
  }

  @Test func depthIsLimited() throws {
    let nested = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    for limit in [1, 64, JSONLimits.deepest] {
      let limits = JSONLimits(depth: limit)
      #expect(throws: Never.self) { try JSONValue(parsing: nested(limit), limits: limits) }
      #expect(
        failure(nested(limit + 1), limits: limits) { (reader) throws(JSONError) in try reader.skip() }?.code
          == JSONError.depthLimit)
      #expect(
        failure(nested(limit + 1), limits: limits) { (reader) throws(JSONError) in _ = try reader.value() }?
          .code == JSONError.depthLimit)
    }
  }

  @Test func valuesAreLimited() {
    let limits = JSONLimits(values: 4)
    #expect(failure("[1,2,3]", limits: limits) { (reader) throws(JSONError) in try reader.skip() } == nil)
    let error = failure("[1,2,3,4]", limits: limits) { (reader) throws(JSONError) in try reader.skip() }
    #expect(error?.code == JSONError.valueLimit)
    #expect(error?.pointer == "/3")
  }

  @Test func bytesAreLimited() {
    #expect(
      failure("[1]", limits: JSONLimits(bytes: 2)) { (reader) throws(JSONError) in try reader.skip() }?.code
        == JSONError.byteLimit)
  }

  @Test func innerLimitsCountFromWhereTheyBegin() {
    let inner = JSONLimits(depth: 1, values: 3)
    func attempt(_ text: String) -> String? {
      failure(text) { (reader) throws(JSONError) in
        try reader.array { (reader) throws(JSONError) in
          if try reader.peek() == .array { _ = try reader.value(limits: inner) } else { try reader.skip() }
        }
      }?.code
    }
    #expect(attempt("[0,0,0,0,[1,2],{\"a\":{\"b\":0}}]") == nil)
    #expect(attempt("[[1,2,3]]") == JSONError.valueLimit)
    #expect(attempt("[[[]]]") == JSONError.depthLimit)
  }
}
