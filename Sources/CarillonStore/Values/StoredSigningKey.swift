import CarillonModel

/// A key that signs a tenant's device tokens, as it is kept.
public struct StoredSigningKey: Hashable, Sendable {
  /// Twelve characters `a`...`z`, `2`...`7`: the tokens' `kid`.
  public var id: String
  public var tenant: TenantID
  /// The 32 bytes it signs with, sealed under the master key; whoever has that opens it.
  public var sealedSecret: [UInt8]
  /// The fingerprint of that master key.
  public var masterKey: String
  public var createdAt: Instant
  /// From then on its tokens are refused. Nil: this one signs.
  public var retiresAt: Instant?

  public init(
    id: String, tenant: TenantID, sealedSecret: [UInt8], masterKey: String, createdAt: Instant,
    retiresAt: Instant? = nil
  ) {
    self.id = id
    self.tenant = tenant
    self.sealedSecret = sealedSecret
    self.masterKey = masterKey
    self.createdAt = createdAt
    self.retiresAt = retiresAt
  }
}

/// A signing key, and whether its tenant may use the service.
public struct FoundSigningKey: Hashable, Sendable {
  public var key: StoredSigningKey
  public var tenantStatus: TenantStatus

  public init(_ key: StoredSigningKey, tenantStatus: TenantStatus) {
    self.key = key
    self.tenantStatus = tenantStatus
  }
}
