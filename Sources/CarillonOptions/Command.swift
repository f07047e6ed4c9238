/// Something a program does: its options, its arguments, and what runs it.
///
/// `Action` is the program's own type, usually a closure over ``OptionValues``.
public struct Command<Action: Sendable>: Sendable {
  /// The verb; for a program without nouns, the program's name.
  public var name: String
  /// One sentence, shown in lists.
  public var summary: String
  /// More to say, shown in the command's own help.
  public var discussion: String
  public var options: [any AnyOption]
  public var arguments: [any AnyArgument]
  /// Whole command lines, shown in the command's own help.
  public var examples: [String]
  public var action: Action

  public init(
    _ name: String, _ summary: String, discussion: String = "", options: [any AnyOption] = [],
    arguments: [any AnyArgument] = [], examples: [String] = [], action: Action
  ) {
    precondition(
      arguments.dropLast().allSatisfy { $0.declaration.count == .one },
      "only the last argument of \(name) may be absent or many")
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.options = options
    self.arguments = arguments
    self.examples = examples
    self.action = action
  }
}

/// Commands about one thing: `tenantctl <noun> <verb>`.
public struct Noun<Action: Sendable>: Sendable {
  public var name: String
  public var summary: String
  public var verbs: [Command<Action>]
  /// What is meant when the noun stands alone; nil wants a verb.
  public var defaultVerb: String?

  public init(_ name: String, _ summary: String, verbs: [Command<Action>], defaultVerb: String? = nil) {
    precondition(
      defaultVerb == nil || verbs.contains { $0.name == defaultVerb }, "\(name) lacks its default verb")
    self.name = name
    self.summary = summary
    self.verbs = verbs
    self.defaultVerb = defaultVerb
  }
}

/// A whole program: one command, or nouns with verbs.
///
///     typealias Action = @Sendable (OptionValues) async throws -> Int32
///
///     let output = Option.choice("output", short: "o", value: "FORMAT", default: Format.table, "How to print.")
///     let scopes = Option.texts("scope", value: "SCOPE", "What the key may do.")
///     let tenant = Argument.required("TENANT", "Name or id of the tenant.")
///
///     let program = Program<Action>(
///       "tenantctl", "Runs a Carillon installation.", environmentPrefix: "TENANTCTL_", options: [output],
///       nouns: [
///         Noun("key", "Tenant keys.", verbs: [
///           Command("create", "Makes a key.", options: [scopes], arguments: [tenant]) { values in
///             try await createKey(for: values[tenant], scopes: values[scopes], as: values[output])
///           }
///         ])
///       ])
///
///     switch program.parse(arguments: CommandLine.arguments.dropFirst(), environment: environment) {
///     case .success(.run(let command, let values)): exit(try await command.action(values))
///     case .success(.help(let text)): print(text)
///     case .failure(let error): standardError(error.description); exit(2)
///     }
public struct Program<Action: Sendable>: Sendable {
  public enum Shape: Sendable {
    case single(Command<Action>)
    case nouns([Noun<Action>])
  }

  public var name: String
  public var summary: String
  /// Starts the variable of each option that has no other: `CARILLON_`.
  public var environmentPrefix: String
  /// Options of every command; they may stand before the noun or after the verb.
  public var options: [any AnyOption]
  /// Names the configuration file; one of `options` or of the single command.
  public var configuration: Option<String?>?
  public var shape: Shape
  /// Whole command lines, shown in the program's help.
  public var examples: [String] = []

  public init(
    _ name: String, _ summary: String, environmentPrefix: String, options: [any AnyOption] = [],
    configuration: Option<String?>? = nil, examples: [String] = [], nouns: [Noun<Action>]
  ) {
    self.examples = examples
    self.name = name
    self.summary = summary
    self.environmentPrefix = environmentPrefix
    self.options = options
    self.configuration = configuration
    self.shape = .nouns(nouns)
  }

  public init(_ command: Command<Action>, environmentPrefix: String, configuration: Option<String?>? = nil) {
    self.name = command.name
    self.summary = command.summary
    self.environmentPrefix = environmentPrefix
    self.options = []
    self.configuration = configuration
    self.shape = .single(command)
  }

  /// Every option of every command, each name once: the keys a configuration file may have.
  public var declarations: [OptionDeclaration] {
    let commands =
      switch shape {
      case .single(let command): [command]
      case .nouns(let nouns): nouns.flatMap(\.verbs)
      }
    var seen: Set<String> = []
    return (options + commands.flatMap(\.options)).map(\.declaration).filter {
      seen.insert($0.name).inserted
    }
  }
}
