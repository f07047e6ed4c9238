import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonPostgres
import CarillonStore

/// `tenantctl db`: roles and migrations.
enum DatabaseNoun {
  static let noun = Noun<CommandAction>(
    "db", "The database: roles and migrations.", verbs: [status, migrate, rollback, roles])

  private static let target = Option<Int?>.integer(
    "to", value: "VERSION", in: 1...9999, "The last version to apply; the newest when absent."
  ).commandLineOnly()
  private static let steps = Option.integer(
    "steps", value: "N", in: 1...9999, default: 1, "How many migrations to take back."
  ).commandLineOnly()

  private static let asOwner = "Acts as carillon_owner: the login must be it or a member of it."

  private static let status = Command<CommandAction>(
    "status", "Shows which migrations the database has.",
    discussion: "\(asOwner) Exits with 3 when the database is not exactly what this version wants.",
    examples: ["tenantctl db status", "tenantctl db status -o json"]
  ) { context in
    let status = try await asOwner(context) { try await Schema.migrator.status(on: $0) }
    try context.print(report(status))
    return status.isCurrent ? .ok : .differences
  }

  private static let migrate = Command<CommandAction>(
    "migrate", "Brings the database to the newest version.",
    discussion:
      "\(asOwner) Each migration is one transaction; two at once wait for each other. With --dry-run it "
      + "shows what waits, and exits with 3 when something does.",
    options: [target, CommonOptions.dryRun],
    examples: ["tenantctl db migrate", "tenantctl db migrate --dry-run"]
  ) { context in
    let version = context.values[target]
    if context.values[CommonOptions.dryRun] {
      let pending = try await asOwner(context) { try await Schema.migrator.status(on: $0) }.entries
        .filter { $0.state == .pending && $0.version <= version ?? .max }
      try context.print(versions(pending.map(\.version), "pending"))
      return pending.isEmpty ? .ok : .differences
    }
    let applied = try await asOwner(context) { try await Schema.migrator.migrate(on: $0, to: version) }
    try context.print(versions(applied, "applied"))
    return .ok
  }

  private static let rollback = Command<CommandAction>(
    "rollback", "Takes back the newest migrations, and with them the data they hold.",
    discussion: asOwner, options: [steps, CommonOptions.dryRun, CommonOptions.yes],
    examples: ["tenantctl db rollback --dry-run", "tenantctl db rollback --steps 2 --yes"]
  ) { context in
    let steps = context.values[steps]
    let applied = try await asOwner(context) { try await Schema.migrator.status(on: $0) }.entries
      .filter { $0.state == .applied || $0.state == .changed }.map(\.version)
    let taken = Array(applied.suffix(steps).reversed())
    if context.values[CommonOptions.dryRun] || taken.isEmpty {
      try context.print(versions(taken, "wouldRollBack"))
      return taken.isEmpty ? .ok : .differences
    }
    try context.confirm(
      "take back \(taken.count == 1 ? "a migration" : "\(taken.count) migrations") and delete the data in it",
      typing: Schema.name)
    let done = try await asOwner(context) { try await Schema.migrator.rollback(on: $0, steps: steps) }
    try context.print(versions(done, "rolledBack"))
    return .ok
  }

  private static let roles = Command<CommandAction>(
    "roles", "Makes the database roles, or brings them up to date.",
    discussion:
      "Needs a superuser's login. The roles get no passwords: set them with ALTER ROLE, or let logins of "
      + "your own be members of them.",
    options: [CommonOptions.dryRun],
    examples: ["DATABASE_URL=postgres://postgres@db/carillon tenantctl db roles"]
  ) { context in
    let isDry = context.values[CommonOptions.dryRun]
    if !isDry {
      try await DatabaseSession.run(DatabaseTarget(context), as: .superuser) {
        try await Schema.installRoles(on: $0)
      }
    }
    let items = Schema.Role.allCases.map { role -> JSONValue in
      ["name": .string(role.rawValue), "state": isDry ? "wanted" : "ready"]
    }
    try context.print(.list(items, columns: [Column("name"), Column("state")]))
    return .ok
  }

  private static func asOwner<Result: Sendable>(
    _ context: CommandContext, _ body: @Sendable (PostgresConnection) async throws -> Result
  ) async throws -> Result {
    try await DatabaseSession.run(DatabaseTarget(context), as: .product(.owner), body)
  }

  private static func report(_ status: MigrationStatus) -> Report {
    let items = status.entries.map { entry -> JSONValue in
      [
        "version": .number(String(entry.version)), "name": .string(entry.name),
        "state": .string(entry.state.rawValue),
        "appliedAt": entry.appliedAt.map { .string(Instant(milliseconds: $0).text) } ?? .null,
      ]
    }
    return .list(
      items,
      columns: [
        Column("version", alignsRight: true), Column("name"),
        Column("state", tones: ["applied": .good, "pending": .warning, "changed": .bad, "unknown": .bad]),
        Column("appliedAt"),
      ])
  }

  private static func versions(_ versions: [Int], _ name: String) -> Report {
    .one(
      .object([JSONMember(name, .array(versions.map { .number(String($0)) }))]), columns: [Column(name)])
  }
}
