import CarillonJSON
import Testing
import TestSupport

@Suite("JSON at random")
struct FuzzTests {
  static func value(_ random: inout SeededGenerator, depth: Int = 0) -> JSONValue {
    switch Int.random(in: 0..<(depth > 5 ? 4 : 6), using: &random) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &random))
    case 2:
      if Bool.random(using: &random) { return .number(String(Int.random(in: -5000...5000, using: &random))) }
      return .number(
        "\(Int.random(in: -99...99, using: &random)).\(Int.random(in: 0...999, using: &random))e\(Int.random(in: -40...40, using: &random))"
      )
    case 3: return .string(text(&random))
    case 4:
      return .array((0..<Int.random(in: 0...5, using: &random)).map { _ in value(&random, depth: depth + 1) })
    default:
      return .object(
        (0..<Int.random(in: 0...5, using: &random)).map {
          JSONMember("\($0)" + text(&random), value(&random, depth: depth + 1))
        })
    }
  }

  static func text(_ random: inout SeededGenerator) -> String {
    let alphabet: [Unicode.Scalar] = ["a", "\"", "\\", "/", "\n", "\0", "é", "日", "🎉", "\u{FFFF}", " ", "~"]
    var text = ""
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      text.unicodeScalars.append(alphabet.randomElement(using: &random)!)
    }
    return text
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max), 1, 2])
  func whatIsWrittenReadsBackEqual(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let value = Self.value(&random)
      #expect(try JSONValue(parsing: value.bytes) == value, "seed \(seed)")
      let canonical = value.canonicalBytes
      #expect(try JSONValue(parsing: canonical).canonicalBytes == canonical, "seed \(seed)")
    }
  }

  @Test(arguments: [UInt64.random(in: 0 ... .max), 3])
  func doublesReadBackEqual(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<5000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      var writer = JSONWriter()
      writer.double(value)
      let read = try JSONReader.read(writer.bytes) { (reader) throws(JSONError) in try reader.double() }
      #expect(read == value, "seed \(seed)")
    }
  }

  /// A damaged document is read or refused, alike by skipping and by reading, and its error points into it.
  @Test(arguments: [UInt64.random(in: 0 ... .max), 4])
  func damagedDocumentsNeverCrash(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let interesting = Array("{}[],:\"\\u0eE+-.tfn d8".utf8) + [0, 0x80, 0xC3, 0xE2, 0xF0, 0xFF]
    for _ in 0..<3000 {
      var bytes = Self.value(&random).bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
        let index = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[index] = interesting.randomElement(using: &random)!
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(interesting.randomElement(using: &random)!, at: index)
        default: bytes.removeSubrange(index...)
        }
      }
      let limits = JSONLimits(refusesDuplicateNames: false)
      let skipped = Result { () throws(JSONError) in
        try JSONReader.read(bytes, limits: limits) { (reader) throws(JSONError) in try reader.skip() }
      }
      let read = Result { () throws(JSONError) in try JSONValue(parsing: bytes, limits: limits) }
      switch (skipped, read) {
      case (.success, .success(let value)):
        #expect(throws: Never.self, "seed \(seed)") { try JSONValue(parsing: value.bytes, limits: limits) }
      case (.failure(let first), .failure(let second)):
        #expect(first == second, "seed \(seed)")
        #expect((0...bytes.count).contains(first.offset), "seed \(seed)")
      default: Issue.record("skipping and reading disagree; seed \(seed)")
      }
    }
  }
}
