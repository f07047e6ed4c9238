import CarillonOptions
import Glibc

/// The program `tenantctl`: from words to an exit code.
public enum TenantControl {
  /// Runs the process's own command line and ends the process.
  public static func main() async -> Never {
    let code = await run(
      arguments: Array(CommandLine.arguments.dropFirst()), environment: ProcessEnvironment.current())
    exit(code.rawValue)
  }

  /// Runs one command line.
  ///
  /// - Parameter arguments: without the program's own name.
  public static func run(arguments: [String], environment: [String: String]) async -> ExitCode {
    // A reader that goes away shall end the writing, not the process.
    signal(SIGPIPE, SIG_IGN)
    let console = Console(environment: environment)
    do {
      switch try program.parse(arguments: arguments, environment: environment) {
      case .help(let text):
        try console.write(text)
        return .ok
      case .run(let command, let values):
        let context = CommandContext(values: values, console: console, environment: environment)
        return try await command.action(context)
      }
    } catch let error as UsageError {
      console.complain(error.description)
      return .usage
    } catch {
      let failure = CommandFailure(error)
      console.complain(failure.message)
      return failure.code
    }
  }

  static let program = Program<CommandAction>(
    "tenantctl", "Runs a Carillon installation: database, tenants, keys, policies, devices and plans.",
    environmentPrefix: "TENANTCTL_", options: CommonOptions.all, configuration: CommonOptions.configuration,
    examples: [
      "tenantctl db migrate",
      "tenantctl tenant create acme",
      "tenantctl key create acme --scope all",
      "tenantctl plan preview --device D.json --queue Q.json --now 2026-03-04T00:00:00Z",
    ],
    nouns: [
      DatabaseNoun.noun, TenantNoun.noun, KeyNoun.noun, PolicyNoun.noun, DeviceNoun.noun,
      PlanNoun.noun, ReportNoun.noun, AuditNoun.noun, ConfigNoun.noun, CompletionNoun.noun, DoctorNoun.noun,
    ])
}
