import CarillonCrypto
import Testing

@Suite struct AESGCMTests {
  /// Cases 13 to 16 of the specification of GCM (McGrew and Viega), for AES-256.
  static let vectors: [(key: String, nonce: String, plain: String, additional: String, sealed: String)] = [
    (
      String(repeating: "00", count: 32), String(repeating: "00", count: 12), "", "",
      "530f8afbc74536b9a963b4f1c4cb738b"
    ),
    (
      String(repeating: "00", count: 32), String(repeating: "00", count: 12),
      String(repeating: "00", count: 16), "",
      "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
    ),
    (
      "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255", "",
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"
        + "b094dac5d93471bdec1a502270e3cc6c"
    ),
    (
      "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "cafebabefacedbaddecaf888",
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39",
      "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
    ),
  ]

  @Test(arguments: vectors.indices) func sealsAndOpensAsTheSpecificationSays(_ index: Int) {
    let vector = Self.vectors[index]
    let (key, nonce) = (bytes(vector.key), bytes(vector.nonce))
    let (plain, additional) = (bytes(vector.plain), bytes(vector.additional))
    let sealed = AESGCM.seal(plain, key: key, nonce: nonce, additional: additional)
    #expect(sealed == bytes(vector.sealed))
    #expect(AESGCM.open(sealed, key: key, nonce: nonce, additional: additional) == plain)
  }

  @Test func whatWasChangedDoesNotOpen() {
    let vector = Self.vectors[3]
    let (key, nonce) = (bytes(vector.key), bytes(vector.nonce))
    let (sealed, additional) = (bytes(vector.sealed), bytes(vector.additional))
    func flipped(_ bytes: [UInt8], _ position: Int) -> [UInt8] {
      var bytes = bytes
      bytes[position] ^= 1
      return bytes
    }
    for position in sealed.indices {
      #expect(
        AESGCM.open(flipped(sealed, position), key: key, nonce: nonce, additional: additional) == nil)
    }
    for position in additional.indices {
      #expect(
        AESGCM.open(sealed, key: key, nonce: nonce, additional: flipped(additional, position)) == nil)
    }
    #expect(AESGCM.open(sealed, key: flipped(key, 0), nonce: nonce, additional: additional) == nil)
    #expect(AESGCM.open(sealed, key: key, nonce: flipped(nonce, 11), additional: additional) == nil)
    #expect(AESGCM.open(sealed, key: key, nonce: nonce, additional: []) == nil)
    for count in [0, 1, 15, 16, sealed.count - 1] {
      #expect(
        AESGCM.open(Array(sealed.prefix(count)), key: key, nonce: nonce, additional: additional) == nil)
    }
  }

  private func bytes(_ text: String) -> [UInt8] {
    let digits = Array(text)
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0..<($0 + 2)]), radix: 16)! }
  }
}
