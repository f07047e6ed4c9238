import CarillonJSON
import CarillonStore
import IntegrationSupport

/// A migrated database of one test, and the program that works on it.
struct Installation {
  let database: MigratedDatabase

  /// Who the database is told that the program is.
  enum Login: String, CaseIterable, Sendable { case `operator`, owner, app, worker, superuser }

  init() async throws { database = try await MigratedDatabase.make() }

  func url(_ login: Login) -> String {
    switch login {
    case .operator: database.conninfo(.operator)
    case .owner: database.conninfo(.owner)
    case .app: database.conninfo(.app)
    case .worker: database.conninfo(.worker)
    case .superuser: database.superuserConninfo
    }
  }

  func run(_ line: String, as login: Login = .operator, input: String = "") async throws -> Tenantctl.Outcome
  {
    try await run(line.split(separator: " ").map(String.init), as: login, input: input)
  }

  func run(_ words: [String], as login: Login = .operator, input: String = "") async throws
    -> Tenantctl.Outcome
  {
    try await Tenantctl.run(words, environment: ["DATABASE_URL": url(login)], input: input)
  }

  /// The JSON of a command that succeeds.
  func json(_ line: String) async throws -> JSONValue {
    let outcome = try await run(line + " -o json")
    guard outcome.code == 0, outcome.errors.isEmpty else { throw Failure(outcome: outcome) }
    return try JSONValue(parsing: outcome.output)
  }

  struct Failure: Error { var outcome: Tenantctl.Outcome }
}
