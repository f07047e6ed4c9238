import CarillonOptions

/// Options that every command has, or that several share.
enum CommonOptions {
  static let output = Option.choice(
    "output", short: "o", value: "FORMAT", default: OutputFormat.table, "How to print.")
  static let databaseURL = Option.text(
    "database-url", value: "URL", "The database; absent means the cluster that runs under --data."
  ).environment("DATABASE_URL")
  static let data = Option.text(
    "data", value: "FOLDER", default: ".carillon", "The data folder of the server that runs here.")
  static let configuration = Option<String?>.text(
    "config", value: "FILE", "Settings, one 'name = value' a line.")
  static let operatorName = Option<String?>.text(
    "operator", value: "NAME", "Who acts, for the audit log; absent means the login of this machine.")

  static let all: [any AnyOption] = [output, databaseURL, data, operatorName, configuration]

  static let dryRun = Option.flag("dry-run", "Says what would change and changes nothing.").commandLineOnly()
  static let yes = Option.flag("yes", "Does it without asking.").commandLineOnly()
  static let limit = Option.integer("limit", value: "N", in: 1...200, default: 50, "How many at most.")
    .commandLineOnly()
  static let cursor = Option<String?>.text("cursor", value: "CURSOR", "Continues a list that was cut.")
    .commandLineOnly()

  static let tenant = Argument.required("TENANT", "Name or id of the tenant.")
}
