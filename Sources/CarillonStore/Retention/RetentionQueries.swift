import CarillonModel
import CarillonPostgres

extension Rows {
  fileprivate func uuid128(_ row: Int, _ column: Int) -> UUID128 {
    let words = uuid(row, column)
    return UUID128(high: words.high, low: words.low)
  }
}

extension Parameters {
  fileprivate mutating func uuid128(_ id: UUID128) { uuid(high: id.high, low: id.low) }
}

extension Query where Answer == TenantID? {
  static func retentionTenant(after tenant: TenantID?) -> Query {
    Query(.retentionTenant) { parameters in
      parameters.uuid128(tenant?.uuid ?? UUID128(high: 0, low: 0))
    } read: {
      $0.optional(0, 0, Rows.tenant)
    }
  }
}

extension Query where Answer == [DeviceID] {
  static func retentionDevices(
    tenant: TenantID, from first: DeviceID, before next: DeviceID?, keeping periods: RetentionPeriods
  ) -> Query {
    .list(
      .retentionDevices,
      { parameters in
        parameters.tenant(tenant)
        parameters.device(first)
        parameters.uuid(next.map { ($0.uuid.high, $0.uuid.low) })
        parameters.instant(periods.eventsFrom)
        parameters.instant(periods.deliveriesFrom)
        parameters.day(periods.evictionsFrom)
      }, row: { rows, row in rows.device(row, 0) })
  }
}

extension Query where Answer == DevicePurge {
  static func retentionDevice(tenant: TenantID, device: DeviceID, keeping periods: RetentionPeriods) -> Query
  {
    Query(.retentionDevice) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.instant(periods.eventsFrom)
      parameters.instant(periods.deliveriesFrom)
      parameters.day(periods.evictionsFrom)
    } read: {
      DevicePurge(events: Int($0.int(0, 0)), deliveries: Int($0.int(0, 1)), evictions: Int($0.int(0, 2)))
    }
  }
}

extension Query where Answer == UUID128? {
  static func retentionInboxBound(tenant: TenantID, after first: UUID128, limit: Int) -> Query {
    .first(
      .retentionInboxBound,
      { parameters in
        parameters.tenant(tenant)
        parameters.uuid128(first)
        parameters.int8(Int64(limit))
      }, row: { rows, row in rows.uuid128(row, 0) })
  }
}

extension Query where Answer == [UUID128] {
  static func retentionInboxes(
    tenant: TenantID, from first: UUID128, before next: UUID128?, dueBy end: Instant
  ) -> Query {
    .list(
      .retentionInboxes,
      { parameters in
        parameters.tenant(tenant)
        parameters.uuid128(first)
        parameters.uuid(next.map { ($0.high, $0.low) })
        parameters.instant(end)
      }, row: { rows, row in rows.uuid128(row, 0) })
  }
}

/// How many rows went.
extension Query where Answer == Int {
  static func retentionInbox(tenant: TenantID, inbox: UUID128, dueBy end: Instant) -> Query {
    deletion(.retentionInbox) { parameters in
      parameters.tenant(tenant)
      parameters.uuid128(inbox)
      parameters.instant(end)
    }
  }

  static func retentionPolicies(tenant: TenantID, keeping versions: Int) -> Query {
    deletion(.retentionPolicies) { parameters in
      parameters.tenant(tenant)
      parameters.count(versions)
    }
  }

  static func retentionCounts(before day: CivilDate, tenant: TenantID, limit: Int) -> Query {
    deletion(.retentionReportCounts) { parameters in
      parameters.tenant(tenant)
      parameters.day(day)
      parameters.int8(Int64(limit))
    }
  }

  static func retentionDays(before day: CivilDate, tenant: TenantID) -> Query {
    deletion(.reportDaysForget) { parameters in
      parameters.tenant(tenant)
      parameters.day(day)
    }
  }

  private static func deletion(_ name: StatementName, _ build: (inout Parameters) -> Void) -> Query {
    Query(name, build, read: \.affected)
  }
}
