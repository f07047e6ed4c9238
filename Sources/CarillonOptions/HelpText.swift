extension Program {
  /// The help of the whole program.
  ///
  /// - Parameter width: columns, at least 40.
  public func help(width: Int = 80) -> String {
    switch shape {
    case .single(let command): return help(of: command, path: name, width: width)
    case .nouns(let nouns):
      var text = HelpText(width: width)
      text.usage("\(name) [options] <noun> <verb> [options] [arguments]")
      text.paragraph(summary)
      text.section("Nouns", nouns.map { ($0.name, $0.summary) })
      text.examples(examples)
      text.section("Options", rows(options))
      text.paragraph("'\(name) <noun> --help' and '\(name) <noun> <verb> --help' say more.")
      return text.text
    }
  }

  /// The help of a noun: its verbs.
  public func help(of noun: Noun<Action>, width: Int = 80) -> String {
    var text = HelpText(width: width)
    let verb = noun.defaultVerb == nil ? "<verb>" : "[<verb>]"
    text.usage("\(name) \(noun.name) \(verb) [options] [arguments]")
    text.paragraph(noun.summary)
    text.section("Verbs", noun.verbs.map { ($0.name, $0.summary) })
    text.examples(noun.verbs.compactMap(\.examples.first))
    text.section("Options", rows(options))
    return text.text
  }

  /// The help of one command.
  ///
  /// - Parameter path: program, noun and verb, as typed.
  public func help(of command: Command<Action>, path: String, width: Int = 80) -> String {
    var text = HelpText(width: width)
    let required = command.options.map(\.declaration).filter(\.isRequired)
      .map { " --\($0.name) \($0.value ?? "")" }.joined()
    let arguments = command.arguments.map { " \($0.declaration.spelling)" }.joined()
    text.usage("\(path)\(required) [options]\(arguments)")
    text.paragraph(command.summary)
    if !command.discussion.isEmpty { text.paragraph(command.discussion) }
    text.examples(command.examples)
    text.section("Arguments", command.arguments.map { ($0.declaration.name, $0.declaration.help) })
    text.section("Options", rows(command.options + options))
    return text.text
  }

  private func rows(_ options: [any AnyOption]) -> [(String, String)] {
    (options.map(\.declaration) + [helpOption]).map { option in
      let short = option.short.map { "-\($0), " } ?? "    "
      let value = option.value.map { " \($0)" } ?? ""
      return ("\(short)--\(option.name)\(value)", "\(option.help)\(notes(option))")
    }
  }

  private func notes(_ option: OptionDeclaration) -> String {
    var notes: [String] = []
    if !option.choices.isEmpty { notes.append(option.choices.joined(separator: ", ")) }
    if option.repeats { notes.append("may be repeated") }
    if option.isRequired { notes.append("required") }
    if let text = option.defaultText { notes.append("default \(text)") }
    if option != helpOption, let variable = option.environmentName(prefix: environmentPrefix) {
      notes.append("env \(variable)")
    }
    return notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))"
  }
}

extension ArgumentDeclaration {
  var spelling: String {
    switch count {
    case .one: name
    case .atMostOne: "[\(name)]"
    case .any: "[\(name) ...]"
    }
  }
}

/// Lays out help in two columns.
private struct HelpText {
  var width: Int
  var text = ""

  init(width: Int) { self.width = max(40, width) }

  mutating func usage(_ line: String) { text += "Usage: \(line)\n" }

  mutating func paragraph(_ content: String) {
    text += "\n" + Self.wrapped(content, width).joined(separator: "\n") + "\n"
  }

  /// Not wrapped: they are there to be copied.
  mutating func examples(_ lines: [String]) {
    guard !lines.isEmpty else { return }
    text += "\nExamples:\n" + lines.map { "  \($0)\n" }.joined()
  }

  mutating func section(_ title: String, _ rows: [(left: String, right: String)]) {
    guard !rows.isEmpty else { return }
    text += "\n\(title):\n"
    let column = min(rows.map(\.left.count).max() ?? 0, width / 2 - 4)
    for row in rows {
      var left = row.left
      // A left side too long for its column stands on a line of its own.
      if left.count > column {
        text += "  \(left)\n"
        left = ""
      }
      for line in Self.wrapped(row.right, width - column - 4) {
        text += "  \(left)\(String(repeating: " ", count: column - left.count))  \(line)\n"
        left = ""
      }
    }
  }

  private static func wrapped(_ content: String, _ width: Int) -> [String] {
    var lines: [String] = []
    for paragraph in content.split(separator: "\n", omittingEmptySubsequences: false) {
      var line = ""
      for word in paragraph.split(separator: " ") {
        if !line.isEmpty, line.count + 1 + word.count > width {
          lines.append(line)
          line = ""
        }
        line += line.isEmpty ? String(word) : " \(word)"
      }
      lines.append(line)
    }
    return lines
  }
}
