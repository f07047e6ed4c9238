import CarillonAPI
import CarillonCrypto
import CarillonModel
import CarillonStore

/// Finds the principal of a credential. Confined to its loop.
///
/// What the database said of a key is trusted for less than a second, so that a revocation is effective within one
/// second on every replica; and no longer than until an operator's command tells that something has changed
/// (``CredentialHints``).
final class Authenticator {
  private let store: Store
  private let signer: TokenSigner
  private var tenantKeys = KeyMemory<StoredKey>()
  private var signingKeys = KeyMemory<OpenedSigningKey>()

  private struct OpenedSigningKey {
    var found: FoundSigningKey
    var secret: [UInt8]
  }

  init(store: Store, signer: TokenSigner) {
    self.store = store
    self.signer = signer
  }

  /// - Parameters:
  ///   - authorization: the header's value.
  ///   - now: for expiry.
  ///   - monotonic: nanoseconds, for the age of what is remembered.
  func principal(
    authorization: String?, now: Instant, monotonic: UInt64
  ) async throws(AuthenticationFailure) -> Principal {
    guard let authorization else { throw .missing }
    guard let credential = Self.bearer(authorization) else { throw .invalid }
    if let key = TenantKey(credential) {
      return try await principal(key, now: now, monotonic: monotonic)
    }
    guard let token = DeviceToken(credential) else { throw .invalid }
    return try await principal(token, now: now, monotonic: monotonic)
  }

  /// Something of credentials has changed.
  func forget() {
    tenantKeys.forget()
    signingKeys.forget()
  }

  /// Whose the credential is, where that is known without asking the database; the credential is not checked.
  ///
  /// - Throws: `missing` and `invalid`, for what cannot be a credential.
  func rememberedTenant(
    authorization: String?, monotonic: UInt64
  ) throws(AuthenticationFailure) -> TenantID? {
    guard let authorization else { throw .missing }
    guard let credential = Self.bearer(authorization) else { throw .invalid }
    if let key = TenantKey(credential) { return tenantKeys.record(of: key.keyId, at: monotonic)?.tenant }
    guard let token = DeviceToken(credential) else { throw .invalid }
    return signingKeys.record(of: token.keyID, at: monotonic)?.found.key.tenant
  }

  private func principal(
    _ key: TenantKey, now: Instant, monotonic: UInt64
  ) async throws(AuthenticationFailure) -> Principal {
    guard let stored = try await tenantKey(key.keyId, monotonic: monotonic),
      let hash = SHA256Digest(bytes: stored.secretHash), key.matches(hash)
    else { throw .invalid }
    guard stored.revokedAt == nil, stored.expiresAt.map({ now < $0 }) ?? true else { throw .invalid }
    guard stored.tenantStatus == .active else { throw .tenantSuspended }
    return Principal(tenant: stored.tenant, kind: .tenantKey(id: stored.id, scopes: stored.scopes))
  }

  /// The signature comes first: until it holds nothing else of the token is believed.
  private func principal(
    _ token: DeviceToken, now: Instant, monotonic: UInt64
  ) async throws(AuthenticationFailure) -> Principal {
    guard let opened = try await signingKey(token.keyID, monotonic: monotonic),
      TokenSigner.isGenuine(token, secret: opened.secret),
      let claims = token.claims(), claims.tenant == opened.found.key.tenant
    else { throw .invalid }
    let end = min(claims.expiresAt, opened.found.key.retiresAt ?? claims.expiresAt)
    guard now < end else { throw .expired }
    guard opened.found.tenantStatus == .active else { throw .tenantSuspended }
    return Principal(
      tenant: claims.tenant, kind: .device(claims.device), user: claims.user, expiresAt: end)
  }

  private func tenantKey(_ id: String, monotonic: UInt64) async throws(AuthenticationFailure) -> StoredKey? {
    if let key = tenantKeys.record(of: id, at: monotonic) { return key }
    do throws(StoreError) {
      let key = try await store.key(id: id)
      tenantKeys.note(key, of: id, at: monotonic)
      return key
    } catch {
      throw .store(error)
    }
  }

  private func signingKey(
    _ id: String, monotonic: UInt64
  ) async throws(AuthenticationFailure) -> OpenedSigningKey? {
    if let key = signingKeys.record(of: id, at: monotonic) { return key }
    let found: FoundSigningKey?
    do throws(StoreError) {
      found = try await store.signingKey(id: id)
    } catch {
      throw .store(error)
    }
    var opened: OpenedSigningKey?
    if let found {
      guard let secret = signer.secret(of: found.key) else { throw .tokensUnavailable }
      opened = OpenedSigningKey(found: found, secret: secret)
    }
    signingKeys.note(opened, of: id, at: monotonic)
    return opened
  }

  /// RFC 6750: the scheme's name compares without case.
  private static func bearer(_ authorization: String) -> String? {
    let scheme = "bearer "
    guard authorization.utf8.count > scheme.utf8.count,
      authorization.prefix(scheme.count).lowercased() == scheme
    else { return nil }
    return String(authorization.dropFirst(scheme.count))
  }
}

/// What the database said of keys, by their ids.
struct KeyMemory<Record> {
  static var nanosecondsARecordIsTrusted: UInt64 { 900_000_000 }
  /// More keys than this in use on one loop, and the memory starts afresh.
  static var maximumRecords: Int { 10_000 }

  private var records: [String: (record: Record, readAt: UInt64)] = [:]

  func record(of id: String, at monotonic: UInt64) -> Record? {
    guard let (record, readAt) = records[id], monotonic < readAt + Self.nanosecondsARecordIsTrusted else {
      return nil
    }
    return record
  }

  mutating func forget() { records.removeAll() }

  /// - Parameters:
  ///   - record: nil is not remembered: anyone can make up keys that do not exist.
  ///   - monotonic: when it was asked for.
  mutating func note(_ record: Record?, of id: String, at monotonic: UInt64) {
    if records.count >= Self.maximumRecords { records.removeAll() }
    records[id] = record.map { ($0, monotonic) }
  }
}
