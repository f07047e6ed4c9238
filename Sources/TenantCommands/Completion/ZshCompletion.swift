import CarillonOptions

enum ZshCompletion {
  static func script(_ tree: CommandTree) -> String {
    """
    #compdef \(tree.name)
    # zsh completion for \(tree.name)
    _\(tree.name)() {
      local -a words_here
      if (( CURRENT == 2 )); then
        words_here=(\(tree.nouns.map { described($0.name, $0.summary) }.joined(separator: " ")))
        _describe noun words_here
      elif (( CURRENT == 3 )); then
        case "$words[2]" in
    \(tree.nouns.map(verbs).joined(separator: "\n"))
        esac
        _describe verb words_here
      else
        case "$words[2] $words[3]" in
    \(tree.nouns.flatMap(options).joined(separator: "\n"))
        esac
      fi
    }
    compdef _\(tree.name) \(tree.name)

    """
  }

  private static func verbs(_ noun: CommandTree.Noun) -> String {
    "      \(noun.name)) words_here=(\(noun.verbs.map { described($0.name, $0.summary) }.joined(separator: " "))) ;;"
  }

  private static func options(_ noun: CommandTree.Noun) -> [String] {
    noun.verbs.map { verb in
      let specifications = verb.options.map { option in
        let value = option.value.map {
          ":\($0):\(option.takesPath ? "_files" : "(\(option.choices.joined(separator: " ")))")"
        }
        return quoted("--\(option.name)[\(plain(option.help))]\(value ?? "")")
      }
      return
        "      \"\(noun.name) \(verb.name)\") _arguments \(specifications.joined(separator: " ")) '*:file:_files' ;;"
    }
  }

  private static func described(_ name: String, _ summary: String) -> String {
    quoted("\(name):\(plain(summary))")
  }

  /// Colons and brackets end a description.
  private static func plain(_ text: String) -> String {
    String(text.map { ":[]".contains($0) ? "," : $0 })
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
