import CarillonModel
import CarillonPostgres

extension Store {
  /// Who has what; a claim that nobody has is left out.
  public func holders(
    of claims: [IdentityClaim], tenant: TenantID
  ) async throws(StoreError) -> [IdentityClaim: DeviceID] {
    if claims.isEmpty { return [:] }
    let found = try await run(.holders(tenant: tenant, claims: claims), tenant: tenant)
    var holders: [IdentityClaim: DeviceID] = [:]
    for claim in claims { holders[claim] = found[claim.text] }
    return holders
  }
}

/// The statements around that of a sync, in one transaction with it.
struct IdentityStatements {
  private(set) var before: [Statement] = []
  private(set) var after: [Statement] = []

  init(_ change: DeviceChange, tenant: TenantID, device: DeviceID) {
    guard let identity = change.identity, let sequence = change.sequence else { return }
    let now = change.now
    if identity.startsAnew, let expected = change.expectedRowVersion {
      before.append(Query.takeOver(tenant: tenant, device: device, expected: expected - 1).statement)
    }
    // In the order of their keys, so that two that want the same ones wait and do not deadlock.
    let claims = identity.claimed.map { ($0, nil) } + identity.moved.map { ($0.claim, Optional($0.holder)) }
    for (claim, holder) in claims.sorted(by: { $0.0.text < $1.0.text }) {
      before.append(Query.claim(claim, from: holder, tenant: tenant, device: device, now: now).statement)
    }
    for held in identity.released {
      before.append(Query.release(held.claim, tenant: tenant, holder: held.holder).statement)
    }
    after.append(
      Query.settle(
        tenant: tenant, device: device, rowVersion: (change.expectedRowVersion ?? 0) + 1, sequence: sequence,
        forkedFrom: identity.forkedFrom
      ).statement)
    for lost in identity.moved.sorted(by: { $0.holder.uuid < $1.holder.uuid }) {
      after.append(Query.displace(lost, tenant: tenant, by: device, now: now).statement)
    }
  }
}

extension StoreError {
  /// Somebody else was faster with what was claimed, or changed one of the devices: all of it is undone.
  var isLostRace: Bool {
    guard case .database(let error) = self else { return false }
    return error.sqlState == "CA001"
      || error.constraint == "identity_claims_pkey" || error.constraint == "identity_claims_race_check"
  }
}
