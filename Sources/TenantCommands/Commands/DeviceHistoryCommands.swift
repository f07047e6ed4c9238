import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonService
import CarillonStore

/// `tenantctl device history` and `tenantctl device deliveries`: how a device came to be what it is, and what became
/// of what was to be announced on it. Both newest first, in the wire's own form.
extension DeviceNoun {
  static let history = Command<CommandAction>(
    "history", "Lists what a device's reports changed, newest first.",
    options: [CommonOptions.limit, CommonOptions.cursor], arguments: [CommonOptions.tenant, device],
    examples: ["tenantctl device history acme 0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0f11"]
  ) { context in
    let limit = context.values[CommonOptions.limit]
    let before = try cursor(of: .deviceHistory, context).map { cursor throws(CommandFailure) in
      guard let number = Int64(cursor.key) else { throw noCursor(cursor.text) }
      return number
    }
    var changes = try await stored(context) { store, tenant, id in
      try await store.changes(tenant: tenant, device: id, before: before, limit: limit + 1)
    }
    let next = cut(&changes, to: limit) { Cursor(list: .deviceHistory, key: String($0.number)) }
    let items = changes.map(DeviceChangeItem.init)
    var report = Report.list(
      items.map { json($0.json) },
      columns: [
        Column("at"), Column("sequence", alignsRight: true), Column("appVersion"), authorization,
        Column("fatigue", tones: ["degraded": .warning, "recovered": .good]), Column("changes.member"),
        Column("changes.from"), Column("changes.to"), Column("puts"), Column("cancels"),
      ],
      nextCursor: next, notes: more(next))
    report.sheet = DeviceHistorySheet.sheet(items)
    try context.print(report)
    return .ok
  }

  static let deliveries = Command<CommandAction>(
    "deliveries", "Lists what became of what came due on a device, newest first.",
    options: [CommonOptions.limit, CommonOptions.cursor], arguments: [CommonOptions.tenant, device],
    examples: ["tenantctl device deliveries acme 0190b5c8-6a5e-7c3e-9b1f-2d7d6c1a0f11 --limit 200 -o csv"]
  ) { context in
    let limit = context.values[CommonOptions.limit]
    let before = try cursor(of: .deliveries, context).map { cursor throws(CommandFailure) in
      guard let place = cursor.deliveryPlace else { throw noCursor(cursor.text) }
      return DeliveryKey(dueAt: place.at, notification: place.notification, wishedAt: place.wishedAt)
    }
    var deliveries = try await stored(context) { store, tenant, id in
      try await store.deliveries(tenant: tenant, device: id, before: before, limit: limit + 1)
    }
    let next = cut(&deliveries, to: limit) {
      Cursor(deliveryAt: $0.dueAt, $0.notification, wishedAt: $0.wishedAt)
    }
    try context.print(
      .list(
        deliveries.map { json(DeliveryItem($0).json) },
        columns: [
          Column("at"), Column("notification"), Column("type"),
          Column(
            "outcome",
            tones: [
              "delivered": .good, "inferredDelivered": .good, "rescued": .good, "missed": .bad,
              "removedOnDevice": .bad, "suppressed": .warning, "expired": .warning,
            ]), Column("reason"), Column("reach"), Column("unmetNeeds"), Column("tappedAt"),
        ],
        nextCursor: next, notes: more(next)))
    return .ok
  }

  private static func stored<Item: Sendable>(
    _ context: CommandContext,
    _ read: @escaping @Sendable (OperatorStore, TenantID, DeviceID) async throws -> [Item]
  ) async throws -> [Item] {
    let name = context.values[CommonOptions.tenant]
    let id = try id(context)
    return try await context.withStore { store in
      let tenant = try await store.tenant(nameOrID: name)
      guard try await store.device(tenant: tenant.id, device: id) != nil else {
        throw noDevice(id, of: tenant)
      }
      return try await read(store, tenant.id, id)
    }
  }

  private static func cursor(of list: Cursor.List, _ context: CommandContext) throws(CommandFailure)
    -> Cursor?
  {
    guard let text = context.values[CommonOptions.cursor] else { return nil }
    do { return try Cursor(text, of: list) } catch { throw noCursor(text) }
  }

  private static func noCursor(_ text: String) -> CommandFailure {
    CommandFailure(.usage, "'\(text)' is no cursor", "Give the 'nextCursor' of the list before")
  }

  /// One more than was asked for tells whether anything follows.
  private static func cut<Item>(_ items: inout [Item], to limit: Int, _ cursor: (Item) -> Cursor) -> String? {
    guard items.count > limit else { return nil }
    items.removeLast()
    return items.last.map { cursor($0).text }
  }

  private static func more(_ cursor: String?) -> [String] {
    cursor.map { ["There are more: --cursor \($0)"] } ?? []
  }

  private static func json(_ bytes: [UInt8]) -> JSONValue {
    guard let value = try? JSONValue(parsing: bytes) else { fatalError("what was written is no JSON") }
    return value
  }
}
