import CarillonCrypto
import Testing

@Suite struct TenantKeyTests {
  @Test func aMadeKeyReadsBackAndMatchesItsHash() throws {
    var random = SecureRandom()
    let key = TenantKey.make(using: &random)
    let read = try #require(TenantKey(key.text))
    #expect(read.keyId == key.keyId)
    #expect(read.matches(key.hash))
    #expect(key.hash == SHA256.hash(key.text))
    #expect(key.text.hasPrefix("ck_\(key.keyId)_"))
    #expect(!key.keyId.contains("_") && key.keyId.count == 12)
  }

  @Test func keysComeFromTheGeneratorAlone() {
    var first = Counting(count: 1)
    var second = Counting(count: 1)
    var other = Counting(count: 2)
    let key = TenantKey.make(using: &first)
    #expect(key.text == TenantKey.make(using: &second).text)
    #expect(key.text != TenantKey.make(using: &other).text)
    #expect(key.text != TenantKey.make(using: &first).text)
  }

  @Test func anotherKeyDoesNotMatch() throws {
    var random = SecureRandom()
    let key = TenantKey.make(using: &random)
    let last = key.text.last == "a" ? "q" : "a"
    let forged = try #require(TenantKey(key.text.dropLast() + last))
    #expect(forged.keyId == key.keyId)
    #expect(!forged.matches(key.hash))
  }

  @Test(arguments: [
    "", "ck_", "ck__", "ck_abcdefghijkl_", "ck_abcdefghijkl",
    "ck_abcdefghijkl_\(String(repeating: "a", count: 51))",
    "ck_abcdefghijkl_\(String(repeating: "a", count: 53))",
    "ck_abcdefghijkl_\(String(repeating: "A", count: 52))",
    "ck_abcdefghijkl-\(String(repeating: "a", count: 52))",
    "ck_abcdefghij_l_\(String(repeating: "a", count: 52))",
    "ck_abcdefghijk1_\(String(repeating: "a", count: 52))",
    "sk_abcdefghijkl_\(String(repeating: "a", count: 52))",
    "ck_abcdefghijkl_\(String(repeating: "a", count: 50))é",
  ])
  func refusesWhatHasNotTheForm(text: String) {
    #expect(TenantKey(text) == nil)
  }

  @Test func printsWithoutItsSecret() {
    var random = SecureRandom()
    let key = TenantKey.make(using: &random)
    let secret = key.text.suffix(52)
    var dumped = ""
    dump([key], to: &dumped)
    for text in ["\(key)", String(reflecting: key), "\([key])", "\(Optional(key) as Any)", dumped] {
      #expect(!text.contains(secret), "\(text)")
      #expect(text.contains(key.keyId))
    }
  }

  @Test func randomBytesHaveTheAskedLengthAndDiffer() {
    var random = SecureRandom()
    for count in [0, 1, 7, 8, 9, 32] { #expect(random.bytes(count).count == count) }
    #expect(random.bytes(32) != random.bytes(32))
  }
}

/// Counts up: what a test can predict.
private struct Counting: RandomNumberGenerator {
  var count: UInt64
  mutating func next() -> UInt64 {
    defer { count += 1 }
    return count &* 0x9e37_79b9_7f4a_7c15
  }
}
