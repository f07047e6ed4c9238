import CarillonModel
import CarillonPostgres

extension Parameters {
  /// A tenant, or the zeros that stand for the installation.
  fileprivate mutating func scope(_ tenant: TenantID?) {
    uuid(high: tenant?.uuid.high ?? 0, low: tenant?.uuid.low ?? 0)
  }
}

extension Query where Answer == Void {
  /// Writes an entry: to be run in the transaction of what it tells of.
  ///
  /// - Parameter tenant: nil: the installation.
  static func audit(_ entry: AuditEntry, tenant: TenantID?) -> Query {
    Query(.auditLogInsert) { parameters in
      parameters.scope(tenant)
      parameters.instant(entry.at)
      parameters.uuid(high: entry.id.high, low: entry.id.low)
      parameters.text(entry.actor.kind)
      parameters.text(entry.actor.name)
      parameters.text(entry.action.rawValue)
      parameters.text(entry.subject)
      parameters.jsonb(entry.detailsJSON)
    } read: { _ in
    }
  }

  /// Writes an entry if there is such a device, which it does not name.
  static func audit(_ entry: AuditEntry, of device: DeviceID, tenant: TenantID) -> Query {
    Query(.auditLogDevice) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.instant(entry.at)
      parameters.uuid(high: entry.id.high, low: entry.id.low)
      parameters.text(entry.actor.kind)
      parameters.text(entry.actor.name)
      parameters.text(entry.action.rawValue)
      parameters.jsonb(entry.detailsJSON)
    } read: { _ in
    }
  }
}

extension Query where Answer == [StoredAuditEntry] {
  static func auditPage(
    tenant: TenantID?, action: String?, from: Instant?, to: Instant?, after: AuditPosition?, limit: Int
  ) -> Query {
    .list(
      .auditLogPage,
      { parameters in
        parameters.uuid(tenant.map { ($0.uuid.high, $0.uuid.low) })
        parameters.text(action)
        parameters.instant(from)
        parameters.instant(to)
        parameters.instant(after?.at)
        parameters.uuid(after.map { ($0.id.high, $0.id.low) })
        parameters.count(limit)
      },
      row: { rows, row in
        let tenant = rows.tenant(row, 0)
        let id = rows.uuid(row, 2)
        return StoredAuditEntry(
          tenant: tenant.uuid == UUID128(high: 0, low: 0) ? nil : tenant,
          tenantName: rows.optional(row, 1, Rows.text), id: UUID128(high: id.high, low: id.low),
          at: rows.instant(row, 3), actorKind: rows.text(row, 4), actor: rows.text(row, 5),
          login: rows.optional(row, 6, Rows.text), action: rows.text(row, 7),
          subject: rows.optional(row, 8, Rows.text), details: rows.bytes(row, 9))
      })
  }
}
