import CarillonJSON
import Testing

private func written(_ body: (inout JSONWriter) -> Void) -> String {
  var writer = JSONWriter()
  body(&writer)
  return String(decoding: writer.bytes, as: UTF8.self)
}

@Suite("Writing")
struct WriterTests {
  @Test func commasComeByThemselves() {
    let text = written { writer in
      writer.object { writer in
        writer.member("a", 1)
        writer.name("b")
        writer.array { writer in
          writer.bool(true)
          writer.null()
          writer.object { _ in }
          writer.array { _ in }
          writer.raw(Array("[1]".utf8))
        }
        writer.member("c", "x")
        writer.member("d", 1.5)
        writer.member("e", false)
      }
    }
    #expect(text == #"{"a":1,"b":[true,null,{},[],[1]],"c":"x","d":1.5,"e":false}"#)
  }

  @Test(arguments: [
    ("a/b", #""a/b""#), ("\"\\", #""\"\\""#), ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#),
    ("\u{0}\u{1f}", #""\u0000\u001f""#),
    ("é🎉\u{7f}\u{2028}", "\"é🎉\u{7f}\u{2028}\""), ("", "\"\""),
  ])
  func stringsEscapeOnlyWhatMustBe(_ text: String, _ expected: String) {
    #expect(written { $0.string(text) } == expected)
  }

  @Test(arguments: [
    (0.0, "0"), (-0.0, "0"), (1.0, "1"), (-2.0, "-2"), (0.1, "0.1"), (1e21, "1e+21"),
    (1e20, "100000000000000000000"),
    (1.5e-7, "1.5e-7"), (1e-6, "0.000001"), (.leastNonzeroMagnitude, "5e-324"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (9007199254740992, "9007199254740992"), (0.3, "0.3"), (123.456, "123.456"), (1e16, "10000000000000000"),
  ])
  func doublesAreShortest(_ value: Double, _ expected: String) {
    #expect(written { $0.double(value) } == expected)
  }

  @Test(arguments: [0, 7, -7, 10, 1_234_567_890, Int.max, Int.min])
  func integers(_ value: Int) { #expect(written { $0.int(value) } == String(value)) }

  @Test func aBufferIsUsedAgain() {
    var writer = JSONWriter(reusing: Array("rubbish".utf8))
    writer.array { $0.int(1) }
    writer.reset()
    writer.array { $0.int(2) }
    #expect(String(decoding: writer.bytes, as: UTF8.self) == "[2]")
  }
}

@Suite("The canonical form")
struct CanonicalTests {
  @Test(arguments: [
    ("1.0", "1"), ("1e2", "100"), ("-0", "0"), ("-0.0e5", "0"), ("0.10", "0.1"), ("1E+2", "100"),
    ("100e-2", "1"),
    ("123456789012345678901", "123456789012345678901"),
    ("1234567890123456789012", "1.234567890123456789012e+21"),
    ("0.0000001", "1e-7"), ("0.00000123", "0.00000123"), ("1e400", "1e+400"), ("12.50", "12.5"),
    ("-1.5e1", "-15"), ("9.1e999999999998", "9.1e+999999999998"),
    ("91e99999999999999999999", "9.1e+999999999999"), ("1e-99999999999999", "1e-1000000000001"),
    ("0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"), ("1200", "1200"),
  ])
  func numbersHaveOneForm(_ text: String, _ expected: String) throws {
    let value = try JSONValue(parsing: text)
    #expect(String(decoding: value.canonicalBytes, as: UTF8.self) == expected)
    // Its canonical form is its own canonical form.
    let again = try JSONValue(parsing: value.canonicalBytes)
    #expect(again.canonicalBytes == value.canonicalBytes)
  }

  @Test func membersAreSortedByBytes() throws {
    let value = try JSONValue(parsing: #"{"b":1, "a":{"z":[2.0, "\u002f"],"":null}, "é":3, "B":4}"#)
    #expect(
      String(decoding: value.canonicalBytes, as: UTF8.self)
        == #"{"B":4,"a":{"":null,"z":[2,"/"]},"b":1,"é":3}"#)
  }

  @Test func valuesAreLookedUp() throws {
    let value = try JSONValue(parsing: #"{"a":[1,2.5,"x",true,null,1e2]}"#)
    #expect(value["a"]?[0]?.int == 1)
    #expect(value["a"]?[1]?.double == 2.5)
    #expect(value["a"]?[1]?.int == nil)
    #expect(value["a"]?[2]?.string == "x")
    #expect(value["a"]?[3]?.bool == true)
    #expect(value["a"]?[4]?.isNull == true)
    #expect(value["a"]?[5]?.int == 100)
    #expect(value["a"]?[6] == nil)
    #expect(value["b"] == nil)
    #expect(value.valueCount == 8)
  }
}

@Suite("The stable hash")
struct StableHashTests {
  /// The published vectors of FNV-1a with 64 bits.
  @Test(arguments: [
    ("", "cbf29ce484222325"), ("a", "af63dc4c8601ec8c"), ("foobar", "85944171f73967e8"),
  ])
  func vectors(_ text: String, _ hex: String) {
    var hash = StableHash()
    hash.combine(text)
    #expect(hash.hex == hex)
    #expect(StableHash.hex(hash.state) == hex)
  }

  @Test func partsMakeTheWhole() {
    var whole = StableHash()
    whole.combine(Array("foobar".utf8))
    var part = StableHash()
    part.combine("foo")
    var rest = StableHash(continuing: part.state)
    rest.combine("bar")
    #expect(rest == whole)
    #expect(StableHash.hex(0x0123_4567_89ab_cdef) == "0123456789abcdef")
  }
}
