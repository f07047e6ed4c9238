import CarillonOptions

extension BenchProgram {
  /// What one server does with a fleet of equal devices.
  static var serverNouns: [Noun<Action>] {
    [
      Noun(
        "sync", "Syncs over HTTP beside pgbench of one upsert a transaction.",
        verbs: [
          syncCommand(.steady, "Nothing has changed."),
          syncCommand(.changing, "One notification is put at another time."),
          syncCommand(.first, "A device that was never seen, with its queue."),
        ], defaultVerb: "steady"),
      Noun(
        "plan-304", "Plans that the device has already, beside healthz of the same server.",
        verbs: [
          Command(
            "run", "Runs the measurement.",
            options: [
              BenchOptions.rounds, BenchOptions.seconds, BenchOptions.devices, BenchOptions.connections,
              BenchOptions.port,
            ],
            action: { values in
              var settings = PlanBenchmark.Settings(programs: programFolder)
              settings.rounds = values[BenchOptions.rounds]
              settings.seconds = values[BenchOptions.seconds]
              settings.devices = values[BenchOptions.devices]
              settings.connections = values[BenchOptions.connections]
              settings.port = UInt16(values[BenchOptions.port])
              return try await PlanBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "enqueue", "Batches of a thousand puts beside one INSERT of a thousand rows by pgbench.",
        verbs: [
          Command(
            "run", "Runs the measurement.",
            options: [BenchOptions.rounds, BenchOptions.seconds, BenchOptions.port, BenchOptions.postgres],
            action: { values in
              var settings = EnqueueBenchmark.Settings(
                programs: programFolder, postgresPrograms: values[BenchOptions.postgres])
              settings.rounds = values[BenchOptions.rounds]
              settings.seconds = values[BenchOptions.seconds]
              settings.port = UInt16(values[BenchOptions.port])
              return try await EnqueueBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "memory", "The server's memory under a load, and for each idle connection.",
        verbs: [
          Command(
            "run", "Runs the measurement.",
            options: [
              BenchOptions.loadSeconds, BenchOptions.devices, BenchOptions.connections, BenchOptions.idle,
              BenchOptions.port,
            ],
            action: { values in
              var settings = MemoryBenchmark.Settings(programs: programFolder)
              settings.seconds = values[BenchOptions.loadSeconds]
              settings.devices = values[BenchOptions.devices]
              settings.connections = values[BenchOptions.connections]
              settings.idle = values[BenchOptions.idle]
              settings.port = UInt16(values[BenchOptions.port])
              return try await MemoryBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "overload", "Steady syncs at what the server can do, at twice as many, and right after.",
        verbs: [
          Command(
            "run", "Runs the measurement.",
            options: [BenchOptions.rounds, BenchOptions.seconds, BenchOptions.port],
            action: { values in
              var settings = OverloadBenchmark.Settings(programs: programFolder)
              settings.rounds = values[BenchOptions.rounds]
              settings.seconds = values[BenchOptions.seconds]
              settings.port = UInt16(values[BenchOptions.port])
              return try await OverloadBenchmark(settings: settings, progress: note).run()
            })
        ], defaultVerb: "run"),
      Noun(
        "fairness", "One tenant's steady syncs alone and beside another's at ten times its limit.",
        verbs: [
          Command(
            "run", "Runs the measurement.",
            options: [BenchOptions.rounds, BenchOptions.seconds, BenchOptions.port],
            action: { values in
              var settings = FairnessBenchmark.Settings(programs: BenchProgram.programFolder)
              settings.rounds = values[BenchOptions.rounds]
              settings.seconds = values[BenchOptions.seconds]
              settings.port = UInt16(values[BenchOptions.port])
              return try await FairnessBenchmark(settings: settings, progress: BenchProgram.note).run()
            })
        ], defaultVerb: "run"),
    ]
  }

  private static func syncCommand(_ kind: SyncBenchmark.Kind, _ about: String) -> Command<Action> {
    Command(
      kind.rawValue, about,
      options: [
        BenchOptions.rounds, BenchOptions.seconds, BenchOptions.devices, BenchOptions.connections,
        BenchOptions.port,
        BenchOptions.postgres,
      ],
      action: { values in
        var settings = SyncBenchmark.Settings(
          kind: kind, programs: programFolder, postgresPrograms: values[BenchOptions.postgres])
        settings.rounds = values[BenchOptions.rounds]
        settings.seconds = values[BenchOptions.seconds]
        settings.devices = values[BenchOptions.devices]
        settings.connections = values[BenchOptions.connections]
        settings.port = UInt16(values[BenchOptions.port])
        return try await SyncBenchmark(settings: settings, progress: note).run()
      })
  }
}
