/// One option of a command, with the type of its value.
///
/// Declared once as a constant, listed in a ``Command`` and read with `values[option]`:
///
///     let listen = Option.text("listen", value: "ADDRESS:PORT", default: "127.0.0.1:8080", "Where to listen.")
///     let loops = Option.integer("loops", value: "N", in: 1...64, "Event loops; one per core when absent.")
///     let server = Command("carillon-server", "Serves devices.", options: [listen, loops]) { … }
///
/// A value comes from the command line, else from the environment, else from the configuration file, else from
/// the default.
public struct Option<Value: Sendable>: Sendable, AnyOption {
  public var declaration: OptionDeclaration
  /// Turns the texts of the source that won into the value; no text at all means that none gave any.
  let read: @Sendable ([String]) throws(InvalidValue) -> Value

  public init(
    _ declaration: OptionDeclaration,
    read: @escaping @Sendable ([String]) throws(InvalidValue) -> Value
  ) {
    self.declaration = declaration
    self.read = read
  }

  public func check(_ texts: [String]) throws(InvalidValue) { _ = try read(texts) }

  /// The same option read from a variable that does not carry the program's prefix, e.g. `DATABASE_URL`.
  public func environment(_ name: String) -> Self {
    var copy = self
    copy.declaration.environment = .named(name)
    return copy
  }

  /// The same option taken from the command line alone: what must be said each time, like a confirmation.
  public func commandLineOnly() -> Self {
    var copy = self
    copy.declaration.environment = .none
    return copy
  }
}

/// What an option is, without the type of its value: what parsing, help and completion need.
public struct OptionDeclaration: Sendable, Hashable {
  public enum Environment: Sendable, Hashable {
    /// The program's prefix and the name in capitals: `CARILLON_ADMIN_LISTEN`. Also a key of the file.
    case prefixed
    case named(String)
    /// Neither environment nor file.
    case none
  }

  /// Long name without dashes: lower case, words joined by `-`.
  public var name: String
  public var short: Character?
  /// What stands for the value in help; nil is a flag.
  public var value: String?
  public var help: String
  public var defaultText: String?
  public var isRequired = false
  /// Whether each use adds a value; otherwise the last one counts.
  public var repeats = false
  /// The values it can have, when they are few: for help, suggestions and completion.
  public var choices: [String] = []
  public var environment = Environment.prefixed

  public init(name: String, short: Character? = nil, value: String?, help: String) {
    self.name = name
    self.short = short
    self.value = value
    self.help = help
  }

  public var isFlag: Bool { value == nil }

  /// Its variable, or nil when it has none.
  public func environmentName(prefix: String) -> String? {
    switch environment {
    case .prefixed: prefix + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    case .named(let name): name
    case .none: nil
    }
  }
}

/// An ``Option`` of any value, as commands list them.
public protocol AnyOption: Sendable {
  var declaration: OptionDeclaration { get }
  func check(_ texts: [String]) throws(InvalidValue)
}

/// Why a text is no value of an option or argument.
public struct InvalidValue: Error, Sendable, Hashable {
  /// Goes on "invalid value 'x' for --option: ", e.g. "a number from 1 to 64 is wanted".
  public var reason: String
  public init(_ reason: String) { self.reason = reason }
}
