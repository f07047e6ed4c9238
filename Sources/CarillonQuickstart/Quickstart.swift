import CarillonClient
import CarillonJSON
import CarillonModel
import CarillonOptions
import CarillonZones
import Foundation

/// The demonstration of `deploy/quickstart`: two devices with two real queues, from an empty tenant to two plans.
///
/// Running it again finds everything as it left it, and says so.
public enum Quickstart {
  private typealias Action = @Sendable (OptionValues) async throws -> Void

  private static let server = Option<URL>.custom(
    "server", value: "URL", default: "http://127.0.0.1:8080", "Where carillon-server listens."
  ) { text throws(InvalidValue) in
    guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https", url.host != nil else {
      throw InvalidValue("an http or https address is wanted")
    }
    return url
  }
  private static let stateFolder = Option.text(
    "state", value: "DIR", default: ".carillon/demo", "Where the two devices keep what they remember.")
  private static let moment = Option<Instant?>.custom(
    "now", value: "INSTANT", "The devices' clock stands at this RFC 3339 time."
  ) { text throws(InvalidValue) in
    guard let instant = Instant(text) else {
      throw InvalidValue("an instant with an offset is wanted, like 2026-12-01T08:00:00Z")
    }
    return instant
  }

  private static let program = Program<Action>(
    Command(
      "carillon-quickstart", "Fills two queues, syncs two devices and shows what each holds.",
      discussion: "The tenant's key is read from CARILLON_KEY, so that no list of processes shows it.",
      options: [server, stateFolder, moment],
      action: { values in
        guard let key = ProcessInfo.processInfo.environment["CARILLON_KEY"], !key.isEmpty else {
          throw UsageError(
            command: "carillon-quickstart",
            problem: "CARILLON_KEY is not set; 'tenantctl key create TENANT --scope all' makes a key")
        }
        try await run(
          server: values[server], key: key, stateFolder: values[stateFolder], now: values[moment])
      }), environmentPrefix: "CARILLON_QUICKSTART_")

  /// Runs the program and ends the process.
  public static func main() async -> Never {
    do {
      let outcome = try program.parse(
        arguments: Array(CommandLine.arguments.dropFirst()),
        environment: ProcessInfo.processInfo.environment)
      switch outcome {
      case .help(let text): print(text, terminator: "")
      case .run(let command, let values): try await command.action(values)
      }
      exit(0)
    } catch let error as UsageError {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(2)
    } catch {
      FileHandle.standardError.write(Data("carillon-quickstart: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(server: URL, key: String, stateFolder: String, now: Instant?) async throws {
    var effects = Effects.system
    if let now { effects.now = { now } }
    let transport = URLSessionTransport(server: server)
    let demonstration = Demonstration(
      tenant: TenantClient(transport: transport, key: key), transport: transport, server: server, key: key,
      zones: try ZoneFolder(), stateFolder: stateFolder, effects: effects)
    try await demonstration.run { print($0) }
  }
}
