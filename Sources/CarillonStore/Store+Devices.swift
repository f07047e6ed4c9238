import CarillonModel
import CarillonPostgres

extension Store {
  /// The hot path: takes a report that says nothing new. Nil when it may say something new, when the plan's time
  /// is over, when the policy has changed or when the sequence is stale: take the long way.
  public func confirmUnchanged(
    tenant: TenantID, device: DeviceID, sequence: Int64, digest: UInt64, now: Instant
  ) async throws(StoreError) -> SteadyAnswer? { fatalError() }

  /// Everything a plan needs.
  /// - Parameter knownPolicyVersion: the version whose document the caller has; it is not read again.
  public func loadDevice(
    tenant: TenantID, device: DeviceID, knownPolicyVersion: Int? = nil
  ) async throws(StoreError) -> DeviceSnapshot { fatalError() }

  /// Stores a change whole, if the device is still as it was loaded.
  public func apply(_ change: DeviceChange, tenant: TenantID, device: DeviceID) async throws(StoreError)
    -> ApplyOutcome
  { fatalError() }

  public func device(tenant: TenantID, device: DeviceID) async throws(StoreError) -> StoredDevice? {
    fatalError()
  }

  /// In the order of the ids.
  public func devices(tenant: TenantID, after: DeviceID?, limit: Int) async throws(StoreError)
    -> [StoredDevice]
  { fatalError() }

  /// The devices on which this user is signed in, at most `limit`, in the order of the ids.
  public func devicesOfUser(tenant: TenantID, userId: String, limit: Int) async throws(StoreError)
    -> [DeviceID]
  { fatalError() }

  /// Erases everything about a device; false when there was none.
  public func eraseDevice(tenant: TenantID, device: DeviceID) async throws(StoreError) -> Bool {
    fatalError()
  }
}
