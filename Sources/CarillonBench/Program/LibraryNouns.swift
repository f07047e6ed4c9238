import CarillonOptions

extension BenchProgram {
  /// What needs no server.
  static var libraryNouns: [Noun<Action>] {
    [
      measurement(
        "planner", "Planning a device beside the plain algorithm over Foundation's calendar.",
        options: [BenchOptions.rounds, BenchOptions.entries, BenchOptions.seed, BenchOptions.sample]
      ) { values in
        var settings = PlannerBenchmark.Settings()
        settings.rounds = values[BenchOptions.rounds]
        settings.entries = values[BenchOptions.entries]
        settings.seed = UInt64(values[BenchOptions.seed])
        settings.sample = Double(values[BenchOptions.sample]) / 1000
        return try PlannerBenchmark(settings: settings, progress: note).run()
      },
      measurement(
        "json", "Reading and writing a device's report beside Foundation's coders.",
        options: [BenchOptions.rounds, BenchOptions.sample]
      ) { values in
        var settings = JSONBenchmark.Settings()
        settings.rounds = values[BenchOptions.rounds]
        settings.sample = Double(values[BenchOptions.sample]) / 1000
        return try JSONBenchmark(settings: settings, progress: note).run()
      },
      measurement(
        "time", "The next fire of calendar triggers beside Foundation's calendar.",
        options: [BenchOptions.rounds, BenchOptions.seed, BenchOptions.sample]
      ) { values in
        var settings = TimeBenchmark.Settings()
        settings.rounds = values[BenchOptions.rounds]
        settings.seed = UInt64(values[BenchOptions.seed])
        settings.sample = Double(values[BenchOptions.sample]) / 1000
        return try TimeBenchmark(settings: settings, progress: note).run()
      },
    ]
  }
}
