import CarillonModel
import CarillonStore

/// What is known of idempotency keys. Answers with an effect are kept by the use case that has it.
public final class IdempotencyService {
  private let store: Store

  public init(store: Store) { self.store = store }

  public func use(
    of key: IdempotencyKey, tenant: TenantID, now: Instant
  ) async throws(ServiceError) -> KeyUse {
    try await storing { () async throws(StoreError) in try await store.use(of: key, tenant: tenant, now: now)
    }
  }

  /// Keeps the answer to a request that had no effect.
  ///
  /// - Parameter device: that it was about; nil: none.
  /// - Returns: whether it is kept: not where the device is not there.
  /// - Throws: ``StoreError/overtaken`` when another request was answered under the key meanwhile.
  @discardableResult
  public func keep(
    _ answer: KeptAnswer, under key: IdempotencyKey, tenant: TenantID, device: DeviceID?, now: Instant
  ) async throws(ServiceError) -> Bool {
    try await storing { () async throws(StoreError) in
      try await store.keep(AnswerDraft(key: key, answer: answer, now: now), tenant: tenant, device: device)
    }
  }

  /// Notes that a batch has begun.
  public func beginBatch(
    _ key: IdempotencyKey, tenant: TenantID, now: Instant
  ) async throws(ServiceError) {
    try await storing { () async throws(StoreError) in
      try await store.beginBatch(key, tenant: tenant, now: now)
    }
  }

  /// What became of a device's part of a batch; nil: nothing yet.
  public func keptPart(
    of key: IdempotencyKey, tenant: TenantID, device: DeviceID, now: Instant
  ) async throws(ServiceError) -> [UInt8]? {
    try await storing { () async throws(StoreError) in
      try await store.keptPart(of: key, tenant: tenant, device: device, now: now)
    }
  }
}
