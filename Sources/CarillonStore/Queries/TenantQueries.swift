import CarillonModel
import CarillonPostgres

extension Query where Answer == StoredKey? {
  static func key(id: String) -> Query {
    .first(.apiKeysLookup, { $0.text(id) }, row: StoredKey.init)
  }
}

extension Query where Answer == [StoredKey] {
  static func keys(tenant: TenantID) -> Query {
    .list(.apiKeysList, { $0.tenant(tenant) }, row: StoredKey.init)
  }
}

extension Query where Answer == [StoredTenant] {
  static func tenants() -> Query { .list(.tenantsList, row: StoredTenant.init) }
}

extension Query where Answer == StoredTenant? {
  static func tenant(named name: String) -> Query {
    .first(.tenantsByName, { $0.text(name) }, row: StoredTenant.init)
  }
}

extension Query where Answer == TenantLimits? {
  static func limits(tenant: TenantID) -> Query {
    .first(.tenantsLimits, { $0.tenant(tenant) }, row: TenantLimits.init)
  }

  /// - Parameter changes: those that are not named stay as they were.
  static func setLimits(_ changes: [TenantLimit: Int], tenant: TenantID) -> Query {
    .first(
      .tenantsLimitsSet,
      { parameters in
        parameters.tenant(tenant)
        for limit in TenantLimit.allCases { parameters.version(changes[limit]) }
      }, row: TenantLimits.init)
  }
}

extension Query where Answer == TenantTerms? {
  static func terms(tenant: TenantID) -> Query {
    .first(.tenantsTerms, { $0.tenant(tenant) }) { rows, row in
      let first = TenantLimit.allCases.count
      return TenantTerms(
        limits: TenantLimits(rows, row),
        retention: RetentionClock(at: rows.instant(row, first), movedAt: rows.instant(row, first + 1)))
    }
  }
}

extension TenantLimits {
  /// The columns in the order of the cases.
  fileprivate init(_ rows: Rows, _ row: Int) {
    self.init(values: TenantLimit.allCases.indices.map { rows.version(row, $0) })
  }
}

/// Whether the statement found or made its row.
extension Query where Answer == Bool {
  static func insertTenant(id: TenantID, name: String, at now: Instant) -> Query {
    Query(.tenantsInsert) { parameters in
      parameters.tenant(id)
      parameters.text(name)
      parameters.instant(now)
    } read: {
      $0.count == 1
    }
  }

  static func moveRetention(
    from old: RetentionClock, to new: RetentionClock, tenant: TenantID
  ) -> Query {
    Query(.tenantsMoveRetention) { parameters in
      parameters.tenant(tenant)
      parameters.instant(old.movedAt)
      parameters.instant(new.at)
      parameters.instant(new.movedAt)
    } read: {
      $0.count == 1
    }
  }

  static func insertKey(_ key: KeyDraft, tenant: TenantID) -> Query {
    Query(.apiKeysInsert) { parameters in
      parameters.tenant(tenant)
      parameters.text(key.id)
      parameters.bytea(key.secretHash)
      parameters.textArray(key.scopes.map(\.rawValue).sorted())
      parameters.instant(key.createdAt)
      parameters.instant(key.expiresAt)
    } read: {
      $0.count == 1
    }
  }

  static func revokeKey(id: String, tenant: TenantID, at now: Instant) -> Query {
    Query(.apiKeysRevoke) { parameters in
      parameters.tenant(tenant)
      parameters.text(id)
      parameters.instant(now)
    } read: {
      $0.count == 1
    }
  }
}

extension StoredKey {
  fileprivate init(_ rows: Rows, _ row: Int) throws(StoreError) {
    self.init(
      id: rows.text(row, 4), tenant: rows.tenant(row, 0), tenantName: rows.text(row, 1),
      tenantStatus: try TenantStatus(stored: rows.text(row, 2)), policyVersion: rows.version(row, 3),
      secretHash: rows.bytes(row, 5),
      // A scope that this version does not know gives nothing.
      scopes: Set(rows.textArray(row, 6).compactMap(KeyScope.init)),
      createdAt: rows.instant(row, 7), expiresAt: rows.optional(row, 8, Rows.instant),
      revokedAt: rows.optional(row, 9, Rows.instant))
  }
}

extension StoredTenant {
  fileprivate init(_ rows: Rows, _ row: Int) throws(StoreError) {
    self.init(
      id: rows.tenant(row, 0), name: rows.text(row, 1), status: try TenantStatus(stored: rows.text(row, 2)),
      policyVersion: rows.version(row, 3), createdAt: rows.instant(row, 4))
  }
}

extension TenantStatus {
  init(stored word: String) throws(StoreError) {
    guard let status = TenantStatus(rawValue: word) else { throw .unreadable(.tenantStatus) }
    self = status
  }
}
