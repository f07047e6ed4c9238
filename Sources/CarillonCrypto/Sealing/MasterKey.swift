/// The key under which an installation's other secrets are kept: 32 random bytes that stand outside the database.
///
///     openssl rand -base64 32 > master.key && chmod 600 master.key
///
/// Printing or logging one shows its fingerprint alone.
public struct MasterKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public static let byteCount = AESGCM.keyByteCount

  let bytes: [UInt8]
  /// 16 hexadecimal digits that name the key and tell nothing of it. They stand beside what is sealed, so that a
  /// rotation knows what is done.
  public let fingerprint: String

  /// Reads base64 (of either alphabet, with or without padding) or 64 hexadecimal digits; white space around it is
  /// left out.
  public init(_ text: String) throws(MasterKeyError) {
    let trimmed = text.utf8.drop { Self.isSpace($0) }.reversed().drop { Self.isSpace($0) }.reversed()
    let characters = Array(trimmed)
    let isHexadecimal = characters.count == 2 * Self.byteCount
    guard
      let bytes = (isHexadecimal ? Hexadecimal.bytes(characters) : nil) ?? Base64.bytes(characters),
      !bytes.isEmpty
    else { throw .unreadable }
    try self.init(bytes: bytes)
  }

  public init(bytes: [UInt8]) throws(MasterKeyError) {
    guard bytes.count == Self.byteCount else { throw .wrongLength(bytes.count) }
    guard !Self.isWeak(bytes) else { throw .weak }
    self.init(checked: bytes)
  }

  private init(checked bytes: [UInt8]) {
    self.bytes = bytes
    let code = SHA256.authenticationCode(of: Array("carillon master key".utf8), key: bytes)
    fingerprint = String(code.description.prefix(16))
  }

  public static func make(using random: inout some RandomNumberGenerator) -> MasterKey {
    while true {
      let bytes = random.bytes(byteCount)
      if !isWeak(bytes) { return MasterKey(checked: bytes) }
    }
  }

  /// Base64: gives the key away.
  public var text: String { Base64.text(bytes) }

  public var description: String { "master key \(fingerprint)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["fingerprint": fingerprint]) }

  /// Of 32 random bytes about 30 are different; fewer than 16, all of them printable, or each the same step from the
  /// one before, is somebody's typing and not chance.
  private static func isWeak(_ bytes: [UInt8]) -> Bool {
    let steps = Set(zip(bytes, bytes.dropFirst()).map { $1 &- $0 })
    return Set(bytes).count < 16 || steps.count == 1 || bytes.allSatisfy { (0x20...0x7e).contains($0) }
  }

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}

/// Why there is no master key. Says nothing of what was given.
public enum MasterKeyError: Error, Hashable, Sendable {
  /// Neither base64 nor hexadecimal digits.
  case unreadable
  /// So many bytes, and not 32.
  case wrongLength(Int)
  case weak
  case file(SecretFileError)
  /// Both a file and a variable were given.
  case ambiguous
  /// The key before was given, and not the one in use.
  case oldAlone

  /// What is wrong, in one sentence.
  public var summary: String {
    switch self {
    case .unreadable: "The master key is neither base64 nor hexadecimal."
    case .wrongLength(let count): "The master key has \(count) bytes, and \(MasterKey.byteCount) are wanted."
    case .weak: "The master key is not random: its bytes repeat, follow a pattern or are a typed text."
    case .file(let error): error.summary
    case .ambiguous: "The master key is given twice, in a file and in a variable."
    case .oldAlone: "The master key before is given, and not the one in use."
    }
  }

  /// What to do about it, in one sentence.
  public var remedy: String {
    switch self {
    case .unreadable, .wrongLength, .weak:
      "Make one with 'openssl rand -base64 32'; what is sealed under another key opens with that one alone."
    case .file(let error): error.remedy
    case .ambiguous: "Give CARILLON_MASTER_KEY_FILE or CARILLON_MASTER_KEY, not both."
    case .oldAlone: "Give the new one in CARILLON_MASTER_KEY_FILE."
    }
  }
}
