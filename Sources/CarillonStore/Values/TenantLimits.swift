/// What an operator may set for a tenant: how much it has, and how fast it may ask.
public enum TenantLimit: String, Hashable, Sendable, CaseIterable {
  /// How long an inbox keeps an item, and how many it holds; the oldest go first.
  case inboxDays, inboxItems
  /// Requests of the tenant as a whole, on one server; the burst is what a pause saves up.
  case requestsPerSecond, requestBurst
  /// Requests about one device.
  case deviceRequestsPerSecond, deviceRequestBurst
  /// Operations in batches.
  case batchOperationsPerSecond
  /// New ones are refused beyond it; those that are there stay.
  case devices
  case notificationsPerDevice
  case policyBytes

  /// What it may be set to. The schema holds to the same.
  public var range: ClosedRange<Int> {
    switch self {
    case .inboxDays: 1...3_650
    case .inboxItems: 1...10_000
    case .requestsPerSecond, .requestBurst, .deviceRequestsPerSecond, .deviceRequestBurst,
      .batchOperationsPerSecond:
      1...1_000_000
    case .devices: 0...1_000_000_000
    case .notificationsPerDevice: 0...Store.maxQueueEntries
    case .policyBytes: 2...262_144
    }
  }

  /// Of a new tenant: no honest fleet meets it.
  public var initial: Int {
    switch self {
    case .inboxDays: 90
    case .inboxItems: 500
    case .requestsPerSecond: 10_000
    case .requestBurst: 20_000
    case .deviceRequestsPerSecond: 50
    case .deviceRequestBurst: 500
    case .batchOperationsPerSecond: 20_000
    case .devices: 10_000_000
    case .notificationsPerDevice: Store.maxQueueEntries
    case .policyBytes: 262_144
    }
  }
}

/// The limits of one tenant.
public struct TenantLimits: Hashable, Sendable {
  /// In the order of ``TenantLimit/allCases``.
  private var values: [Int]

  /// A new tenant's.
  public init() { values = TenantLimit.allCases.map(\.initial) }

  /// - Parameter values: in the order of the cases.
  init(values: [Int]) {
    precondition(values.count == TenantLimit.allCases.count, "one value a limit")
    self.values = values
  }

  public subscript(limit: TenantLimit) -> Int {
    get { values[limit.place] }
    set { values[limit.place] = newValue }
  }
}

extension TenantLimit {
  fileprivate var place: Int {
    switch self {
    case .inboxDays: 0
    case .inboxItems: 1
    case .requestsPerSecond: 2
    case .requestBurst: 3
    case .deviceRequestsPerSecond: 4
    case .deviceRequestBurst: 5
    case .batchOperationsPerSecond: 6
    case .devices: 7
    case .notificationsPerDevice: 8
    case .policyBytes: 9
    }
  }
}
