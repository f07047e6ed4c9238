import CarillonModel
import CarillonPostgres

extension Query where Answer == StoredPlan? {
  static func plan(tenant: TenantID, device: DeviceID) -> Query {
    .first(.plansGet) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } row: { rows, row in
      StoredPlan(
        version: rows.version(row, 0), policyVersion: rows.version(row, 1), zoneData: rows.text(row, 2),
        document: rows.bytes(row, 3), computedAt: rows.instant(row, 4))
    }
  }
}

extension Query where Answer == PlanSummary? {
  static func planSummary(tenant: TenantID, device: DeviceID) -> Query {
    .first(.plansSummary) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
    } row: { rows, row in
      PlanSummary(
        version: rows.version(row, 0), policyVersion: rows.version(row, 1), zoneData: rows.text(row, 2),
        digest: rows.digest(row, 3), computedAt: rows.instant(row, 9),
        sent: rows.textArray(row, 4).map { NotificationID(unchecked: $0) },
        validUntil: rows.optional(row, 5, Rows.instant), deliveries: rows.bytes(row, 6),
        nextFireAt: rows.optional(row, 7, Rows.instant), document: rows.bytes(row, 8))
    }
  }
}
