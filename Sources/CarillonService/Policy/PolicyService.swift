import CarillonModel
import CarillonStore

/// A tenant's policy and its history. What a document must be is checked when it is decoded.
public final class PolicyService {
  private let store: Store

  public init(store: Store) { self.store = store }

  /// The document of a version, or the current one. Before the first, version 0 with an empty document: no policy
  /// and `{}` mean the same.
  public func policy(tenant: TenantID, version: Int? = nil) async throws(ServiceError) -> StoredPolicy? {
    try await storing { () async throws(StoreError) in
      if let version { return try await store.policy(tenant: tenant, version: version) }
      return try await store.policy(tenant: tenant)
    }
  }

  /// - Parameters:
  ///   - expectedVersion: the version the writer has seen; nil is allowed for the first policy only.
  ///   - keeping: of the version it becomes, for a request that may come again; nil: nothing is kept.
  ///   - audit: what is kept of who did it.
  public func put(
    _ document: [UInt8], expectedVersion: Int?, tenant: TenantID, keeping: Keeping<Int>? = nil, now: Instant,
    audit: AuditEntry? = nil
  ) async throws(ServiceError) -> PolicyChange {
    // Whatever a client says it has seen: the answer kept of a version that there is not is never written.
    let next = min(expectedVersion ?? 0, StoredNumbers.versions.upperBound) + 1
    return try await storing { () async throws(StoreError) in
      try await store.putPolicy(
        tenant: tenant, document: document, expectedVersion: expectedVersion,
        keeping: keeping?.draft(next, now: now), at: now, audit: audit)
    }
  }

  /// Newest first.
  public func versions(
    tenant: TenantID, before: Int?, limit: Int
  ) async throws(ServiceError) -> [PolicyVersion] {
    try await storing { () async throws(StoreError) in
      try await store.policyVersions(tenant: tenant, before: before, limit: limit)
    }
  }
}
