import Glibc

/// What a command line asks for.
public enum Outcome<Action: Sendable>: Sendable {
  case run(Command<Action>, OptionValues)
  /// The text to print to standard output.
  case help(String)
}

extension Program {
  /// Finds the command and resolves its options: command line over environment over file over defaults.
  ///
  /// - Parameters:
  ///   - arguments: without the program's own name.
  ///   - readFile: the text of the configuration file, nil when it cannot be read.
  public func parse(
    arguments: some Sequence<String>, environment: [String: String],
    readFile: (String) -> String? = readTextFile
  ) throws(UsageError) -> Outcome<Action> {
    var path = name
    var globals: [String: [String]] = [:]
    let command: Command<Action>
    var words = Array(arguments)
    switch shape {
    case .single(let single): command = single
    case .nouns(let nouns):
      words = try take(words, options, into: &globals, path)
      if globals[helpOption.name] != nil { return .help(help()) }
      if words.first == "help" {
        words.removeFirst()
        words.append("--\(helpOption.name)")
        if words.count == 1 { return .help(help()) }
      }
      let noun = try Self.find(&words, in: nouns, \.name, kind: "noun", path)
      path += " \(noun.name)"
      if let verb = noun.defaultVerb {
        // What is no option of every command is one of the verb that nobody said.
        words = (try? take(words, options, into: &globals, path)) ?? [verb] + words
        if words.isEmpty { words = [verb] }
      } else {
        words = try take(words, options, into: &globals, path)
      }
      if globals[helpOption.name] != nil { return .help(help(of: noun)) }
      command = try Self.find(&words, in: noun.verbs, \.name, kind: "verb", path)
      path += " \(command.name)"
    }
    let known = options + command.options
    let declarations = known.map(\.declaration) + [helpOption]
    let parsed = try Getopt.parse(
      words, declarations: declarations, stopsAtOperand: false, command: path)
    for use in parsed.uses {
      globals[declarations[use.declaration].name, default: []].append(use.text ?? "true")
    }
    if globals[helpOption.name] != nil { return .help(help(of: command, path: path)) }

    let resolver = Resolver(
      given: globals, environment: environment, prefix: environmentPrefix, command: path,
      file: try configurationFile(given: globals, environment, path, readFile))
    var values = OptionValues()
    values.entries = try resolver.resolve(known)
    values.argumentTexts = try Self.assign(parsed.operands, to: command, path)
    return .run(command, values)
  }

  /// Takes leading options off the words, for the words before a noun or a verb.
  private func take(
    _ words: [String], _ options: [any AnyOption], into given: inout [String: [String]], _ path: String
  ) throws(UsageError) -> [String] {
    let declarations = options.map(\.declaration) + [helpOption]
    let parsed = try Getopt.parse(words, declarations: declarations, stopsAtOperand: true, command: path)
    for use in parsed.uses {
      given[declarations[use.declaration].name, default: []].append(use.text ?? "true")
    }
    return parsed.operands
  }

  private static func find<Item>(
    _ words: inout [String], in items: [Item], _ name: (Item) -> String, kind: String, _ path: String
  ) throws(UsageError) -> Item {
    let names = items.map(name)
    let list = names.joined(separator: ", ")
    guard let word = words.first else {
      throw UsageError(command: path, problem: "a \(kind) is wanted: \(list)")
    }
    guard let item = items.first(where: { name($0) == word }) else {
      let near = NearMiss.suggestion(for: word, among: names)
      let known = near == nil ? "; there are \(list)" : ""
      throw UsageError(command: path, problem: "unknown \(kind) '\(word)'\(known)", suggestion: near)
    }
    words.removeFirst()
    return item
  }

  private static func assign(
    _ operands: [String], to command: Command<Action>, _ path: String
  ) throws(UsageError) -> [String: [String]] {
    var rest = operands[...]
    var texts: [String: [String]] = [:]
    for argument in command.arguments.map(\.declaration) {
      switch argument.count {
      case .one:
        guard let word = rest.popFirst() else {
          throw UsageError(command: path, problem: "\(argument.name) is missing")
        }
        texts[argument.name] = [word]
      case .atMostOne: texts[argument.name] = rest.popFirst().map { [$0] } ?? []
      case .any:
        texts[argument.name] = Array(rest)
        rest = []
      }
    }
    if let extra = rest.first {
      throw UsageError(command: path, problem: "unexpected argument '\(extra)'")
    }
    return texts
  }

  private func configurationFile(
    given: [String: [String]], _ environment: [String: String], _ path: String,
    _ readFile: (String) -> String?
  ) throws(UsageError) -> ConfigurationFile? {
    guard let declaration = configuration?.declaration else { return nil }
    let variable = declaration.environmentName(prefix: environmentPrefix).flatMap { environment[$0] }
    guard let file = given[declaration.name]?.last ?? variable, !file.isEmpty else { return nil }
    guard let text = readFile(file) else {
      throw UsageError(command: path, problem: "cannot read the configuration file '\(file)'")
    }
    let configuration = try ConfigurationFile(path: file, text: text, command: path)
    let names = declarations.filter { $0.environment != .none }.map(\.name)
    for setting in configuration.settings where !names.contains(setting.name) {
      throw UsageError(
        command: path, problem: "\(file):\(setting.line): unknown setting '\(setting.name)'",
        suggestion: NearMiss.suggestion(for: setting.name, among: names))
    }
    return configuration
  }
}

/// `--help` and `-h` belong to every command.
let helpOption = OptionDeclaration(name: "help", short: "h", value: nil, help: "Shows this help.")

/// The text of a file, nil when it cannot be read; at most 1 MiB.
public func readTextFile(_ path: String) -> String? {
  guard let file = fopen(path, "re") else { return nil }
  defer { fclose(file) }
  let limit = 1 << 20
  let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
    count = fread(buffer.baseAddress, 1, limit, file)
  }
  return ferror(file) == 0 ? String(validating: bytes, as: UTF8.self) : nil
}
