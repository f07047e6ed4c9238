import CarillonOptions

enum FishCompletion {
  static func script(_ tree: CommandTree) -> String {
    let head = """
      # fish completion for \(tree.name)
      complete -c \(tree.name) -f

      """
    return head + tree.nouns.map { noun(tree.name, $0) }.joined()
  }

  private static func noun(_ program: String, _ noun: CommandTree.Noun) -> String {
    let verbs = noun.verbs.map(\.name).joined(separator: " ")
    var lines = [
      "complete -c \(program) -n __fish_use_subcommand -a \(noun.name) -d \(quoted(noun.summary))"
    ]
    for verb in noun.verbs {
      lines.append(
        "complete -c \(program) -n '__fish_seen_subcommand_from \(noun.name); and not __fish_seen_subcommand_from \(verbs)' "
          + "-a \(verb.name) -d \(quoted(verb.summary))")
      let condition =
        "'__fish_seen_subcommand_from \(noun.name); and __fish_seen_subcommand_from \(verb.name)'"
      for option in verb.options {
        let short = option.short.map { " -s \($0)" } ?? ""
        let value =
          option.isFlag
          ? "" : option.takesPath ? " -r -F" : " -x -a \(quoted(option.choices.joined(separator: " ")))"
        lines.append(
          "complete -c \(program) -n \(condition) -l \(option.name)\(short)\(value) -d \(quoted(option.help))"
        )
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.map { "'\\".contains($0) ? "\\\($0)" : String($0) }.joined() + "'"
  }
}
