import CarillonModel
import CarillonPostgres

extension Store {
  /// What a key is known for. A device's own key is looked for on that device alone, so that its requests ask one node;
  /// a tenant's on all of them.
  public func use(of key: IdempotencyKey, tenant: TenantID, now: Instant) async throws(StoreError) -> KeyUse {
    switch key.principal {
    case .device(let device):
      try await run(
        .keyUse(key, tenant: tenant, device: device, now: now), tenant: tenant, device: device)
    case .tenantKey: try await run(.keyUse(key, tenant: tenant, now: now), tenant: tenant)
    }
  }

  /// What became of a device's part of a batch; nil: nothing yet.
  public func keptPart(
    of key: IdempotencyKey, tenant: TenantID, device: DeviceID, now: Instant
  ) async throws(StoreError) -> [UInt8]? {
    let use = try await run(
      Query.keyUse(key, tenant: tenant, device: device, now: now), tenant: tenant, device: device)
    switch use {
    case .begun(let part): return part
    case .answered, .otherRequest: throw .overtaken
    case .unused: return nil
    }
  }

  /// Keeps the answer to a request without an effect.
  ///
  /// - Parameter device: that it was about; of one that is not there nothing is kept.
  /// - Returns: whether it is kept.
  /// - Throws: `overtaken` when somebody was faster.
  @discardableResult
  public func keep(
    _ draft: AnswerDraft, tenant: TenantID, device: DeviceID?
  ) async throws(StoreError) -> Bool {
    if let device {
      do {
        try await run(.keep(draft, tenant: tenant, device: device), tenant: tenant, device: device)
      } catch {
        guard error.isMissingDevice else { throw error }
        return false
      }
    } else {
      let keep = Query<Void>.keep(draft, tenant: tenant)
      let trim = Query<Void>.trimKeys(tenant: tenant)
      _ = try await run([keep.statement, trim.statement], tenant: tenant, order: tenant.uuid)
    }
    return true
  }

  /// Notes that a batch has begun, so that its key is known for it. Its parts are kept with their devices.
  ///
  /// - Throws: `overtaken` when somebody was faster.
  public func beginBatch(
    _ key: IdempotencyKey, tenant: TenantID, now: Instant
  ) async throws(StoreError) {
    let begun = AnswerDraft(key: key, answer: KeptAnswer(status: 200), isPart: true, now: now)
    let keep = Query<Void>.keep(begun, tenant: tenant)
    let trim = Query<Void>.trimKeys(tenant: tenant)
    _ = try await run([keep.statement, trim.statement], tenant: tenant, order: tenant.uuid)
  }

  /// Deletes answers that are too old to be given again; returns how many, at most `limit` of each kind.
  func purgeAnswers(
    tenant: TenantID, limit: Int, now: Instant
  ) async throws(StoreError) -> (ofDevices: Int, ofTenant: Int) {
    let before = now.adding(seconds: -IdempotencyLimits.secondsKept)
    let ofDevices = try await run(
      Query.purgeKeys(.deviceIdempotencyKeysPurge, tenant: tenant, before: before, limit: limit),
      tenant: tenant)
    let ofTenant = try await run(
      Query.purgeKeys(.tenantIdempotencyKeysPurge, tenant: tenant, before: before, limit: limit),
      tenant: tenant)
    return (ofDevices, ofTenant)
  }
}

extension StoreError {
  /// The device went meanwhile, or never was.
  fileprivate var isMissingDevice: Bool {
    guard case .database(let error) = self else { return false }
    return error.constraint == "device_idempotency_keys_device_fkey"
  }

  /// All of the transaction is undone.
  static func isOvertaken(_ error: PostgresError) -> Bool {
    error.sqlState == "CA002" || error.constraint == "tenant_idempotency_keys_use_check"
  }
}
