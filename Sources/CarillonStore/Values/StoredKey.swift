import CarillonModel

/// What a tenant key may do.
public enum KeyScope: String, Hashable, Sendable, CaseIterable {
  case devices, notifications, policy, reports
}

/// Whether a tenant may use the service.
public enum TenantStatus: String, Hashable, Sendable, CaseIterable {
  case active
  /// Its credentials are refused; everything stays.
  case suspended
  /// Not whole yet.
  case importing
  /// Not whole any more, and never again.
  case deleting
}

/// A tenant key as it is kept, with what authentication must know of its tenant.
public struct StoredKey: Hashable, Sendable {
  /// The public part of the credential.
  public var id: String
  public var tenant: TenantID
  public var tenantName: String
  public var tenantStatus: TenantStatus
  /// The tenant's current policy version; 0 before the first.
  public var policyVersion: Int
  /// SHA-256 of the secret, 32 bytes. The secret itself is kept nowhere.
  public var secretHash: [UInt8]
  public var scopes: Set<KeyScope>
  public var createdAt: Instant
  /// Nil: never.
  public var expiresAt: Instant?
  public var revokedAt: Instant?

  public init(
    id: String, tenant: TenantID, tenantName: String, tenantStatus: TenantStatus, policyVersion: Int,
    secretHash: [UInt8], scopes: Set<KeyScope>, createdAt: Instant, expiresAt: Instant? = nil,
    revokedAt: Instant? = nil
  ) {
    self.id = id
    self.tenant = tenant
    self.tenantName = tenantName
    self.tenantStatus = tenantStatus
    self.policyVersion = policyVersion
    self.secretHash = secretHash
    self.scopes = scopes
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.revokedAt = revokedAt
  }
}

/// A tenant key about to be kept.
public struct KeyDraft: Hashable, Sendable {
  /// 1...64 characters of `[A-Za-z0-9]`.
  public var id: String
  /// SHA-256 of the secret, 32 bytes.
  public var secretHash: [UInt8]
  public var scopes: Set<KeyScope>
  public var createdAt: Instant
  public var expiresAt: Instant?

  public init(
    id: String, secretHash: [UInt8], scopes: Set<KeyScope>, createdAt: Instant, expiresAt: Instant? = nil
  ) {
    self.id = id
    self.secretHash = secretHash
    self.scopes = scopes
    self.createdAt = createdAt
    self.expiresAt = expiresAt
  }
}
