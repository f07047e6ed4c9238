import CarillonModel
import CarillonPlanner
import CarillonStore

/// Tries a policy on devices of a tenant. Reads only, a few devices at a time: other requests of the loop come between.
public final class PreviewService {
  /// So many devices are read in one round trip.
  static let devicesPerRead = 8

  private let store: Store
  private let zones: any ZoneLookup

  public init(store: Store, zones: any ZoneLookup) {
    self.store = store
    self.zones = zones
  }

  /// - Parameters:
  ///   - sample: how many devices are planned, at most.
  ///   - device: whose two plans are shown.
  /// - Throws: `noSuchDevice` when that device is not there.
  public func preview(
    _ policy: Policy, sample: Int, device: DeviceID?, tenant: TenantID, now: Instant
  ) async throws(ServiceError) -> PolicyPreview {
    let current = try await storing { () async throws(StoreError) in try await store.policy(tenant: tenant) }
    let trial = try PolicyTrial(policy, against: current, zones: zones, now: now)
    var shown: PlanPair?
    if let device { shown = try await plans(of: device, by: trial, tenant: tenant) }
    let (total, devices) = try await storing { () async throws(StoreError) in
      (
        try await store.deviceCount(tenant: tenant),
        sample == 0 ? [] : try await store.sampleDevices(tenant: tenant, limit: sample)
      )
    }
    var preview = trial.preview(total: total)
    preview.shown = shown
    for start in stride(from: 0, to: devices.count, by: Self.devicesPerRead) {
      let part = Array(devices[start..<min(start + Self.devicesPerRead, devices.count)])
      for snapshot in try await snapshots(of: part, tenant: tenant) {
        preview.add(try trial.plans(of: snapshot))
        await Task.yield()
      }
    }
    return preview
  }

  private func plans(
    of device: DeviceID, by trial: PolicyTrial, tenant: TenantID
  ) async throws(ServiceError) -> PlanPair {
    guard let snapshot = try await snapshots(of: [device], tenant: tenant).first else { throw .noSuchDevice }
    guard let plans = try trial.plans(of: snapshot) else {
      throw .unknownTimeZone(name: snapshot.device.state.info.timeZone ?? "", pointer: "/deviceId")
    }
    return plans
  }

  private func snapshots(
    of devices: [DeviceID], tenant: TenantID
  ) async throws(ServiceError) -> [PlanningSnapshot] {
    try await storing { () async throws(StoreError) in
      try await store.planningSnapshots(tenant: tenant, devices: devices)
    }
  }
}
