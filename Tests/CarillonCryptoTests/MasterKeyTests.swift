import CarillonCrypto
import Foundation
import Testing

@Suite struct MasterKeyTests {
  static let bytes = (0..<32).map { UInt8(truncatingIfNeeded: 7 + $0 * $0 * 37 + $0 * 11) }
  static let base64 = Data(bytes).base64EncodedString()
  static let urlAlphabet = String(base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  static let hexadecimal = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()

  @Test(arguments: [
    base64, base64 + "\n", " \t" + base64 + "\r\n", String(base64.dropLast()), hexadecimal,
    hexadecimal.uppercased() + "\n",
    urlAlphabet,
  ])
  func readsBase64AndHexadecimal(_ text: String) throws {
    let key = try MasterKey(text)
    #expect(key.text == Self.base64)
    #expect(key.fingerprint == (try MasterKey(bytes: Self.bytes)).fingerprint)
    #expect(key.fingerprint.count == 16)
  }

  private static func base64(_ bytes: some Sequence<UInt8>) -> String { Data(bytes).base64EncodedString() }

  static let refused: [(text: String, error: MasterKeyError)] = {
    var refused: [(text: String, error: MasterKeyError)] = []
    for text in ["", "\n", "not a key!", String(base64.dropLast(2)), base64 + "="] {
      refused.append((text, .unreadable))
    }
    refused.append((String(hexadecimal.dropLast(4)), .wrongLength(45)))
    refused.append(("AAAA", .wrongLength(3)))
    refused.append((base64(Array(repeating: 7, count: 33)), .wrongLength(33)))
    for digits in ["00", "c3"] { refused.append((String(repeating: digits, count: 32), .weak)) }
    refused.append((String(repeating: "0123456789abcdef", count: 4), .weak))
    refused.append((base64(0..<32), .weak))
    refused.append((base64((0..<32).map { UInt8(200 - 3 * $0) }), .weak))
    refused.append((base64("correct horse battery staple 123".utf8), .weak))
    return refused
  }()

  @Test(arguments: refused)
  func refusesWhatIsNoKeyOrAWeakOne(_ text: String, _ error: MasterKeyError) {
    #expect(throws: error) { try MasterKey(text) }
    #expect(error.remedy.contains("openssl rand"))
  }

  @Test func aMadeKeyReadsBack() throws {
    var random = SecureRandom()
    let key = MasterKey.make(using: &random)
    #expect(try MasterKey(key.text).fingerprint == key.fingerprint)
    #expect(MasterKey.make(using: &random).fingerprint != key.fingerprint)
  }

  @Test func printsWithoutItsBytes() throws {
    let keys = MasterKeys(current: try MasterKey(bytes: Self.bytes))
    var dumped = ""
    dump(keys, to: &dumped)
    let shown = dumped + "\(keys)" + String(reflecting: keys) + "\(keys.current)"
    #expect(!shown.contains(Self.base64) && !shown.lowercased().contains(Self.hexadecimal))
    #expect(!shown.contains("\(Self.bytes[0]), \(Self.bytes[1])"))
    #expect(shown.contains(keys.current.fingerprint))
  }

  @Test func aSecretOpensInItsPlaceAlone() throws {
    var random = SecureRandom()
    let keys = MasterKeys(current: MasterKey.make(using: &random))
    let place = SealingPlace(table: "signing_keys", tenant: "t", key: "k")
    let secret = random.bytes(32)
    let sealed = keys.seal(secret, for: place, using: &random)
    #expect(try keys.open(sealed, at: place) == secret)
    // A nonce of its own each time.
    #expect(keys.seal(secret, for: place, using: &random) != sealed)
    for other in [
      SealingPlace(table: "api_keys", tenant: "t", key: "k"),
      SealingPlace(table: "signing_keys", tenant: "u", key: "k"),
      SealingPlace(table: "signing_keys", tenant: "t", key: "l"),
    ] {
      #expect(throws: SealError.damaged) { try keys.open(sealed, at: other) }
    }
    for position in sealed.bytes.indices {
      var damaged = sealed
      damaged.bytes[position] ^= 0x40
      #expect(throws: SealError.damaged) { try keys.open(damaged, at: place) }
    }
    for count in [0, 1, 12, 13, 28] {
      let short = SealedSecret(masterKey: sealed.masterKey, bytes: Array(sealed.bytes.prefix(count)))
      #expect(throws: SealError.damaged) { try keys.open(short, at: place) }
    }
  }

  @Test func theKeyBeforeOpensAndDoesNotSeal() throws {
    var random = SecureRandom()
    let (old, new) = (MasterKey.make(using: &random), MasterKey.make(using: &random))
    let place = SealingPlace(table: "t", tenant: "t", key: "k")
    let sealed = MasterKeys(current: old).seal([1, 2, 3], for: place, using: &random)
    let both = MasterKeys(current: new, previous: old)
    #expect(try both.open(sealed, at: place) == [1, 2, 3])
    #expect(throws: SealError.otherMasterKey(fingerprint: old.fingerprint)) {
      try MasterKeys(current: new).open(sealed, at: place)
    }
    #expect(both.seal([], for: place, using: &random).masterKey == new.fingerprint)
    // Named another's, it does not open.
    let misnamed = SealedSecret(masterKey: new.fingerprint, bytes: sealed.bytes)
    #expect(throws: SealError.damaged) { try both.open(misnamed, at: place) }
  }
}

@Suite struct SecretFileTests {
  @Test func isItsOwnersAlone() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "secret-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "key").path(percentEncoded: false)
    #expect(throws: SecretFileError.unreadable(path: path, errno: ENOENT)) { try SecretFile.read(path) }
    try SecretFile.create(path, "text\n")
    #expect(try SecretFile.read(path) == "text\n")
    #expect(throws: SecretFileError.unwritable(path: path, errno: EEXIST)) {
      try SecretFile.create(path, "other")
    }
    for mode: UInt32 in [0o640, 0o604, 0o620, 0o660, 0o601] {
      #expect(chmod(path, mode) == 0)
      #expect(throws: SecretFileError.open(path: path, mode: mode)) { try SecretFile.read(path) }
    }
    #expect(chmod(path, 0o400) == 0)
    #expect(try SecretFile.read(path) == "text\n")
    let home = folder.path(percentEncoded: false)
    #expect(throws: SecretFileError.noFile(path: home)) { try SecretFile.read(home) }
    #expect(chmod(path, 0o600) == 0)
    try Data(count: 5_000).write(to: URL(filePath: path))
    #expect(chmod(path, 0o600) == 0)
    #expect(throws: SecretFileError.tooLong(path: path)) { try SecretFile.read(path) }
  }
}
