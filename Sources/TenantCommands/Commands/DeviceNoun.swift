import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonService
import CarillonStore

/// `tenantctl device`.
enum DeviceNoun {
  static let noun = Noun<CommandAction>(
    "device", "Devices of a tenant.", verbs: [list, show, history, deliveries])

  static let device = Argument.required("DEVICE", "The device's id, a UUID.")

  static func id(_ context: CommandContext) throws(CommandFailure) -> DeviceID {
    try id(context.values[device])
  }

  static func id(_ text: String) throws(CommandFailure) -> DeviceID {
    guard let id = DeviceID(text) else {
      throw CommandFailure(
        .usage, "'\(text)' is no device id", "A UUID is wanted, as in 0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0f11")
    }
    return id
  }

  static func noDevice(_ id: DeviceID, of tenant: StoredTenant) -> CommandFailure {
    CommandFailure(
      .notFound, "the tenant '\(tenant.name)' has no device '\(id.text)'",
      "'tenantctl device list \(tenant.name)' shows those it has")
  }

  private static let list = Command<CommandAction>(
    "list", "Lists the devices of a tenant, by id.", options: [CommonOptions.limit, CommonOptions.cursor],
    arguments: [CommonOptions.tenant],
    examples: ["tenantctl device list acme", "tenantctl device list acme --limit 200 -o ndjson"]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let limit = context.values[CommonOptions.limit]
    var after: DeviceID?
    if let cursor = context.values[CommonOptions.cursor] {
      after = DeviceID(cursor)
      guard after != nil else {
        throw CommandFailure(.usage, "'\(cursor)' is no cursor", "Give the 'nextCursor' of the list before")
      }
    }
    let start = after
    var devices = try await context.withStore { store in
      try await store.devices(tenant: store.tenant(nameOrID: name).id, after: start, limit: limit + 1)
    }
    // One more than was asked for tells whether anything follows.
    var next: String?
    if devices.count > limit {
      devices.removeLast()
      next = devices.last?.id.text
    }
    try context.print(
      .list(
        devices.map { json($0) },
        columns: [
          Column("deviceId"), Column("device.platform"), Column("device.appVersion"),
          Column("device.timeZone"),
          authorization, Column("planVersion", alignsRight: true), Column("seenAt"),
        ],
        nextCursor: next, notes: next.map { ["There are more: --cursor \($0)"] } ?? []))
    return .ok
  }

  private static let show = Command<CommandAction>(
    "show", "Shows a device as it last reported.", arguments: [CommonOptions.tenant, device],
    examples: ["tenantctl device show acme 0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0f11"]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let id = try id(context)
    let (found, standing) = try await context.withStore { store in
      let tenant = try await store.tenant(nameOrID: name)
      guard let device = try await store.device(tenant: tenant.id, device: id) else {
        throw noDevice(id, of: tenant)
      }
      let truth = try await store.truth(tenant: tenant.id, device: id)
      let plan = try await store.plan(tenant: tenant.id, device: id)
      return (device, try DeviceStanding(truth, plan: plan))
    }
    try context.print(
      .one(
        json(found, standing),
        columns: [
          Column("deviceId"), Column("device.platform"), Column("device.osVersion"),
          Column("device.appVersion"),
          Column("device.bundleId"), Column("device.timeZone"), Column("device.locale"),
          Column("device.userId"),
          Column("device.cohort"), authorization, Column("sequence"), Column("planVersion"),
          Column("createdAt"),
          Column("updatedAt"), Column("seenAt"), Column("pushEnvironment"), Column("forkedFrom"),
          Column("supersededBy"), Column("supersededAt"),
          Column("fatiguedAt"), Column("drift.dropped"),
          Column("drift.unplanned"), Column("drift.altered"),
          Column("drift.lastAt", heading: "LAST DRIFT AT"), Column("reach"),
          Column("unmetNeeds"),
        ]))
    return .ok
  }

  static let authorization = Column(
    "authorizationStatus", tones: ["authorized": .good, "provisional": .warning, "denied": .bad])
}

extension DeviceNoun {
  /// The wire's own form of a device, so that no credential of it comes out here either.
  private static func json(_ device: StoredDevice, _ standing: DeviceStanding? = nil) -> JSONValue {
    var item = DeviceItem(device)
    item.standing = standing
    guard let value = try? JSONValue(parsing: item.json) else { fatalError("what was written is no JSON") }
    return value
  }
}
