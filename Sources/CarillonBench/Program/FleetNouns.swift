import CarillonOptions

extension BenchProgram {
  /// What is done with many devices of many tenants.
  static var fleetNouns: [Noun<Action>] {
    [
      Noun(
        "fleet", "A tenant planned anew after a change of its policy, beside COPY of the same rows.",
        verbs: [
          Command(
            "run", "Runs the measurement.",
            options: [
              BenchOptions.rounds, BenchOptions.planned, BenchOptions.tenants, BenchOptions.seed,
              BenchOptions.connections, BenchOptions.port, BenchOptions.postgres,
            ],
            action: { values in
              var settings = FleetBenchmark.Settings(
                programs: programFolder, postgresPrograms: values[BenchOptions.postgres])
              settings.rounds = values[BenchOptions.rounds]
              settings.devices = values[BenchOptions.planned]
              settings.tenants = values[BenchOptions.tenants]
              settings.seed = UInt64(values[BenchOptions.seed])
              settings.connections = values[BenchOptions.connections]
              settings.port = UInt16(values[BenchOptions.port])
              return try await FleetBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "scale", "Steady syncs over a table of devices, beside those over a tenth of it.",
        verbs: [
          Command(
            "run", "Runs the measurement.",
            options: [
              BenchOptions.rounds, BenchOptions.seconds, BenchOptions.fleet, BenchOptions.tenants,
              BenchOptions.seed,
              BenchOptions.connections, BenchOptions.port, BenchOptions.postgres,
            ],
            action: { values in
              var settings = ScaleBenchmark.Settings(
                programs: programFolder, postgresPrograms: values[BenchOptions.postgres])
              settings.rounds = values[BenchOptions.rounds]
              settings.seconds = values[BenchOptions.seconds]
              settings.devices = values[BenchOptions.fleet]
              settings.tenants = values[BenchOptions.tenants]
              settings.seed = UInt64(values[BenchOptions.seed])
              settings.connections = values[BenchOptions.connections]
              settings.port = UInt16(values[BenchOptions.port])
              return try await ScaleBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "reports", "The six reports over a year of a large BenchOptions.fleet, over HTTP and by tenantctl.",
        verbs: [
          Command(
            "run", "Runs the measurement.",
            discussion:
              "One day of a sample of devices is counted by the real roll-up; the other days are "
              + "rows generated from that day's, as many and of the same shape: 8 types in 53 cohorts, 12 app versions, "
              + "53 weeks of installation. Each report is asked for whole, over all days.",
            options: [
              BenchOptions.rounds, BenchOptions.fleet, BenchOptions.counted, BenchOptions.days,
              BenchOptions.seed, BenchOptions.port, BenchOptions.postgres,
            ],
            action: { values in
              var settings = ReportsBenchmark.Settings(
                programs: BenchProgram.programFolder, postgresPrograms: values[BenchOptions.postgres])
              settings.rounds = values[BenchOptions.rounds]
              settings.devices = values[BenchOptions.fleet]
              settings.sample = values[BenchOptions.counted]
              settings.days = values[BenchOptions.days]
              settings.seed = values[BenchOptions.seed]
              settings.port = UInt16(values[BenchOptions.port])
              return try await ReportsBenchmark(settings: settings, progress: BenchProgram.note).run()
            })
        ], defaultVerb: "run"),
    ]
  }
}
