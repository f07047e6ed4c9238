import CarillonModel
import CarillonOptions
import CarillonStore

extension OperatorStore {
  /// The tenant of that id, else of that name: a name may look like another tenant's id. An error suggests a name that
  /// is close.
  func tenant(nameOrID text: String) async throws -> StoredTenant {
    if let id = TenantID(text), let tenant = try await tenants().first(where: { $0.id == id }) {
      return tenant
    }
    if let tenant = try await tenant(named: text) { return tenant }
    let all = try await tenants()
    let near = NearMiss.suggestion(for: text, among: all.map(\.name))
    throw CommandFailure(
      .notFound, "there is no tenant '\(text)'",
      near.map { "Did you mean '\($0)'?" } ?? "'tenantctl tenant list' shows those that exist")
  }
}
