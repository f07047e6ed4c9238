import CarillonCrypto
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonStore

/// `tenantctl key`: tenants' credentials, and the keys behind them.
enum KeyNoun {
  static let noun = Noun<CommandAction>(
    "key", "Tenant keys, and the keys behind device tokens.",
    verbs: [create, list, revoke, SigningKeyCommands.rotate, MasterKeyCommand.rotate])

  private static let scopes: Option<[String]> = {
    var option = Option<[String]>.texts(
      "scope", value: "SCOPE", choices: ["all"] + KeyScope.allCases.map(\.rawValue), "What the key may do."
    ).commandLineOnly()
    option.declaration.isRequired = true
    return option
  }()
  private static let expires = Option<Instant?>.custom(
    "expires", value: "INSTANT", "When the key ends, as in 2027-01-01T00:00:00Z; never when absent."
  ) { text throws(InvalidValue) in
    guard let instant = Instant(text) else {
      throw InvalidValue("an instant with an offset is wanted, as in 2027-01-01T00:00:00Z")
    }
    return instant
  }.commandLineOnly()
  private static let key = Argument.required("KEYID", "The key's id, as 'key list' shows it.")

  private static let create = Command<CommandAction>(
    "create", "Makes a key and shows it, this once.",
    discussion: "Only a digest of the key is stored: who loses it makes another and revokes this one.",
    options: [scopes, expires, CommonOptions.dryRun], arguments: [CommonOptions.tenant],
    examples: [
      "tenantctl key create acme --scope all",
      "tenantctl key create acme --scope devices --scope notifications --expires 2027-01-01T00:00:00Z -o json",
    ]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let texts = context.values[scopes]
    let scopes = texts.contains("all") ? Set(KeyScope.allCases) : Set(texts.compactMap(KeyScope.init))
    let now = context.now()
    let expiry = context.values[expires]
    if let expiry, expiry <= now {
      throw CommandFailure(
        .usage, "the key would have ended at \(expiry.text) already", "Choose a time to come")
    }
    var random = SecureRandom()
    let key = TenantKey.make(using: &random)
    let draft = KeyDraft(
      id: key.keyId, secretHash: key.hash.bytes, scopes: scopes, createdAt: now, expiresAt: expiry)
    let isDry = context.values[CommonOptions.dryRun]
    let tenant = try await context.withStore { store in
      let tenant = try await store.tenant(nameOrID: name)
      try TenantStatusCommands.checkIsOpen(tenant)
      if isDry { return tenant }
      switch try await store.createKey(draft, tenant: tenant.id) {
      case .created: return tenant
      case .taken: throw CommandFailure(.conflict, "there is a key '\(draft.id)' already", "Try again")
      case .busy: throw TenantStatusCommands.busy(try await store.tenant(nameOrID: name))
      case .noTenant: throw CommandFailure(.notFound, "the tenant '\(name)' has just been removed")
      }
    }
    var members = [
      JSONMember("keyId", isDry ? .null : .string(key.keyId)),
      JSONMember("key", isDry ? .null : .string(key.text)),
      JSONMember("tenant", .string(tenant.name)),
    ]
    members += description(scopes: scopes, createdAt: now, expiresAt: expiry)
    if isDry { members.append(JSONMember("dryRun", true)) }
    try context.print(
      .one(
        .object(members),
        columns: ["keyId", "key", "tenant", "scopes", "createdAt", "expiresAt"].map { Column($0) },
        notes: isDry ? ["Nothing was made."] : ["Keep the key now: it is not shown again."]))
    return .ok
  }

  private static let list = Command<CommandAction>(
    "list", "Lists the keys of a tenant, the oldest first.", arguments: [CommonOptions.tenant],
    examples: ["tenantctl key list acme"]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let now = context.now()
    let keys = try await context.withStore { store in
      try await store.keys(tenant: store.tenant(nameOrID: name).id)
    }
    let items = keys.map { key in
      JSONValue.object(
        [JSONMember("keyId", .string(key.id)), JSONMember("state", .string(state(of: key, at: now)))]
          + description(scopes: key.scopes, createdAt: key.createdAt, expiresAt: key.expiresAt)
          + [JSONMember("revokedAt", instant(key.revokedAt))])
    }
    try context.print(
      .list(
        items,
        columns: [
          Column("keyId"), Column("state", tones: ["active": .good, "expired": .warning, "revoked": .bad]),
          Column("scopes"), Column("createdAt"), Column("expiresAt"), Column("revokedAt"),
        ]))
    return .ok
  }

  private static let revoke = Command<CommandAction>(
    "revoke", "Ends a key, within a second on every server.",
    options: [CommonOptions.dryRun, CommonOptions.yes], arguments: [CommonOptions.tenant, key],
    examples: ["tenantctl key revoke acme abcdefghijkl --yes"]
  ) { context in
    let (name, id) = (context.values[CommonOptions.tenant], context.values[key])
    let now = context.now()
    let tenant = try await context.withStore { store in
      let tenant = try await store.tenant(nameOrID: name)
      let ids = try await store.keys(tenant: tenant.id).map(\.id)
      guard ids.contains(id) else { throw noKey(id, of: tenant, among: ids) }
      return tenant
    }
    let isDry = context.values[CommonOptions.dryRun]
    if !isDry {
      try context.confirm("end the key '\(id)' of '\(tenant.name)' for good", typing: tenant.name)
      try await context.withStore { store in
        guard try await store.revokeKey(id: id, tenant: tenant.id, at: now) else {
          throw noKey(id, of: tenant, among: [])
        }
      }
    }
    var members = [JSONMember("keyId", .string(id)), JSONMember("tenant", .string(tenant.name))]
    members.append(isDry ? JSONMember("dryRun", true) : JSONMember("revoked", true))
    try context.print(
      .one(.object(members), columns: ["keyId", "tenant", isDry ? "dryRun" : "revoked"].map { Column($0) }))
    return .ok
  }

  private static func noKey(_ id: String, of tenant: StoredTenant, among ids: [String]) -> CommandFailure {
    // Who pastes the whole key shall not find it in a log.
    let shown = id.hasPrefix("ck_") ? "what was given" : "'\(id)'"
    let near = NearMiss.suggestion(for: id, among: ids)
    return CommandFailure(
      .notFound, "\(shown) is no key id of the tenant '\(tenant.name)'",
      near.map { "Did you mean '\($0)'?" } ?? "'tenantctl key list \(tenant.name)' shows those that exist")
  }

  private static func state(of key: StoredKey, at now: Instant) -> String {
    if key.revokedAt != nil { return "revoked" }
    if let end = key.expiresAt, end <= now { return "expired" }
    return "active"
  }

  private static func description(scopes: Set<KeyScope>, createdAt: Instant, expiresAt: Instant?)
    -> [JSONMember]
  {
    let names = KeyScope.allCases.filter(scopes.contains).map { JSONValue.string($0.rawValue) }
    return [
      JSONMember("scopes", .array(names)), JSONMember("createdAt", .string(createdAt.text)),
      JSONMember("expiresAt", instant(expiresAt)),
    ]
  }

  private static func instant(_ instant: Instant?) -> JSONValue { instant.map { .string($0.text) } ?? .null }
}
