/// Where a value comes from, the strongest first.
public enum Origin: Sendable, Hashable, CustomStringConvertible {
  case commandLine
  case environment(variable: String)
  case file(path: String, line: Int)
  case defaultValue
  /// Nobody said anything and there is no default.
  case unset

  public var description: String {
    switch self {
    case .commandLine: "command line"
    case .environment(let variable): "environment \(variable)"
    case .file(let path, let line): "\(path):\(line)"
    case .defaultValue: "default"
    case .unset: "unset"
    }
  }
}

/// The options and arguments of one call, every one already checked.
public struct OptionValues: Sendable {
  /// One option as it was resolved.
  public struct Entry: Sendable, Hashable {
    public var declaration: OptionDeclaration
    public var texts: [String]
    public var origin: Origin
  }

  /// In the order of declaration.
  public internal(set) var entries: [Entry] = []
  var argumentTexts: [String: [String]] = [:]

  /// The value of an option that the command declares.
  public subscript<Value>(option: Option<Value>) -> Value {
    let entry = entry(option.declaration)
    // Parsing refused what cannot be read, with a message: here it would be a mistake of ours.
    do { return try option.read(entry.texts) } catch {
      fatalError("--\(option.declaration.name) was not checked: \(error.reason)")
    }
  }

  /// The value of an argument that the command declares.
  public subscript<Value>(argument: Argument<Value>) -> Value {
    guard let texts = argumentTexts[argument.declaration.name] else {
      fatalError("the command does not declare \(argument.declaration.name)")
    }
    return argument.read(texts)
  }

  public func origin(of option: some AnyOption) -> Origin { entry(option.declaration).origin }

  /// Whether the command that runs has this option.
  public func declares(_ option: some AnyOption) -> Bool {
    entries.contains { $0.declaration.name == option.declaration.name }
  }

  private func entry(_ declaration: OptionDeclaration) -> Entry {
    guard let entry = entries.first(where: { $0.declaration.name == declaration.name }) else {
      fatalError("the command does not declare --\(declaration.name)")
    }
    return entry
  }
}
