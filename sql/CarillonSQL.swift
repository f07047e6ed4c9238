/// The files in `sql/`, compiled in: the roles, the migrations and every statement by its name.
public enum CarillonSQL {
  /// One numbered step of the schema, as its two files hold it.
  public struct MigrationFiles: Sendable {
    public let version: Int
    public let name: String
    public let up: String
    public let down: String
  }

  /// One statement that makes the roles and brings them up to date.
  public static var roles: String { text(PackageResources.roles_sql) }

  /// By version, from 1, without gaps.
  public static let migrations: [MigrationFiles] = embeddedMigrations.enumerated().map { index, files in
    MigrationFiles(version: index + 1, name: files.name, up: text(files.up), down: text(files.down))
  }

  /// Every statement by its name.
  public static let statements: [String: String] = readStatements()

  /// The statement of a name; a name that no file has is a programmer's error and traps.
  public static func statement(_ name: String) -> String {
    guard let text = statements[name] else { preconditionFailure("no file in sql/queries names \(name)") }
    return text
  }

  private static func readStatements() -> [String: String] {
    var result: [String: String] = [:]
    for file in embeddedQueries {
      for (name, text) in StatementFile.read(text(file)) {
        precondition(result.updateValue(text, forKey: name) == nil, "two statements are named \(name)")
      }
    }
    return result
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
