import CarillonAPI
import CarillonCrypto
import CarillonModel
import CarillonStore
import CarillonTelemetry

/// Signs device tokens with the tenant's signing key, which it makes when there is none. Confined to its loop.
final class TokenSigner {
  /// A rotation in the moment between two statements makes us begin again; two in a row are not met.
  private static let maximumAttempts = 3
  private static let secretBytes = 32

  private let store: Store
  private let masterKeys: MasterKeys?
  private let logger: Logger
  private var random = SecureRandom()

  /// - Parameter masterKeys: nil: no tokens can be made or checked.
  init(store: Store, masterKeys: MasterKeys?, logger: Logger) {
    self.store = store
    self.masterKeys = masterKeys
    self.logger = logger
  }

  /// A new token for a device.
  ///
  /// - Parameters:
  ///   - ttl: seconds.
  ///   - user: whom it serves alone; nil: whoever the device reports.
  func mint(
    device: DeviceID, tenant: TenantID, ttl: Int, user: BoundUser?, now: Instant
  ) async throws(Problem) -> TokenResponse {
    let key = try await signingKey(of: tenant, now: now)
    let issuedAt = Instant(seconds: now.milliseconds / 1000)
    let claims = DeviceTokenClaims(
      device: device, tenant: tenant, issuedAt: issuedAt, expiresAt: issuedAt.adding(seconds: Int64(ttl)),
      user: user)
    let input = DeviceToken.signingInput(keyID: key.id, claims)
    let code = SHA256.authenticationCode(of: input, key: key.secret)
    return TokenResponse(
      token: DeviceToken.text(input, signature: code.bytes), expiresAt: claims.expiresAt)
  }

  /// Whether the token was signed with this secret. Takes the same time for every wrong signature.
  static func isGenuine(_ token: DeviceToken, secret: [UInt8]) -> Bool {
    SHA256Digest(bytes: token.signature) == SHA256.authenticationCode(of: token.signingInput, key: secret)
  }

  /// Nil when no master key at hand opens it.
  func secret(of key: StoredSigningKey) -> [UInt8]? {
    guard let masterKeys else { return nil }
    do throws(SealError) {
      return try masterKeys.open(
        SealedSecret(masterKey: key.masterKey, bytes: key.sealedSecret),
        at: .signingKey(key.id, tenant: key.tenant.text)
      )
    } catch {
      logger.error(
        "a signing key does not open",
        ["keyId": .string(key.id), "reason": .string("\(error)")])
      return nil
    }
  }

  private func signingKey(
    of tenant: TenantID, now: Instant
  ) async throws(Problem) -> (id: String, secret: [UInt8]) {
    guard let masterKeys else { throw .deviceTokensUnavailable }
    for _ in 0..<Self.maximumAttempts {
      let current: StoredSigningKey?
      do throws(StoreError) {
        if let key = try await store.currentSigningKey(tenant: tenant) {
          current = key
        } else {
          current = try await store.addSigningKey(make(for: tenant, under: masterKeys, now: now))
        }
      } catch {
        throw Problem(error)
      }
      guard let current else { continue }
      guard let secret = secret(of: current) else { throw .deviceTokensUnavailable }
      return (current.id, secret)
    }
    throw Problem(.conflict, "The signing keys are being changed; send the request again.", retryAfter: 1)
  }

  private func make(for tenant: TenantID, under masterKeys: MasterKeys, now: Instant) -> StoredSigningKey {
    let id = SigningKeyID.make(using: &random)
    let sealed = masterKeys.seal(
      random.bytes(Self.secretBytes), for: .signingKey(id, tenant: tenant.text), using: &random)
    return StoredSigningKey(
      id: id, tenant: tenant, sealedSecret: sealed.bytes, masterKey: sealed.masterKey, createdAt: now)
  }
}

extension Problem {
  static let deviceTokensUnavailable = Problem(
    .deviceTokensUnavailable,
    "This server lacks the master key that signing keys are sealed under. Whoever runs it sets CARILLON_MASTER_KEY_FILE; until then use a tenant key."
  )
}
