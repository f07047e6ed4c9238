import Glibc

/// Finds the folder of PostgreSQL's programs.
enum PostgresBinaries {
  private static let debianVersions = "/usr/lib/postgresql"

  /// - Parameter version: the major version that made the data, which only the same can read; nil for new data.
  static func find(version: String?) throws(LocalClusterError) -> String {
    if let version, let folder = usable("\(debianVersions)/\(version)/bin") { return folder }
    let searched = (getenv("PATH").map { String(cString: $0) } ?? "").split(separator: ":").map(String.init)
    for folder in searched {
      let pgConfig = "\(folder)/pg_config"
      guard access(pgConfig, X_OK) == 0 else { continue }
      let answer = ChildProgram(path: pgConfig, arguments: ["--bindir"]).run()
      let bindir = answer.output.split(separator: "\n").first.map(String.init) ?? ""
      if answer.succeeded, let folder = usable(bindir) { return folder }
    }
    for folder in searched { if let folder = usable(folder) { return folder } }
    let newestFirst = TextFile.names(in: debianVersions).compactMap { Int($0) }.sorted(by: >)
    for version in newestFirst {
      if let folder = usable("\(debianVersions)/\(version)/bin") { return folder }
    }
    throw LocalClusterError(
      .binariesNotFound,
      "PostgreSQL's initdb and postgres were not found by pg_config, in PATH or in \(debianVersions): install "
        + "the package postgresql, or set DATABASE_URL to a server that runs elsewhere")
  }

  private static func usable(_ folder: String) -> String? {
    let hasBoth = ["initdb", "postgres"].allSatisfy { access("\(folder)/\($0)", X_OK) == 0 }
    return hasBoth ? folder : nil
  }
}
