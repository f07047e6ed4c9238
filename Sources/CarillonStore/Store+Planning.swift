import CarillonModel
import CarillonPostgres

/// For planning many devices of a tenant without writing anything.
extension Store {
  public func deviceCount(tenant: TenantID) async throws(StoreError) -> Int {
    try await run(.deviceCount(tenant: tenant), tenant: tenant)
  }

  /// At most `limit` devices, chosen by a hash of their ids: the same ones as long as no device comes or goes, and
  /// spread evenly however the ids were made. In the order of the ids.
  public func sampleDevices(tenant: TenantID, limit: Int) async throws(StoreError) -> [DeviceID] {
    try await run(.deviceSample(tenant: tenant, limit: limit), tenant: tenant).sorted { $0.uuid < $1.uuid }
  }

  /// Those of the devices that are there, read in one transaction.
  public func planningSnapshots(
    tenant: TenantID, devices: [DeviceID]
  ) async throws(StoreError) -> [PlanningSnapshot] {
    guard let first = devices.first else { return [] }
    let reads = devices.map { PlanningRead(tenant: tenant, device: $0) }
    let rows = try await run(reads.flatMap(\.statements), tenant: tenant, order: first.uuid)
    var snapshots: [PlanningSnapshot] = []
    for (index, read) in reads.enumerated() {
      if let snapshot = try read.snapshot(rows[(4 * index)..<(4 * index + 4)]) { snapshots.append(snapshot) }
    }
    return snapshots
  }
}

extension OperatorStore {
  public func deviceCount(tenant: TenantID) async throws(StoreError) -> Int {
    try await run(.deviceCount(tenant: tenant))
  }

  /// As ``Store/sampleDevices(tenant:limit:)``.
  public func sampleDevices(tenant: TenantID, limit: Int) async throws(StoreError) -> [DeviceID] {
    try await run(.deviceSample(tenant: tenant, limit: limit)).sorted { $0.uuid < $1.uuid }
  }

  /// A page of all devices, in the order of the ids.
  public func deviceIDs(
    tenant: TenantID, after: DeviceID?, limit: Int
  ) async throws(StoreError) -> [DeviceID] {
    guard let first = DeviceID.following(after) else { return [] }
    return try await run(.deviceIDs(tenant: tenant, from: first, limit: limit))
  }

  /// Nil when there is no such device. Four statements with no transaction around them: a queue that is written
  /// meanwhile is read as it was before or after.
  public func planningSnapshot(
    tenant: TenantID, device: DeviceID
  ) async throws(StoreError) -> PlanningSnapshot? {
    let read = PlanningRead(tenant: tenant, device: device)
    var rows: [Rows] = []
    for statement in read.statements { rows.append(try await run(statement)) }
    return try read.snapshot(rows[...])
  }
}

/// The four statements that read what one device is planned from.
private struct PlanningRead {
  let device: Query<StoredDevice?>
  let queue: Query<[StoredEntry]>
  let plan: Query<PlanSummary?>
  let truth: Query<DeviceTruth?>

  init(tenant: TenantID, device: DeviceID) {
    self.device = .device(tenant: tenant, device: device)
    queue = .heads(tenant: tenant, device: device)
    plan = .planSummary(tenant: tenant, device: device)
    truth = .truth(tenant: tenant, device: device)
  }

  var statements: [Statement] { [device.statement, queue.statement, plan.statement, truth.statement] }

  /// - Parameter rows: of the four, in their order.
  func snapshot(_ rows: ArraySlice<Rows>) throws(StoreError) -> PlanningSnapshot? {
    let first = rows.startIndex
    guard let device = try device.read(rows[first]) else { return nil }
    return PlanningSnapshot(
      device: device, queue: try queue.read(rows[first + 1]), plan: try plan.read(rows[first + 2]),
      truth: try truth.read(rows[first + 3]) ?? DeviceTruth())
  }
}
