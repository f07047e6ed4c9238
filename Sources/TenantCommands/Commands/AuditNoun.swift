import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonStore

/// `tenantctl audit`: who did what.
enum AuditNoun {
  static let noun = Noun<CommandAction>(
    "audit", "Who did what: operators and keys.", verbs: [list], defaultVerb: "list")

  private static let tenant = Argument.optional("TENANT", "Name or id of a tenant; all when absent.")
  private static let action = Option<String?>.text(
    "action", value: "ACTION", "Only this: a noun, as in key, or noun and verb, as in key.revoke."
  ).commandLineOnly()
  private static let from = instant("from", "Not before this instant.")
  private static let to = instant("to", "Before this instant.")

  private static func instant(_ name: String, _ help: String) -> Option<Instant?> {
    Option<Instant?>.custom(name, value: "INSTANT", help) { text throws(InvalidValue) in
      guard let instant = Instant(text) else {
        throw InvalidValue("an instant with an offset is wanted, as in 2026-12-01T00:00:00Z")
      }
      return instant
    }.commandLineOnly()
  }

  private static let list = Command<CommandAction>(
    "list", "Lists what was done, the newest first.",
    discussion:
      "Entries are written with what they tell of and are never changed. Those of a tenant go with it; that it was "
      + "deleted stays.",
    options: [action, from, to, CommonOptions.limit, CommonOptions.cursor], arguments: [tenant],
    examples: [
      "tenantctl audit", "tenantctl audit list acme --action key",
      "tenantctl audit list --from 2026-11-01T00:00:00Z -o ndjson",
    ]
  ) { context in
    let name = context.values[tenant]
    let limit = context.values[CommonOptions.limit]
    let position = try context.values[CommonOptions.cursor].map(Self.position)
    let (filter, first, end) = (context.values[action], context.values[from], context.values[to])
    if let filter,
      AuditAction.allCases.allSatisfy({ $0.rawValue != filter && !$0.rawValue.hasPrefix(filter + ".") })
    {
      let near = NearMiss.suggestion(for: filter, among: AuditAction.allCases.map(\.rawValue))
      throw CommandFailure(
        .usage, "there is no action '\(filter)'",
        near.map { "Did you mean '\($0)'?" }
          ?? "They are: \(AuditAction.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    var entries = try await context.withStore { store in
      var id: TenantID?
      if let name { id = try await store.tenant(nameOrID: name).id }
      return try await store.auditEntries(
        tenant: id, action: filter, from: first, to: end, after: position, limit: limit + 1)
    }
    var cursor: String?
    if entries.count > limit {
      entries.removeLast(entries.count - limit)
      cursor = entries.last.map { "\($0.at.milliseconds).\($0.id)" }
    }
    try context.print(
      .list(
        entries.map(json),
        columns: ["at", "tenant", "actor", "action", "subject", "details"].map { Column($0) },
        nextCursor: cursor, notes: cursor.map { ["More with --cursor \($0)"] } ?? []))
    return .ok
  }

  private static func json(_ entry: StoredAuditEntry) -> JSONValue {
    func text(_ text: String?) -> JSONValue { text.map(JSONValue.string) ?? .null }
    return [
      "at": .string(entry.at.text), "tenantId": text(entry.tenant?.text), "tenant": text(entry.tenantName),
      "actorKind": .string(entry.actorKind), "actor": .string(entry.actor), "login": text(entry.login),
      "action": .string(entry.action), "subject": text(entry.subject),
      "details": (try? JSONValue(parsing: entry.details)) ?? .null,
    ]
  }

  private static func position(_ cursor: String) throws(CommandFailure) -> AuditPosition {
    let parts = cursor.split(separator: ".", maxSplits: 1)
    guard parts.count == 2, let time = Int64(parts[0]), let id = UUID128(String(parts[1])) else {
      throw CommandFailure(.usage, "that is no cursor of this list", "Take it from 'nextCursor'")
    }
    return AuditPosition(at: Instant(milliseconds: time), id: id)
  }
}
