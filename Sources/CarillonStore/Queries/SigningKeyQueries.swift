import CarillonModel
import CarillonPostgres

extension Query where Answer == FoundSigningKey? {
  static func signingKey(id: String) -> Query {
    .first(.signingKeysLookup, { $0.text(id) }) { (rows, row) throws(StoreError) in
      FoundSigningKey(
        StoredSigningKey(rows, row), tenantStatus: try TenantStatus(stored: rows.text(row, 6)))
    }
  }
}

extension Query where Answer == StoredSigningKey? {
  static func currentSigningKey(tenant: TenantID) -> Query {
    .first(.signingKeysCurrent, { $0.tenant(tenant) }, row: StoredSigningKey.init)
  }
}

extension Query where Answer == [StoredSigningKey] {
  static func signingKeys(tenant: TenantID) -> Query {
    .list(.signingKeysList, { $0.tenant(tenant) }, row: StoredSigningKey.init)
  }

  /// Of all tenants.
  static func allSigningKeys() -> Query { .list(.signingKeysAll, row: StoredSigningKey.init) }

  static func retireSigningKeys(tenant: TenantID, at instant: Instant) -> Query {
    .list(
      .signingKeysRetire,
      { parameters in
        parameters.tenant(tenant)
        parameters.instant(instant)
      }, row: StoredSigningKey.init)
  }
}

extension Query where Answer == Void {
  static func insertSigningKey(_ key: StoredSigningKey) -> Query {
    Query(.signingKeysInsert) { parameters in
      parameters.tenant(key.tenant)
      parameters.text(key.id)
      parameters.bytea(key.sealedSecret)
      parameters.text(key.masterKey)
      parameters.instant(key.createdAt)
    } read: { _ in
    }
  }

  static func forgetSigningKeys(tenant: TenantID, retiredBefore instant: Instant) -> Query {
    Query(.signingKeysForget) { parameters in
      parameters.tenant(tenant)
      parameters.instant(instant)
    } read: { _ in
    }
  }
}

extension Query where Answer == Bool {
  /// - Parameter key: with its new seal.
  static func resealSigningKey(_ key: StoredSigningKey, from masterKey: String) -> Query {
    Query(.signingKeysReseal) { parameters in
      parameters.tenant(key.tenant)
      parameters.text(key.id)
      parameters.text(masterKey)
      parameters.bytea(key.sealedSecret)
      parameters.text(key.masterKey)
    } read: {
      $0.count == 1
    }
  }
}

extension StoredSigningKey {
  fileprivate init(_ rows: Rows, _ row: Int) {
    self.init(
      id: rows.text(row, 1), tenant: rows.tenant(row, 0), sealedSecret: rows.bytes(row, 2),
      masterKey: rows.text(row, 3), createdAt: rows.instant(row, 4),
      retiresAt: rows.optional(row, 5, Rows.instant))
  }
}
