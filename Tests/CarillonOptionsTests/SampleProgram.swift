import CarillonOptions

/// A small program like `tenantctl`, whose actions are just names.
enum Sample {
  enum Format: String, CaseIterable, Sendable { case table, json, ndjson }

  static let output = Option.choice(
    "output", short: "o", value: "FORMAT", default: Format.table, "How to print.")
  static let verbose = Option.flag("verbose", short: "v", "Says more.")
  static let config = Option.text("config", value: "FILE", "A configuration file.")
  static let policy = Option.required("policy", value: "FILE", "The policy to plan with.")
  static let pool = Option.integer("pool-size", value: "N", in: 1...64, default: 4, "Connections.")
  static let loops = Option.integer("loops", value: "N", in: 1...64, "Event loops.")
  static let scopes = Option.texts(
    "scope", value: "SCOPE", choices: ["devices", "notifications", "all"], "What the key may do.")
  static let yes = Option.flag("yes", "Goes ahead.").commandLineOnly()
  static let database = Option.text("database", value: "URL", "Where the data is.")
    .environment("DATABASE_URL")
  static let tenant = Argument.required("TENANT", "Name or id of the tenant.")
  static let key = Argument.optional("KEY", "One key alone.")
  static let names = Argument.rest("NAME", "Names.")

  static let program = Program<String>(
    "sample", "A program to be parsed.", environmentPrefix: "SAMPLE_",
    options: [output, verbose, config], configuration: config,
    nouns: [
      Noun(
        "key", "Tenant keys.",
        verbs: [
          Command(
            "create", "Makes a key.", options: [scopes, yes], arguments: [tenant], action: "key create"),
          Command("list", "Lists keys.", arguments: [tenant, key], action: "key list"),
        ]),
      Noun(
        "plan", "Plans.",
        verbs: [
          Command(
            "preview", "Plans from files alone.", options: [policy, pool, loops, database],
            arguments: [names], action: "plan preview")
        ]),
    ])

  static func parse(
    _ words: String..., environment: [String: String] = [:], file: String? = nil
  ) throws(UsageError) -> (action: String, values: OptionValues) {
    switch try program.parse(arguments: words, environment: environment, readFile: { _ in file }) {
    case .run(let command, let values): return (command.action, values)
    case .help(let text): throw UsageError(command: "help", problem: text)
    }
  }
}
