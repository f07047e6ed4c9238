import CarillonModel

/// A tenant as the operator sees it.
public struct StoredTenant: Hashable, Sendable {
  public var id: TenantID
  public var name: String
  public var status: TenantStatus
  /// 0 before the first policy.
  public var policyVersion: Int
  public var createdAt: Instant

  public init(id: TenantID, name: String, status: TenantStatus, policyVersion: Int, createdAt: Instant) {
    self.id = id
    self.name = name
    self.status = status
    self.policyVersion = policyVersion
    self.createdAt = createdAt
  }
}

/// The answer to a request for a new tenant.
public enum TenantCreation: Hashable, Sendable {
  case created
  /// A tenant of this name, or of this id, exists; nothing was changed.
  case taken
}

/// The answer to a request for a new key.
public enum KeyCreation: Hashable, Sendable {
  case created
  /// A key of this id exists; nothing was changed.
  case taken
  /// There is no such tenant.
  case noTenant
  /// The tenant is being imported or deleted; nothing was changed.
  case busy
}
