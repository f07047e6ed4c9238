import CarillonPostgres

/// Why a server must not start on a database.
public enum SchemaError: Error, Sendable {
  /// The role could pass by row security.
  case unsafeRole(name: String, Reason)
  /// The role may become one that row security does not bind, or one that sees what belongs to no tenant.
  ///
  /// - Parameter roles: their names, separated by commas.
  case unsafeMembership(name: String, roles: String)
  /// Whoever is to tidy up is somebody else than `carillon_worker`.
  ///
  /// - Parameter problem: what of the role is wrong, as a predicate: "is a superuser".
  case unsafeWorker(name: String, problem: String)
  /// Row security is off, or does not bind the owner, where rows are a tenant's.
  ///
  /// - Parameter tables: their names, separated by commas.
  case openTables(String)
  /// The schema does not exist yet.
  case missing
  /// Versions of this program that the database lacks.
  case pending([Int])
  /// Versions in the database that this program does not know: it is older than the schema.
  case unknown([Int])
  /// Versions whose text is another one than what was applied.
  case changed([Int])
  case database(PostgresError)

  public enum Reason: String, Hashable, Sendable {
    case superuser, bypassesRowSecurity, ownsSchema
    /// It is another one of Carillon's own.
    case servesAnother
  }

  /// What to do about it, in one sentence.
  public var remedy: String {
    switch self {
    case .unsafeRole:
      "Connect as carillon_app, or as another role that is neither superuser nor owner and has no BYPASSRLS."
    case .unsafeMembership(let name, let roles):
      "Connect as carillon_app, or take the membership away: a role between may lend it (REVOKE \(roles) FROM \(name))."
    case .unsafeWorker:
      "Connect as carillon_worker, or as a role that is a member of it alone and is neither superuser nor owner."
    case .openTables:
      "As carillon_owner run ALTER TABLE … ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY for each of them."
    case .missing, .pending:
      "Run `tenantctl db migrate`."
    case .unknown:
      "Run the release that made the schema, or roll it back with that release's `tenantctl db rollback`."
    case .changed:
      "Run the release that made the schema; a migration must never be edited after it was applied."
    case .database:
      "Check that DATABASE_URL is right and that the database answers."
    }
  }
}
