import CarillonOptions
import Foundation

/// `carillon-bench`: each measurement beside its rival, in the same minute.
public enum BenchProgram {
  private typealias Action = @Sendable (OptionValues) async throws -> [Measurement]

  private static let output = Option.choice(
    "output", short: "o", value: "FORMAT", default: ReportWriter.Format.table, "table or json.")
  private static let rounds = Option.integer(
    "rounds", value: "N", in: 1...100, default: 3, "Rounds, each with its rival.")
  private static let seconds = Option.integer(
    "seconds", value: "N", in: 1...600, default: 8, "Length of each part of a round.")
  private static let devices = Option.integer(
    "devices", value: "N", in: 64...1_000_000, default: 2_000, "Devices in the fleet.")
  private static let connections = Option.integer(
    "connections", value: "N", in: 1...1_000, default: 64,
    "Keep-alive connections, one request each in flight.")
  private static let port = Option.integer(
    "port", value: "P", in: 1024...64_535, default: 18_080, "Port of the server that is measured.")
  private static let postgres = Option.text(
    "postgres-programs", value: "FOLDER", default: "/usr/lib/postgresql/15/bin",
    "Where pgbench and psql stand.")

  private static let entries = Option.integer(
    "entries", value: "N", in: 1...100_000, "Only a queue of this size, not the usual ones.")
  private static let seed = Option.integer(
    "seed", value: "N", in: 0...Int.max, default: 1, "Makes the queue, the instants, or the fleet.")
  private static let sample = Option.integer(
    "sample", value: "MS", in: 1...60_000, default: 100, "Milliseconds that each sample runs at least.")

  private static let fleet = Option.integer(
    "devices", value: "N", in: 1...100_000_000, default: 1_000_000, "Devices in the fleet.")
  private static let counted = Option.integer(
    "sample-devices", value: "N", in: 1_000...1_000_000, default: 20_000,
    "Devices whose day the real roll-up counts.")
  private static let days = Option.integer(
    "days", value: "N", in: 2...400, default: 365, "Days that are reported.")

  private static let program = Program<Action>(
    "carillon-bench", "Measures Carillon beside its rivals.", environmentPrefix: "CARILLON_BENCH_",
    options: [output],
    nouns: [
      Noun(
        "sync", "Steady syncs over HTTP beside pgbench of one upsert a transaction.",
        verbs: [
          Command(
            "run", "Runs the measurement.", options: [rounds, seconds, devices, connections, port, postgres],
            action: { values in
              var settings = SyncBenchmark.Settings(
                programs: programFolder, postgresPrograms: values[postgres])
              settings.rounds = values[rounds]
              settings.seconds = values[seconds]
              settings.devices = values[devices]
              settings.connections = values[connections]
              settings.port = UInt16(values[port])
              return try await SyncBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "fairness", "One tenant's steady syncs alone and beside another's at ten times its limit.",
        verbs: [
          Command(
            "run", "Runs the measurement.", options: [rounds, seconds, port],
            action: { values in
              var settings = FairnessBenchmark.Settings(programs: programFolder)
              settings.rounds = values[rounds]
              settings.seconds = values[seconds]
              settings.port = UInt16(values[port])
              return try await FairnessBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "planner", "Planning a device beside the plain algorithm over Foundation's calendar.",
        verbs: [
          Command(
            "run", "Runs the measurement.", options: [rounds, entries, seed, sample],
            action: { values in
              var settings = PlannerBenchmark.Settings()
              settings.rounds = values[rounds]
              settings.entries = values[entries]
              settings.seed = UInt64(values[seed])
              settings.sample = Double(values[sample]) / 1000
              return try PlannerBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "json", "Reading and writing a device's report beside Foundation's coders.",
        verbs: [
          Command(
            "run", "Runs the measurement.", options: [rounds, sample],
            action: { values in
              var settings = JSONBenchmark.Settings()
              settings.rounds = values[rounds]
              settings.sample = Double(values[sample]) / 1000
              return try JSONBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "time", "The next fire of calendar triggers beside Foundation's calendar.",
        verbs: [
          Command(
            "run", "Runs the measurement.", options: [rounds, seed, sample],
            action: { values in
              var settings = TimeBenchmark.Settings()
              settings.rounds = values[rounds]
              settings.seed = UInt64(values[seed])
              settings.sample = Double(values[sample]) / 1000
              return try TimeBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "reports", "The six reports over a year of a large fleet, over HTTP and by tenantctl.",
        verbs: [
          Command(
            "run", "Runs the measurement.",
            discussion:
              "One day of a sample of devices is counted by the real roll-up; the other days are "
              + "rows generated from that day's, as many and of the same shape: 8 types in 53 cohorts, 12 app versions, "
              + "53 weeks of installation. Each report is asked for whole, over all days.",
            options: [rounds, fleet, counted, days, seed, port, postgres],
            action: { values in
              var settings = ReportsBenchmark.Settings(
                programs: programFolder, postgresPrograms: values[postgres])
              settings.rounds = values[rounds]
              settings.devices = values[fleet]
              settings.sample = values[counted]
              settings.days = values[days]
              settings.seed = values[seed]
              settings.port = UInt16(values[port])
              return try await ReportsBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
    ])

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

  private static var programFolder: String {
    URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent().path
  }

  private static func note(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
