import CarillonOptions

extension BenchProgram {
  /// What is done with many devices of many tenants.
  static var fleetNouns: [Noun<Action>] {
    [
      serverMeasurement(
        "fleet", "A tenant planned anew after a change of its policy, beside COPY of the same rows.",
        options: [
          BenchOptions.rounds, BenchOptions.planned, BenchOptions.tenants, BenchOptions.seed,
          BenchOptions.connections,
        ]
      ) { values, place in
        let settings = FleetBenchmark.Settings(
          devices: values[BenchOptions.planned], tenants: values[BenchOptions.tenants],
          seed: UInt64(values[BenchOptions.seed]), connections: values[BenchOptions.connections],
          rounds: values[BenchOptions.rounds], place: place)
        return try await FleetBenchmark(settings: settings, progress: note).run()
      },
      serverMeasurement(
        "scale", "Steady syncs over a table of devices, beside those over a tenth of it.",
        options: [
          BenchOptions.rounds, BenchOptions.seconds, BenchOptions.fleet, BenchOptions.tenants,
          BenchOptions.seed, BenchOptions.connections,
        ]
      ) { values, place in
        let settings = ScaleBenchmark.Settings(
          devices: values[BenchOptions.fleet], tenants: values[BenchOptions.tenants],
          seed: UInt64(values[BenchOptions.seed]), connections: values[BenchOptions.connections],
          seconds: values[BenchOptions.seconds], rounds: values[BenchOptions.rounds], place: place)
        return try await ScaleBenchmark(settings: settings, progress: note).run()
      },
      serverMeasurement(
        "reports", "The six reports over a year of a large fleet, over HTTP and by tenantctl.",
        discussion:
          "One day of a sample of devices is counted by the real roll-up; the other days are "
          + "rows generated from that day's, as many and of the same shape: 8 types in 53 cohorts, 12 app versions, "
          + "53 weeks of installation. Each report is asked for whole, over all days.",
        options: [
          BenchOptions.rounds, BenchOptions.fleet, BenchOptions.counted, BenchOptions.days, BenchOptions.seed,
        ]
      ) { values, place in
        let settings = ReportsBenchmark.Settings(
          devices: values[BenchOptions.fleet], sample: values[BenchOptions.counted],
          days: values[BenchOptions.days], rounds: values[BenchOptions.rounds],
          seed: values[BenchOptions.seed], place: place)
        return try await ReportsBenchmark(settings: settings, progress: note).run()
      },
    ]
  }
}
