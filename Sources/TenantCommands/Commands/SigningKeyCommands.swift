import CarillonAPI
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonStore

/// `tenantctl key rotate-signing`: an end for the keys that sign a tenant's device tokens.
enum SigningKeyCommands {
  /// No token lives longer than the default: with it none ends before its time.
  private static let overlap = Option.integer(
    "overlap", value: "SECONDS", in: 0...WireLimits.tokenSeconds.upperBound,
    default: WireLimits.tokenSeconds.upperBound, "How long tokens that are about still serve."
  ).commandLineOnly()
  private static let now = Option.flag("now", "Ends all of the tenant's device tokens at once.")
    .commandLineOnly()

  static let rotate = Command<CommandAction>(
    "rotate-signing", "Lets the keys end that sign a tenant's device tokens.",
    discussion:
      "The next token makes a new key; those that are about serve until the overlap has passed, within a second on "
      + "every server. With --now, or an overlap shorter than tokens may live, devices must get new ones from the "
      + "app's backend, and the command wants a confirmation.",
    options: [overlap, now, CommonOptions.dryRun, CommonOptions.yes], arguments: [CommonOptions.tenant],
    examples: ["tenantctl key rotate-signing acme", "tenantctl key rotate-signing acme --now --yes"]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let seconds = context.values[now] ? 0 : context.values[overlap]
    let isDry = context.values[CommonOptions.dryRun]
    let tenant = try await context.withStore { try await $0.tenant(nameOrID: name) }
    try TenantStatusCommands.checkIsOpen(tenant)
    if !isDry, seconds < WireLimits.tokenSeconds.upperBound {
      try context.confirm(
        "end device tokens of '\(tenant.name)' \(seconds == 0 ? "at once" : "after \(seconds) seconds")",
        typing: tenant.name)
    }
    let start = context.now()
    let end = start.adding(seconds: Int64(seconds))
    let keys = try await context.withStore { store -> [StoredSigningKey] in
      guard isDry else { return try await store.retireSigningKeys(tenant: tenant.id, at: end, now: start) }
      return try await store.signingKeys(tenant: tenant.id).filter {
        $0.retiresAt.map { $0 >= start } ?? true
      }
      .map { key in
        var key = key
        key.retiresAt = min(key.retiresAt ?? end, end)
        return key
      }
    }
    let items = keys.map { key -> JSONValue in
      var members = [
        JSONMember("keyId", .string(key.id)), JSONMember("createdAt", .string(key.createdAt.text)),
        JSONMember("retiresAt", key.retiresAt.map { .string($0.text) } ?? .null),
      ]
      if isDry { members.append(JSONMember("dryRun", true)) }
      return .object(members)
    }
    let columns = ["keyId", "createdAt", "retiresAt"] + (isDry ? ["dryRun"] : [])
    try context.print(
      .list(
        items, columns: columns.map { Column($0) },
        notes: keys.isEmpty ? ["No device token of this tenant was made yet."] : []))
    return .ok
  }
}
