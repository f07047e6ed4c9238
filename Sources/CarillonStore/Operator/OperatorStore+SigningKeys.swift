import CarillonModel
import CarillonPostgres

extension OperatorStore {
  /// Oldest first.
  public func signingKeys(tenant: TenantID) async throws(StoreError) -> [StoredSigningKey] {
    try await run(.signingKeys(tenant: tenant))
  }

  /// Lets every signing key of the tenant end at that time, if it does not end before. None of them signs any more:
  /// the tenant's next token makes a new one. Keys that ended before `now` are forgotten.
  ///
  /// - Returns: those that are left.
  public func retireSigningKeys(
    tenant: TenantID, at instant: Instant, now: Instant
  ) async throws(StoreError) -> [StoredSigningKey] {
    let entry = entry(.keyRotateSigning, at: now, details: ["retiresAt": instant.text])
    return try await recording(entry, tenant: tenant, when: { _ in true }) { () async throws(StoreError) in
      try await self.run(.forgetSigningKeys(tenant: tenant, retiredBefore: now))
      let left = try await self.run(.retireSigningKeys(tenant: tenant, at: instant))
      try await self.run(.announceCredentials())
      return left
    }
  }

  /// What a change of the master key has done.
  public struct Resealing: Hashable, Sendable {
    /// Sealed anew.
    public var resealed = 0
    /// Were sealed under the new master key already.
    public var unchanged = 0

    public init() {}
  }

  /// Seals every secret anew, all or none.
  ///
  /// - Parameters:
  ///   - isDry: only tries.
  ///   - audit: written when something was sealed anew; nil: nobody is to be told of.
  ///   - reseal: gives a key its new seal, nil when it has it; what it throws undoes all.
  public func resealSigningKeys(
    isDry: Bool, audit: AuditEntry? = nil, _ reseal: (StoredSigningKey) throws -> StoredSigningKey?
  ) async throws -> Resealing {
    try await connection.transaction {
      var done = Resealing()
      for key in try await self.run(.allSigningKeys()) {
        guard let sealed = try reseal(key) else {
          done.unchanged += 1
          continue
        }
        // One that somebody else has sealed anew meanwhile, or that is gone, is no longer ours to do.
        if isDry {
          done.resealed += 1
        } else if try await self.run(.resealSigningKey(sealed, from: key.masterKey)) {
          done.resealed += 1
        }
      }
      if let audit, !isDry, done.resealed > 0 { try await self.run(.audit(audit, tenant: nil)) }
      return done
    }
  }
}
