import CarillonCrypto
import Testing

@Suite struct DigestTests {
  /// Vectors of FIPS 180-4.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func hashesAsTheStandardSays(text: String, digest: String) {
    #expect(SHA256.hash(text).description == digest)
  }

  /// Vectors of RFC 4231 (cases 1, 2, 3 and 6) and one with an empty key.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), Array("Hi There".utf8),
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 20), [UInt8](repeating: 0xdd, count: 50),
      "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131),
      Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
    ([], [], "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
  ])
  func authenticatesAsTheStandardSays(key: [UInt8], message: [UInt8], code: String) {
    #expect(SHA256.authenticationCode(of: message, key: key).description == code)
  }

  @Test func digestsAreComparedWhole() throws {
    let bytes = SHA256.hash("a").bytes
    for position in bytes.indices {
      var other = bytes
      other[position] ^= 1
      #expect(SHA256Digest(bytes: other) != SHA256Digest(bytes: bytes))
      #expect(!ConstantTime.areEqual(other, bytes))
    }
    #expect(SHA256Digest(bytes: bytes) == SHA256.hash("a"))
    #expect(SHA256Digest(bytes: Array(bytes.dropLast())) == nil)
    #expect(!ConstantTime.areEqual(bytes, Array(bytes.dropLast())))
    #expect(ConstantTime.areEqual([], []))
  }
}
