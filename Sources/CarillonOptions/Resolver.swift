/// Chooses, for each option, the strongest source that says something.
struct Resolver {
  /// Texts from the command line, by option name.
  var given: [String: [String]]
  var environment: [String: String]
  var prefix: String
  var command: String
  var file: ConfigurationFile?

  func resolve(_ options: [any AnyOption]) throws(UsageError) -> [OptionValues.Entry] {
    var entries: [OptionValues.Entry] = []
    for option in options {
      let declaration = option.declaration
      let (texts, origin) = source(of: declaration)
      if texts.isEmpty, declaration.isRequired {
        let name = "--\(declaration.name) \(declaration.value ?? "")"
        let variable =
          declaration.environmentName(prefix: prefix).map { " (or \($0) in the environment)" } ?? ""
        throw UsageError(command: command, problem: "\(name) is missing\(variable)")
      }
      do { try option.check(texts) } catch {
        let place =
          switch origin {
          case .commandLine, .defaultValue, .unset: "--\(declaration.name)"
          case .environment(let variable): variable
          case .file(let path, let line): "'\(declaration.name)' in \(path):\(line)"
          }
        let value = texts.last ?? ""
        throw UsageError(
          command: command, problem: "invalid value '\(value)' for \(place): \(error.reason)")
      }
      entries.append(OptionValues.Entry(declaration: declaration, texts: texts, origin: origin))
    }
    return entries
  }

  private func source(of declaration: OptionDeclaration) -> (texts: [String], origin: Origin) {
    if let texts = given[declaration.name] { return (texts, .commandLine) }
    if let variable = declaration.environmentName(prefix: prefix) {
      // An empty variable is how a shell or a unit file says "none".
      if let text = environment[variable], !text.isEmpty {
        let texts = declaration.repeats ? text.split(separator: ",").map(String.init) : [text]
        return (texts, .environment(variable: variable))
      }
      let settings = file?.settings.filter { $0.name == declaration.name } ?? []
      if let last = settings.last, let path = file?.path {
        return (settings.map(\.value), .file(path: path, line: last.line))
      }
    }
    if let text = declaration.defaultText { return ([text], .defaultValue) }
    return ([], .unset)
  }
}
