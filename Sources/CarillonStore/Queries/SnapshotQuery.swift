import CarillonModel
import CarillonPostgres

/// Where the parts of `devices_snapshot` begin; each has a column that is null where the part is not there.
private enum Column {
  static let device = 3
  static let plan = 33
  static let priming = 43
  /// Never null in a row of its own.
  static let postpones = priming + 3
  static let truth = 53
  /// Never null in a row of its own.
  static let waiting = truth + 1
}

extension Query where Answer == DeviceSnapshot {
  /// Without the queue, the inbox and what came due.
  static func snapshot(tenant: TenantID, device: DeviceID, knownPolicyVersion: Int?) -> Query {
    Query(.devicesSnapshot) { parameters in
      parameters.tenant(tenant)
      parameters.version(knownPolicyVersion ?? -1)
      parameters.device(device)
    } read: { (rows) throws(StoreError) in
      var snapshot = DeviceSnapshot(
        policyVersion: 0, policyDocument: nil, device: nil, queue: [], plan: nil, priming: PrimingFacts())
      guard rows.count == 1 else { return snapshot }
      let policy = PolicyIfNews(rows)
      snapshot.policyVersion = policy.version
      snapshot.policyDocument = policy.document
      snapshot.retentionAt = policy.retentionAt
      if !rows.isNull(0, Column.device) {
        snapshot.device = try StoredDevice(rows, 0, from: Column.device)
      }
      if !rows.isNull(0, Column.plan) { snapshot.plan = PlanSummary(rows, 0, from: Column.plan) }
      if !rows.isNull(0, Column.postpones) {
        snapshot.priming = PrimingFacts(rows, 0, from: Column.priming)
      }
      if !rows.isNull(0, Column.waiting) {
        snapshot.truth = try DeviceTruth(rows, 0, from: Column.truth)
      }
      return snapshot
    }
  }
}
