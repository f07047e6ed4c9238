import CarillonOptions

enum BashCompletion {
  static func script(_ tree: CommandTree) -> String {
    """
    # bash completion for \(tree.name)
    _\(tree.name)() {
      local word="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
      local noun="${COMP_WORDS[1]}" verb="${COMP_WORDS[2]}" words=""
      COMPREPLY=()
      if [ "$COMP_CWORD" -eq 1 ]; then
        words="\(tree.nouns.map(\.name).joined(separator: " "))"
      elif [ "$COMP_CWORD" -eq 2 ]; then
        case "$noun" in
    \(tree.nouns.map { "      \($0.name)) words=\"\($0.verbs.map(\.name).joined(separator: " "))\" ;;" }.joined(separator: "\n"))
        esac
      else
        case "$noun $verb $previous" in
    \(tree.nouns.flatMap(values).joined(separator: "\n"))
        esac
        case "$noun $verb" in
    \(tree.nouns.flatMap(options).joined(separator: "\n"))
        esac
      fi
      COMPREPLY=($(compgen -W "$words" -- "$word"))
    }
    complete -o default -F _\(tree.name) \(tree.name)

    """
  }

  private static func options(_ noun: CommandTree.Noun) -> [String] {
    noun.verbs.map { verb in
      let names = verb.options.map { "--\($0.name)" }.joined(separator: " ")
      return "      \"\(noun.name) \(verb.name)\") words=\"\(names)\" ;;"
    }
  }

  /// What may follow an option that wants a value.
  private static func values(_ noun: CommandTree.Noun) -> [String] {
    noun.verbs.flatMap { verb in
      verb.options.filter { !$0.isFlag }.map { option in
        let short = option.short.map { "|\"\(noun.name) \(verb.name) -\($0)\"" } ?? ""
        let reply =
          option.takesPath
          ? "compgen -f -- \"$word\"" : "compgen -W \"\(option.choices.joined(separator: " "))\" -- \"$word\""
        return
          "      \"\(noun.name) \(verb.name) --\(option.name)\"\(short)) COMPREPLY=($(\(reply))); return ;;"
      }
    }
  }
}
