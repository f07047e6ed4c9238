import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonStore

/// `tenantctl tenant delete`.
enum TenantDeleteCommand {
  static let delete = Command<CommandAction>(
    "delete", "Takes a tenant away with everything it has, for good.",
    discussion:
      "From the first step on its credentials are refused. Rows go in small steps that hold up no other tenant; a "
      + "deletion that was broken off goes on when it is asked for again. What is left is a line of the audit log that "
      + "says when, by whom and what it was called.",
    options: [CommonOptions.dryRun, CommonOptions.yes], arguments: [CommonOptions.tenant],
    examples: ["tenantctl tenant delete acme --dry-run", "tenantctl tenant delete acme --yes"]
  ) { context in
    let name = context.values[CommonOptions.tenant]
    let now = context.now()
    let (tenant, counts) = try await context.withStore { store -> (StoredTenant, [TableRows]) in
      let tenant = try await store.tenant(nameOrID: name)
      return (tenant, try await store.countRows(tenant: tenant.id))
    }
    let total = counts.reduce(0) { $0 + $1.rows }
    let isDry = context.values[CommonOptions.dryRun]
    if !isDry {
      try context.confirm(
        "take away the tenant '\(tenant.name)' with \(total) rows, for good", typing: tenant.name)
      let console = context.console
      try await context.withStore { store in
        try await delete(tenant, from: store, at: now) { done in
          console.replaceLine("\(done) of \(max(done, total)) rows taken away")
        }
      }
      context.console.replaceLine("")
    }
    try context.print(
      .one(
        .object([
          JSONMember("id", .string(tenant.id.text)), JSONMember("name", .string(tenant.name)),
          JSONMember("rows", .number(String(total))),
          JSONMember(
            "tables",
            .object(counts.filter { $0.rows > 0 }.map { JSONMember($0.table, .number(String($0.rows))) })),
          isDry ? JSONMember("dryRun", true) : JSONMember("deleted", true),
        ]),
        columns: [
          Column("name"), Column("id"), Column("rows", alignsRight: true),
          Column(isDry ? "dryRun" : "deleted"),
        ]))
    return .ok
  }

  /// Deletes a tenant, or goes on with it.
  ///
  /// - Parameter progress: gets how many rows are gone.
  static func delete(
    _ tenant: StoredTenant, from store: OperatorStore, at now: Instant, progress: (Int) -> Void = { _ in }
  ) async throws {
    if tenant.status != .deleting {
      let entry = store.entry(.tenantDelete, at: now, subject: tenant.name, details: ["step": "begun"])
      let old: Set<TenantStatus> = [.active, .suspended, .importing]
      guard try await store.setStatus(.deleting, from: old, tenant: tenant.id, audit: entry) else {
        throw TenantStatusCommands.busy(tenant)
      }
    }
    var done = 0
    while let step = try await store.deleteSomeRows(tenant: tenant.id) {
      done += step.rows
      progress(done)
    }
    // Of the installation: neither the tenant's id nor anything it held.
    let entry = store.entry(.tenantDelete, at: now, subject: tenant.name, details: ["step": "done"])
    try await store.endTenant(tenant.id, audit: entry)
  }
}
