/// What is wrong with a command line, an environment or a configuration file, and what to do about it.
/// Programs print it to standard error and exit with 2.
public struct UsageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The program, with noun and verb as far as they were understood.
  public var command: String
  public var problem: String
  /// The name that was probably meant, as it is to be typed.
  public var suggestion: String?

  public init(command: String, problem: String, suggestion: String? = nil) {
    self.command = command
    self.problem = problem
    self.suggestion = suggestion
  }

  public var description: String {
    let meant = suggestion.map { "; did you mean '\($0)'?" } ?? ""
    return "\(command): \(problem)\(meant)\nTry '\(command) --help'."
  }
}
