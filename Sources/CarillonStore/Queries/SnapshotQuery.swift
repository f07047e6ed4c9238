import CarillonModel
import CarillonPostgres

/// What is known of a device but its queue, its inbox and what came due.
struct KnownDevice {
  var device: StoredDevice?
  var plan: PlanSummary?
  var priming = PrimingFacts()
  var truth = DeviceTruth()
}

extension Query where Answer == KnownDevice {
  static func known(tenant: TenantID, device: DeviceID) -> Query {
    Query(.devicesSnapshot) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } read: { (rows) throws(StoreError) in
      var known = KnownDevice()
      guard rows.count == 1 else { return known }
      known.device = try StoredDevice(rows, 0)
      if !rows.isNull(0, Column.plan) { known.plan = try PlanSummary(rows, 0, from: Column.plan) }
      if !rows.isNull(0, Column.postpones) { known.priming = PrimingFacts(rows, 0, from: Column.priming) }
      if !rows.isNull(0, Column.waiting) { known.truth = try DeviceTruth(rows, 0, from: Column.truth) }
      return known
    }
  }
}

/// Where the parts of `devices_snapshot` begin.
private enum Column {
  static let plan = 30
  static let priming = 40
  static let truth = 50
  /// Null where the part is not there, and only then; of a plan it is its first column.
  static let postpones = priming + 3
  static let waiting = truth + 1
}
