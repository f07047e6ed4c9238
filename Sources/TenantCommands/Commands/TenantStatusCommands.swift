import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonStore

/// `tenantctl tenant suspend` and `resume`.
enum TenantStatusCommands {
  static let suspend = Command<CommandAction>(
    "suspend", "Refuses a tenant's credentials, within a second on every server; everything stays.",
    options: [CommonOptions.dryRun], arguments: [CommonOptions.tenant],
    examples: ["tenantctl tenant suspend acme"]
  ) { try await change($0, to: .suspended, from: .active, .tenantSuspend) }

  static let resume = Command<CommandAction>(
    "resume", "Takes a suspended tenant's credentials again, within a second on every server.",
    options: [CommonOptions.dryRun], arguments: [CommonOptions.tenant],
    examples: ["tenantctl tenant resume acme"]
  ) { try await change($0, to: .active, from: .suspended, .tenantResume) }

  /// Who already is what he shall be stays so, and that is no error.
  private static func change(
    _ context: CommandContext, to status: TenantStatus, from old: TenantStatus, _ action: AuditAction
  ) async throws -> ExitCode {
    let name = context.values[CommonOptions.tenant]
    let isDry = context.values[CommonOptions.dryRun]
    let now = context.now()
    let tenant = try await context.withStore { store -> StoredTenant in
      var tenant = try await store.tenant(nameOrID: name)
      if tenant.status == status { return tenant }
      guard tenant.status == old else { throw busy(tenant) }
      if !isDry {
        let entry = store.entry(action, at: now, subject: tenant.name)
        guard try await store.setStatus(status, from: [old], tenant: tenant.id, audit: entry) else {
          throw busy(try await store.tenant(nameOrID: name))
        }
      }
      tenant.status = status
      return tenant
    }
    var members = TenantNoun.json(tenant).object ?? []
    if isDry { members.append(JSONMember("dryRun", true)) }
    try context.print(
      .one(.object(members), columns: TenantNoun.columns + (isDry ? [Column("dryRun")] : [])))
    return .ok
  }

  /// What a tenant is given while it is imported would be overwritten or taken away with it, and while it is deleted
  /// would be for nobody.
  static func checkIsOpen(_ tenant: StoredTenant) throws(CommandFailure) {
    guard tenant.status == .active || tenant.status == .suspended else { throw busy(tenant) }
  }

  /// Something else is being done to the tenant.
  static func busy(_ tenant: StoredTenant) -> CommandFailure {
    switch tenant.status {
    case .deleting:
      CommandFailure(
        .conflict, "the tenant '\(tenant.name)' is being deleted",
        "'tenantctl tenant delete \(tenant.name)' goes on with it")
    case .importing:
      CommandFailure(
        .conflict, "the tenant '\(tenant.name)' is being imported",
        "If that was broken off, 'tenantctl tenant delete \(tenant.name)' takes away what there is")
    case .active, .suspended:
      CommandFailure(.conflict, "somebody else has just changed the tenant '\(tenant.name)'", "Try again")
    }
  }
}
