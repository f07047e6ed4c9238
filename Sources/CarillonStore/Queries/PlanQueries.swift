import CarillonModel
import CarillonPostgres

extension Query where Answer == StoredPlan? {
  static func plan(tenant: TenantID, device: DeviceID) -> Query {
    .first(.plansGet) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } row: { (rows, row) throws(StoreError) in
      StoredPlan(
        version: try rows.countedVersion(row, 0), policyVersion: rows.version(row, 1),
        zoneData: rows.text(row, 2),
        document: rows.bytes(row, 3), computedAt: rows.instant(row, 4))
    }
  }
}

extension Query where Answer == PlanSummary? {
  static func planSummary(tenant: TenantID, device: DeviceID) -> Query {
    .first(.plansSummary) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } row: { (rows, row) throws(StoreError) in
      try PlanSummary(rows, row)
    }
  }
}

extension PlanSummary {
  /// - Parameter first: where its columns begin.
  init(_ rows: Rows, _ row: Int, from first: Int = 0) throws(StoreError) {
    self.init(
      version: try rows.countedVersion(row, first), policyVersion: rows.version(row, first + 1),
      zoneData: rows.text(row, first + 2), digest: rows.digest(row, first + 3),
      computedAt: rows.instant(row, first + 9),
      sent: rows.textArray(row, first + 4).map { NotificationID(unchecked: $0) },
      validUntil: rows.optional(row, first + 5, Rows.instant), deliveries: rows.bytes(row, first + 6),
      nextFireAt: rows.optional(row, first + 7, Rows.instant), document: rows.bytes(row, first + 8))
  }
}
