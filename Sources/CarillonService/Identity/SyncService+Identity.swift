import CarillonAPI
import CarillonModel
import CarillonStore

extension SyncService {
  /// Syncs the copy of an installation under an id of its own, and tells it that id.
  ///
  /// The id is made once: with the sync that brings it into the world it is written down for (id, key), so a retry,
  /// or a report that was under way at the same time, finds it. Nothing of the first installation goes along.
  ///
  /// - Returns: nil when somebody else was faster: begin again.
  func syncCopy(
    _ incoming: IncomingReport, of original: DeviceID, deviceKey: String
  ) async throws(ServiceError) -> SyncAnswer? {
    let claim = IdentityClaim.fork(of: original, deviceKey: deviceKey)
    let holders = try await storing { () async throws(StoreError) in
      try await store.holders(of: [claim], tenant: incoming.tenant)
    }
    let known = holders[claim]
    return try await attempt(
      incoming, as: known ?? makeDeviceID(), copyOf: known == nil ? original : nil)
  }

  /// What a report changes of who has the phone's key and the push token.
  ///
  /// - Parameters:
  ///   - loaded: as it was loaded; nil for a new device.
  ///   - begun: the same, without what a successor does not take over.
  ///   - info: after the report.
  ///   - original: the installation of which this new one is a copy.
  /// - Returns: nil when nothing changes, as for all reports but a few.
  func identityChange(
    from loaded: StoredDevice?, to begun: StoredDevice?, as device: DeviceID, info: DeviceInfo,
    copyOf original: DeviceID?, tenant: TenantID
  ) async throws(ServiceError) -> IdentityChange? {
    let held = loaded.map { IdentityClaim.all(of: $0.state.info) } ?? []
    let wanted = IdentityClaim.all(of: info)
    let returns = loaded?.lineage.supersededAt != nil
    var change = IdentityChange()
    change.startsAnew = loaded?.rowVersion != begun?.rowVersion
    change.forkedFrom = original
    change.released = held.filter { !wanted.contains($0) }.map { .init($0, by: device) }
    let missing = returns ? wanted : wanted.filter { !held.contains($0) }
    guard returns || change.startsAnew || !missing.isEmpty || !change.released.isEmpty else { return nil }
    // Never taken from another: when there is one by now, this one is not to be.
    if let original, let key = info.deviceKey { change.claimed = [.fork(of: original, deviceKey: key)] }
    try await take(missing, for: device, tenant: tenant, into: &change)
    return change
  }

  private func take(
    _ missing: [IdentityClaim], for device: DeviceID, tenant: TenantID, into change: inout IdentityChange
  ) async throws(ServiceError) {
    let holders = try await storing { () async throws(StoreError) in
      try await store.holders(of: missing, tenant: tenant)
    }
    for claim in missing {
      guard let holder = holders[claim] else {
        change.claimed.append(claim)
        continue
      }
      if holder == device { continue }
      change.moved.append(.init(claim, by: holder))
      if claim.isDeviceKey { try await releaseToken(of: holder, tenant: tenant, into: &change) }
    }
  }

  /// Who is superseded loses its push token, which nobody else may have claimed.
  private func releaseToken(
    of other: DeviceID, tenant: TenantID, into change: inout IdentityChange
  ) async throws(ServiceError) {
    let found = try await storing { () async throws(StoreError) in
      try await store.device(tenant: tenant, device: other)
    }
    let claims = found.map { IdentityClaim.all(of: $0.state.info) } ?? []
    for claim in claims where !claim.isDeviceKey { change.released.append(.init(claim, by: other)) }
  }
}
