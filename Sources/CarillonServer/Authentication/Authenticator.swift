import CarillonAPI
import CarillonCrypto
import CarillonModel
import CarillonStore

/// Who makes a request, and what they may do. The tenant comes from here and from nowhere else.
struct Principal: Sendable {
  var tenant: TenantID
  var keyID: String
  var scopes: Set<KeyScope>

  /// A tenant key reaches what its scopes name.
  func check(may endpoint: Endpoint) throws(Problem) {
    guard let scope = endpoint.scope, let wanted = KeyScope(rawValue: scope.rawValue) else { return }
    guard scopes.contains(wanted) else {
      throw Problem(
        .insufficientScope, "This key lacks the scope \(scope.rawValue); use one that was made with it.")
    }
  }
}

/// Why a credential is not taken. What exactly was wrong with it is not told: it would help to guess.
enum AuthenticationFailure: Error {
  case missing
  case invalid
  case tenantSuspended
  case store(StoreError)
}

/// Finds the principal of a credential. Confined to its loop.
///
/// What the database said of a key is trusted for less than a second, so that a revocation is effective within one
/// second on every replica.
final class Authenticator {
  static let nanosecondsARecordIsTrusted: UInt64 = 900_000_000
  /// More keys than this in use on one loop, and the memory starts afresh.
  static let maximumRememberedKeys = 10_000

  private struct Record {
    var key: StoredKey
    var readAt: UInt64
  }

  private let store: Store
  private var records: [String: Record] = [:]

  init(store: Store) { self.store = store }

  /// - Parameters:
  ///   - authorization: the header's value.
  ///   - now: for expiry.
  ///   - monotonic: nanoseconds, for the age of what is remembered.
  func principal(
    authorization: String?, now: Instant, monotonic: UInt64
  ) async throws(AuthenticationFailure) -> Principal {
    guard let authorization else { throw .missing }
    guard let credential = Self.bearer(authorization), let key = TenantKey(credential) else { throw .invalid }
    guard let stored = try await record(of: key.keyId, monotonic: monotonic),
      let hash = SHA256Digest(bytes: stored.secretHash), key.matches(hash)
    else { throw .invalid }
    guard stored.revokedAt == nil, stored.expiresAt.map({ now < $0 }) ?? true else { throw .invalid }
    guard stored.tenantStatus == .active else { throw .tenantSuspended }
    return Principal(tenant: stored.tenant, keyID: stored.id, scopes: stored.scopes)
  }

  private func record(of keyID: String, monotonic: UInt64) async throws(AuthenticationFailure) -> StoredKey? {
    if let record = records[keyID], monotonic < record.readAt + Self.nanosecondsARecordIsTrusted {
      return record.key
    }
    let key: StoredKey?
    do {
      key = try await store.key(id: keyID)
    } catch {
      throw .store(error)
    }
    if records.count >= Self.maximumRememberedKeys { records.removeAll() }
    // Unknown keys are not remembered: anyone can make them up.
    records[keyID] = key.map { Record(key: $0, readAt: monotonic) }
    return key
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
