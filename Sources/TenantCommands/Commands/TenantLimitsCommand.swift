import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonStore

/// `tenantctl tenant limits`.
enum TenantLimitsCommand {
  static let command = Command<CommandAction>(
    "limits", "Shows how much a tenant may have and how fast it may ask, or sets it.",
    options: options.map(\.option) + [CommonOptions.dryRun], arguments: [CommonOptions.tenant],
    examples: [
      "tenantctl tenant limits acme", "tenantctl tenant limits acme --inbox-days 30",
      "tenantctl tenant limits acme --requests-per-second 500 --request-burst 2000",
    ]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    var changes: [TenantLimit: Int] = [:]
    for (limit, option) in options { changes[limit] = context.values[option] }
    let wanted = changes
    let isDry = context.values[CommonOptions.dryRun]
    let now = context.now()
    let (tenant, found) = try await context.withStore { store -> (StoredTenant, TenantLimits?) in
      let tenant = try await store.tenant(nameOrID: name)
      if !wanted.isEmpty { try TenantStatusCommands.checkIsOpen(tenant) }
      if isDry || wanted.isEmpty { return (tenant, try await store.limits(tenant: tenant.id)) }
      let limits = try await store.setLimits(wanted, tenant: tenant.id, at: now)
      // By name it would be told that it is gone.
      if limits == nil { throw TenantStatusCommands.busy(try await store.tenant(nameOrID: name)) }
      return (tenant, limits)
    }
    guard var shown = found else {
      throw CommandFailure(.notFound, "the tenant '\(name)' was removed by somebody else")
    }
    if isDry { for (limit, value) in wanted { shown[limit] = value } }
    var json = [JSONMember("name", .string(tenant.name))]
    var columns = [Column("name")]
    for limit in TenantLimit.allCases {
      json.append(JSONMember(limit.rawValue, .number(String(shown[limit]))))
      columns.append(Column(limit.rawValue, alignsRight: true))
    }
    if isDry {
      json.append(JSONMember("dryRun", true))
      columns.append(Column("dryRun"))
    }
    try context.print(.one(.object(json), columns: columns))
    return .ok
  }

  private static let options = TenantLimit.allCases.map { limit in
    (
      limit: limit,
      option: Option<Int?>.integer(limit.optionName, value: "N", in: limit.range, limit.help)
        .commandLineOnly()
    )
  }
}

extension TenantLimit {
  /// `inboxDays` as `inbox-days`.
  fileprivate var optionName: String {
    rawValue.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
  }

  fileprivate var help: String {
    switch self {
    case .inboxDays: "How many days an inbox keeps an item."
    case .inboxItems: "How many items an inbox holds at most."
    case .requestsPerSecond: "Requests a second that each server takes from the tenant."
    case .requestBurst: "Requests that a pause saves up."
    case .deviceRequestsPerSecond: "Requests a second about one device."
    case .deviceRequestBurst: "Requests about one device that a pause saves up."
    case .batchOperationsPerSecond: "Operations a second in batches."
    case .devices: "How many devices there may be; those that are there stay."
    case .notificationsPerDevice: "How many notifications the queue of a device holds."
    case .policyBytes: "How long the policy's document may be."
    }
  }
}
