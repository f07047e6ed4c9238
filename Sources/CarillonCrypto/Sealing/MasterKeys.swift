/// The master key in use, and while it is being changed the one before it.
public struct MasterKeys: Sendable {
  /// Seals.
  public let current: MasterKey
  /// Opens what has not been sealed anew yet.
  public let previous: MasterKey?

  public init(current: MasterKey, previous: MasterKey? = nil) {
    self.current = current
    self.previous = previous
  }

  /// Seals a secret for one place; it opens nowhere else.
  public func seal(
    _ secret: [UInt8], for place: SealingPlace, using random: inout some RandomNumberGenerator
  ) -> SealedSecret {
    // 96 random bits: the chance that one comes twice is below 2⁻³² up to 2³² secrets under one key.
    let nonce = random.bytes(AESGCM.nonceByteCount)
    let body = AESGCM.seal(secret, key: current.bytes, nonce: nonce, additional: place.bytes)
    return SealedSecret(masterKey: current.fingerprint, bytes: [SealedSecret.version] + nonce + body)
  }

  /// Opens what was sealed for this place under either key.
  public func open(_ sealed: SealedSecret, at place: SealingPlace) throws(SealError) -> [UInt8] {
    let key: MasterKey
    switch sealed.masterKey {
    case current.fingerprint: key = current
    case previous?.fingerprint: key = previous ?? current
    default: throw .otherMasterKey(fingerprint: sealed.masterKey)
    }
    let rest = sealed.bytes.dropFirst()
    guard sealed.bytes.first == SealedSecret.version, rest.count >= AESGCM.nonceByteCount,
      let secret = AESGCM.open(
        Array(rest.dropFirst(AESGCM.nonceByteCount)), key: key.bytes,
        nonce: Array(rest.prefix(AESGCM.nonceByteCount)), additional: place.bytes)
    else { throw .damaged }
    return secret
  }
}

/// A secret as it is stored.
public struct SealedSecret: Hashable, Sendable {
  /// The form of ``bytes``: this byte, the nonce, the ciphertext, the tag.
  static let version: UInt8 = 1

  /// The fingerprint of the master key it was sealed under.
  public var masterKey: String
  public var bytes: [UInt8]

  public init(masterKey: String, bytes: [UInt8]) {
    self.masterKey = masterKey
    self.bytes = bytes
  }
}

/// Where a sealed secret stands. Who can write to the database cannot move a tenant's secret to another's row: there
/// it does not open.
public struct SealingPlace: Hashable, Sendable {
  public var table: String
  public var tenant: String
  public var key: String

  public init(table: String, tenant: String, key: String) {
    self.table = table
    self.tenant = tenant
    self.key = key
  }

  /// Of the secret that a tenant's device tokens are signed with.
  public static func signingKey(_ id: String, tenant: String) -> SealingPlace {
    SealingPlace(table: "signing_keys", tenant: tenant, key: id)
  }

  /// None of the parts contains a line's end.
  var bytes: [UInt8] { Array("\(table)\n\(tenant)\n\(key)".utf8) }
}

/// Why a sealed secret does not open.
public enum SealError: Error, Hashable, Sendable {
  /// It was sealed under a master key that is not at hand.
  case otherMasterKey(fingerprint: String)
  /// It was changed, or moved from another place.
  case damaged
}
