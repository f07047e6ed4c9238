import CarillonEventLoop
import CarillonModel
import CarillonPostgres
import CarillonService
import CarillonStore

/// Conditions of PostgreSQL's appendix A that are met in more than one place.
enum SQLState {
  static let insufficientPrivilege = "42501"
}

extension CommandFailure {
  static let noSchema = CommandFailure(
    .differences, "the database lacks Carillon's schema, or has an older one", "Run 'tenantctl db migrate'")

  /// What any error means to whoever runs a command.
  init(_ error: any Error) {
    switch error {
    case let error as CommandFailure: self = error
    case let error as PostgresError: self.init(database: error)
    case let error as StoreError:
      switch error {
      case .database(let error): self.init(database: error)
      case .unreadable(let value):
        self.init(
          .error, "the database holds a value (\(value.rawValue)) that this version cannot read",
          "Use the tenantctl of the release that runs the server")
      case .overtaken: self.init(.conflict, "another change came first; nothing was changed", "Run it again")
      }
    case .store(let error) as ServiceError: self.init(error)
    case .reportTooLong as ServiceError:
      self.init(
        .usage, "a report would be more than \(ReportLimits.rows) rows",
        "Ask for fewer days, one type or one cohort")
    case .unreadablePolicy(let version) as ServiceError:
      self.init(
        .error, "version \(version) of the policy cannot be read by this version",
        "Use the tenantctl of the release that runs the server")
    case let error as SchemaError:
      if case .database(let error) = error {
        self.init(database: error)
      } else {
        self.init(.error, "the schema is not one that this version can use", error.remedy)
      }
    case let error as MigrationError: self.init(migration: error)
    case let error as ArchiveDamage: self = error.failure
    case let error as EventLoopError: self.init(.error, error.description, "Raise the limit on open files")
    default: self.init(.error, "an unexpected error: \(type(of: error))", "Please report it")
    }
  }

  private init(migration error: MigrationError) {
    switch (error.code, error.underlying?.sqlState) {
    case (.noSuchVersion, _): self.init(.usage, error.description, "'tenantctl db status' lists them")
    case (.statementFailed, SQLState.insufficientPrivilege):
      self.init(
        .notAllowed, error.description,
        "'tenantctl db roles', run as a superuser, gives the roles their rights")
    case (.statementFailed, _):
      self.init(.error, error.description, "Mend what the server names, then run it again")
    default: self.init(.error, error.description)
    }
  }

  /// No connection could be had.
  init(connecting error: PostgresError) {
    self.init(
      .error, "the database cannot be reached",
      "Check that it runs, and that host, port, name and password in DATABASE_URL are right")
  }

  private init(database error: PostgresError) {
    switch (error.code, error.sqlState) {
    case (.unavailable, _): self.init(connecting: error)
    case (.connectionLost, _):
      self.init(
        .error,
        "the connection to the database was lost on the way; the change may or may not have been made",
        "Look, then try again")
    // Undefined schema, table or function.
    case (_, "3F000"), (_, "42P01"), (_, "42883"):
      self = .noSchema
    case (_, SQLState.insufficientPrivilege):
      self.init(
        .notAllowed, "the login of DATABASE_URL may not do this",
        "Use a login that is, or is a member of, the role this command's help names")
    // Unique, exclusion.
    case (_, "23505"), (_, "23P01"):
      self.init(.conflict, "somebody else made the same thing first", "Look, then decide")
    // Serialization failure, deadlock, lock not available.
    case (_, "40001"), (_, "40P01"), (_, "55P03"):
      self.init(.conflict, "another change was in the way; nothing was changed", "Try again")
    case (_, let state):
      self.init(
        .error, "the database refused the command\(state.map { " (SQLSTATE \($0))" } ?? "")",
        "The server's log says why")
    }
  }
}
