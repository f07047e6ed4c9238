import CarillonOptions

/// `tenantctl completion`: scripts for shells.
enum CompletionNoun {
  static let noun = Noun<CommandAction>(
    "completion", "Scripts that let a shell complete tenantctl's words.",
    verbs: [
      verb("bash", "source <(tenantctl completion bash)", BashCompletion.script),
      verb("zsh", "tenantctl completion zsh > \"${fpath[1]}/_tenantctl\"", ZshCompletion.script),
      verb(
        "fish", "tenantctl completion fish > ~/.config/fish/completions/tenantctl.fish", FishCompletion.script
      ),
    ])

  private static func verb(
    _ shell: String, _ example: String, _ script: @escaping @Sendable (CommandTree) -> String
  ) -> Command<CommandAction> {
    Command(shell, "Prints the script for \(shell).", examples: [example]) { context in
      try context.console.write(script(CommandTree(TenantControl.program)))
      return .ok
    }
  }
}

/// What a shell must know of the program.
struct CommandTree: Sendable {
  struct Verb: Sendable {
    var name: String
    var summary: String
    var options: [OptionDeclaration]
  }
  struct Noun: Sendable {
    var name: String
    var summary: String
    var verbs: [Verb]
  }

  var name: String
  var nouns: [Noun]

  init(_ program: Program<CommandAction>) {
    name = program.name
    let help = OptionDeclaration(name: "help", short: "h", value: nil, help: "Shows help.")
    let common = program.options.map(\.declaration) + [help]
    guard case .nouns(let all) = program.shape else { preconditionFailure("tenantctl has nouns") }
    nouns = all.map { noun in
      Noun(
        name: noun.name, summary: noun.summary,
        verbs: noun.verbs.map { verb in
          Verb(name: verb.name, summary: verb.summary, options: verb.options.map(\.declaration) + common)
        })
    }
  }
}

extension OptionDeclaration {
  /// Whether its value is the path of a file or folder.
  var takesPath: Bool { ["FILE", "FOLDER"].contains(value) }
}
