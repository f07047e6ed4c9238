import CarillonOptions

extension BenchProgram {
  /// What needs no server.
  static var libraryNouns: [Noun<Action>] {
    [
      Noun(
        "planner", "Planning a device beside the plain algorithm over Foundation's calendar.",
        verbs: [
          Command(
            "run", "Runs the measurement.",
            options: [BenchOptions.rounds, BenchOptions.entries, BenchOptions.seed, BenchOptions.sample],
            action: { values in
              var settings = PlannerBenchmark.Settings()
              settings.rounds = values[BenchOptions.rounds]
              settings.entries = values[BenchOptions.entries]
              settings.seed = UInt64(values[BenchOptions.seed])
              settings.sample = Double(values[BenchOptions.sample]) / 1000
              return try PlannerBenchmark(settings: settings, progress: BenchProgram.note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "json", "Reading and writing a device's report beside Foundation's coders.",
        verbs: [
          Command(
            "run", "Runs the measurement.", options: [BenchOptions.rounds, BenchOptions.sample],
            action: { values in
              var settings = JSONBenchmark.Settings()
              settings.rounds = values[BenchOptions.rounds]
              settings.sample = Double(values[BenchOptions.sample]) / 1000
              return try JSONBenchmark(settings: settings, progress: BenchProgram.note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "time", "The next fire of calendar triggers beside Foundation's calendar.",
        verbs: [
          Command(
            "run", "Runs the measurement.",
            options: [BenchOptions.rounds, BenchOptions.seed, BenchOptions.sample],
            action: { values in
              var settings = TimeBenchmark.Settings()
              settings.rounds = values[BenchOptions.rounds]
              settings.seed = UInt64(values[BenchOptions.seed])
              settings.sample = Double(values[BenchOptions.sample]) / 1000
              return try TimeBenchmark(settings: settings, progress: BenchProgram.note).run()
            })
        ], defaultVerb: "run"),
    ]
  }
}
