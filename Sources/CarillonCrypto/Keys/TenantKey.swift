/// A tenant's credential: `ck_<keyId>_<secret>`, shown once and never stored.
///
/// The key id finds the stored row, the SHA-256 of the whole text proves the key. Printing or logging a key
/// shows its id alone; only ``text`` gives the secret away.
///
///     var random = SecureRandom()
///     let key = TenantKey.make(using: &random)
///     store(key.keyId, key.hash.bytes)     // and show key.text, once
///
///     guard let key = TenantKey(bearer), key.matches(storedHash) else { … }
public struct TenantKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Twelve characters `a`...`z`, `2`...`7`: 60 random bits. No secret: it may stand in logs and lists.
  public let keyId: String
  /// The whole key, to be shown to its owner once.
  public let text: String

  static let prefix = "ck_"
  static let keyIdLength = 12
  /// 256 bits in base32.
  static let secretLength = 52
  /// A longer credential is refused unread.
  public static let textLength = prefix.utf8.count + keyIdLength + 1 + secretLength

  private init(keyId: String, text: String) {
    self.keyId = keyId
    self.text = text
  }

  /// A new key: 60 random bits of id and 256 of secret.
  public static func make(using random: inout some RandomNumberGenerator) -> TenantKey {
    let keyId = String(Base32.text(random.bytes(8)).prefix(keyIdLength))
    let secret = Base32.text(random.bytes(32))
    return TenantKey(keyId: keyId, text: "\(prefix)\(keyId)_\(secret)")
  }

  /// Nil when the text does not have the form of a key; says nothing about whether it is one.
  public init?(_ text: String) {
    let bytes = Array(text.utf8)
    let prefix = Array(Self.prefix.utf8)
    guard bytes.count == Self.textLength, bytes.starts(with: prefix) else { return nil }
    let separator = prefix.count + Self.keyIdLength
    guard bytes[separator] == UInt8(ascii: "_") else { return nil }
    let keyId = bytes[prefix.count..<separator]
    guard keyId.allSatisfy(Base32.isDigit), bytes[(separator + 1)...].allSatisfy(Base32.isDigit) else {
      return nil
    }
    self.init(keyId: String(decoding: keyId, as: UTF8.self), text: text)
  }

  /// What is stored: the SHA-256 of the whole text.
  public var hash: SHA256Digest { SHA256.hash(text) }

  /// Whether this is the key whose hash was stored. Takes the same time for every wrong key.
  public func matches(_ stored: SHA256Digest) -> Bool { hash == stored }

  public var description: String { "\(Self.prefix)\(keyId)_…" }
  public var debugDescription: String { description }
  /// `dump` and string interpolation of a value that holds a key must not show it either.
  public var customMirror: Mirror { Mirror(self, children: ["keyId": keyId]) }
}
