import CarillonOptions
import Foundation

/// `carillon-bench`: each measurement beside its rival, in the same minute.
public enum BenchProgram {
  typealias Action = @Sendable (OptionValues) async throws -> [Measurement]

  private static let output = Option.choice(
    "output", short: "o", value: "FORMAT", default: ReportWriter.Format.table, "table or json.")

  private static let program = Program<Action>(
    "carillon-bench", "Measures Carillon beside its rivals.", environmentPrefix: "CARILLON_BENCH_",
    options: [output], nouns: serverNouns + fleetNouns + libraryNouns)

  /// 0, 1 when a measurement could not be made, 2 for a usage error.
  public static func run(_ arguments: [String]) async -> Int32 {
    let outcome: Outcome<Action>
    do {
      outcome = try program.parse(arguments: arguments, environment: ProcessInfo.processInfo.environment)
    } catch {
      note(error.description)
      return 2
    }
    switch outcome {
    case .help(let text):
      FileHandle.standardOutput.write(Data(text.utf8))
      return 0
    case .run(let command, let values):
      #if DEBUG
        note("This is a debug build: its figures say nothing. Build with: swift build -c release")
      #endif
      do {
        let measurements = try await command.action(values)
        let text = ReportWriter.text(measurements, as: values[output])
        FileHandle.standardOutput.write(Data(text.utf8))
        return 0
      } catch {
        note("carillon-bench: \(error)")
        return 1
      }
    }
  }

  static var programFolder: String {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().path
  }

  static func note(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
