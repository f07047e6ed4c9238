import CarillonModel
import CarillonPostgres

extension Query where Answer == KeyUse {
  /// Of a device's own key.
  static func keyUse(
    _ key: IdempotencyKey, tenant: TenantID, device: DeviceID, now: Instant
  ) -> Query {
    Query(.deviceIdempotencyKeysFind) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.name(of: key)
      parameters.instant(key.liveSince(now))
    } read: {
      KeyUse($0, key)
    }
  }

  /// Of a tenant's key, whatever it was about.
  static func keyUse(_ key: IdempotencyKey, tenant: TenantID, now: Instant) -> Query {
    Query(.deviceIdempotencyKeysSearch) { parameters in
      parameters.tenant(tenant)
      parameters.name(of: key)
      parameters.instant(key.liveSince(now))
      parameters.bytea(key.fingerprint)
    } read: {
      KeyUse($0, key)
    }
  }
}

extension Query where Answer == Void {
  /// Fails when the key is in use.
  static func keep(_ draft: AnswerDraft, tenant: TenantID, device: DeviceID) -> Query {
    Query(.deviceIdempotencyKeysKeep) { parameters in
      parameters.tenant(tenant)
      parameters.device(device)
      parameters.draft(draft, hasTail: false)
    } read: { _ in
    }
  }

  /// Fails when the key is in use.
  static func keep(_ draft: AnswerDraft, tenant: TenantID) -> Query {
    Query(.tenantIdempotencyKeysKeep) { parameters in
      parameters.tenant(tenant)
      parameters.tenantDraft(draft)
    } read: { _ in
    }
  }

  static func trimKeys(tenant: TenantID) -> Query {
    Query(.tenantIdempotencyKeysTrim) { parameters in
      parameters.tenant(tenant)
      parameters.count(IdempotencyLimits.keysPerTenant)
    } read: { _ in
    }
  }
}

extension Query where Answer == Int {
  /// How many went.
  static func purgeKeys(
    _ name: StatementName, tenant: TenantID, before: Instant, limit: Int
  ) -> Query {
    Query(name) { parameters in
      parameters.tenant(tenant)
      parameters.instant(before)
      parameters.count(limit)
    } read: {
      $0.affected
    }
  }
}

extension KeyUse {
  fileprivate init(_ rows: Rows, _ key: IdempotencyKey) {
    guard rows.count == 1 else {
      self = .unused
      return
    }
    guard rows.bytes(0, 0) == key.fingerprint else {
      self = .otherRequest
      return
    }
    guard let status = rows.optional(0, 1, Rows.version) else {
      self = .begun(part: rows.bytes(0, 3))
      return
    }
    self = .answered(
      KeptAnswer(status: status, entityTag: rows.optional(0, 2, Rows.text), body: rows.bytes(0, 3)))
  }
}

extension Parameters {
  fileprivate mutating func name(of key: IdempotencyKey) {
    text(key.principal.word)
    text(key.text)
  }

  /// In the order of `carillon.keep_answer`; behind the body its tail, where there is one.
  mutating func draft(_ draft: AnswerDraft, hasTail: Bool) {
    instant(draft.now)
    name(of: draft.key)
    bytea(draft.key.fingerprint)
    version(draft.isPart ? nil : draft.answer.status)
    text(draft.answer.entityTag)
    bytea(draft.answer.body)
    if hasTail { bytea(draft.tail) }
    instant(draft.key.liveSince(draft.now))
    count(IdempotencyLimits.keysPerDevice)
  }

  /// In the order of the columns of `carillon.tenant_idempotency_keys`.
  mutating func tenantDraft(_ draft: AnswerDraft) {
    name(of: draft.key)
    bytea(draft.key.fingerprint)
    version(draft.isPart ? nil : draft.answer.status)
    text(draft.answer.entityTag)
    bytea(draft.answer.body)
    instant(draft.now)
    instant(draft.key.liveSince(draft.now))
  }
}

extension IdempotencyKey.Principal {
  /// As it is stored. A device's keys stand in its own rows, so it need not be named.
  fileprivate var word: String {
    switch self {
    case .tenantKey(let id): "key:\(id)"
    case .device: "device"
    }
  }
}
