import CarillonCrypto
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonStore

/// `tenantctl tenant`.
enum TenantNoun {
  static let noun = Noun<CommandAction>(
    "tenant", "Tenants.",
    verbs: [
      create, list, show, TenantLimitsCommand.command, TenantStatusCommands.suspend,
      TenantStatusCommands.resume,
      TenantExportCommand.export, TenantImportCommand.import, TenantDeleteCommand.delete,
    ])

  private static let name = Argument.required(
    "NAME", "Lower-case letters, digits and '-', at most 63, not '-' first.")

  /// Throws when no tenant may be called so.
  static func checkName(_ text: String) throws(CommandFailure) {
    guard TenantName(text) != nil else {
      throw CommandFailure(
        .usage, "'\(text)' is no name for a tenant",
        "Use lower-case letters, digits and '-', at most 63, not '-' first")
    }
    // Every command takes an id where it takes a name, and the id counts.
    guard TenantID(text) == nil else {
      throw CommandFailure(
        .usage, "'\(text)' is no name for a tenant: it has the form of a tenant's id",
        "Choose a name that is no UUID; 'tenant import' takes it as --name")
    }
  }

  static func taken(_ name: String) -> CommandFailure {
    CommandFailure(.conflict, "there is a tenant '\(name)' already", "Choose another name")
  }

  private static let create = Command<CommandAction>(
    "create", "Makes a tenant.", options: [CommonOptions.dryRun], arguments: [name],
    examples: ["tenantctl tenant create acme", "tenantctl tenant create acme -o json"]
  ) { context in
    let text = context.values[name]
    try checkName(text)
    let isDry = context.values[CommonOptions.dryRun]
    var random = SecureRandom()
    let id = TenantID(UUID128.make(random: (random.next(), random.next())))
    let now = context.now()
    let tenant = try await context.withStore { store -> StoredTenant? in
      if isDry { return try await store.tenant(named: text) }
      guard try await store.createTenant(id: id, name: text, at: now) == .created else {
        throw taken(text)
      }
      return try await store.tenant(named: text)
    }
    if isDry {
      guard tenant == nil else {
        throw taken(text)
      }
      try context.print(
        .one(["name": .string(text), "dryRun": true], columns: [Column("name"), Column("dryRun")]))
      return .ok
    }
    guard let tenant else {
      throw CommandFailure(.notFound, "the tenant '\(text)' was made and removed again by somebody else")
    }
    try context.print(.one(json(tenant), columns: columns))
    return .ok
  }

  private static let list = Command<CommandAction>(
    "list", "Lists all tenants, by name.",
    examples: ["tenantctl tenant list", "tenantctl tenant list -o csv"]
  ) { context in
    let tenants = try await context.withStore { try await $0.tenants() }
    try context.print(.list(tenants.map(json), columns: columns))
    return .ok
  }

  private static let show = Command<CommandAction>(
    "show", "Shows a tenant.", arguments: [CommonOptions.tenant], examples: ["tenantctl tenant show acme"]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let tenant = try await context.withStore { try await $0.tenant(nameOrID: name) }
    try context.print(.one(json(tenant), columns: columns))
    return .ok
  }

  static let columns = [
    Column("name"), Column("id"),
    Column(
      "status",
      tones: ["active": .good, "suspended": .warning, "importing": .warning, "deleting": .bad]),
    Column("policyVersion", alignsRight: true), Column("createdAt"),
  ]

  static func json(_ tenant: StoredTenant) -> JSONValue {
    [
      "id": .string(tenant.id.text), "name": .string(tenant.name), "status": .string(tenant.status.rawValue),
      "policyVersion": .number(String(tenant.policyVersion)), "createdAt": .string(tenant.createdAt.text),
    ]
  }
}
