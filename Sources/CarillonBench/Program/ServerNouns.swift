import CarillonOptions

extension BenchProgram {
  /// What one server does with a fleet of equal devices.
  static var serverNouns: [Noun<Action>] {
    [
      Noun(
        "sync", "Syncs over HTTP beside pgbench of one upsert a transaction; of the SDK beside bare ones.",
        verbs: [
          steadyCommand,
          syncCommand(.changing, "One notification is put at another time."),
          syncCommand(.first, "A device that was never seen, with its queue."),
        ], defaultVerb: "steady"),
      serverMeasurement(
        "plan-304", "Plans that the device has already, beside healthz of the same server.",
        options: [BenchOptions.rounds, BenchOptions.seconds, BenchOptions.devices, BenchOptions.connections]
      ) { values, place in
        let settings = PlanBenchmark.Settings(
          devices: values[BenchOptions.devices], connections: values[BenchOptions.connections],
          seconds: values[BenchOptions.seconds], rounds: values[BenchOptions.rounds], place: place)
        return try await PlanBenchmark(settings: settings, progress: note).run()
      },
      serverMeasurement(
        "enqueue", "Batches of a thousand puts beside one INSERT of a thousand rows by pgbench.",
        options: [BenchOptions.rounds, BenchOptions.seconds]
      ) { values, place in
        let settings = EnqueueBenchmark.Settings(
          seconds: values[BenchOptions.seconds], rounds: values[BenchOptions.rounds], place: place)
        return try await EnqueueBenchmark(settings: settings, progress: note).run()
      },
      serverMeasurement(
        "memory", "The server's memory under a load, and for each idle connection.",
        options: [
          BenchOptions.loadSeconds, BenchOptions.devices, BenchOptions.connections, BenchOptions.idle,
        ]
      ) { values, place in
        let settings = MemoryBenchmark.Settings(
          devices: values[BenchOptions.devices], connections: values[BenchOptions.connections],
          seconds: values[BenchOptions.loadSeconds], idle: values[BenchOptions.idle], place: place)
        return try await MemoryBenchmark(settings: settings, progress: note).run()
      },
      serverMeasurement(
        "overload", "Steady syncs at what the server can do, at twice as many, and right after.",
        options: [BenchOptions.rounds, BenchOptions.seconds]
      ) { values, place in
        let settings = OverloadBenchmark.Settings(
          seconds: values[BenchOptions.seconds], rounds: values[BenchOptions.rounds], place: place)
        return try await OverloadBenchmark(settings: settings, progress: note).run()
      },
      serverMeasurement(
        "fairness", "One tenant's steady syncs alone and beside another's at ten times its limit.",
        options: [BenchOptions.rounds, BenchOptions.seconds]
      ) { values, place in
        let settings = FairnessBenchmark.Settings(
          seconds: values[BenchOptions.seconds], rounds: values[BenchOptions.rounds], place: place)
        return try await FairnessBenchmark(settings: settings, progress: note).run()
      },
    ]
  }

  private static func syncCommand(_ kind: SyncBenchmark.Kind, _ about: String) -> Command<Action> {
    Command(
      kind.rawValue, about,
      options: [BenchOptions.rounds, BenchOptions.seconds, BenchOptions.devices, BenchOptions.connections]
        + placeOptions,
      action: { values in try await syncs(kind, devices: values[BenchOptions.devices], values) })
  }

  /// The one kind of sync that the SDK can be measured by: the others need bytes that are made up.
  private static var steadyCommand: Command<Action> {
    Command(
      SyncBenchmark.Kind.steady.rawValue, "Nothing has changed.",
      discussion:
        "With --client sdk, devices that run the SDK in this process, beside as many bare ones; also the "
        + "memory of a device that is idle.",
      options: [
        BenchOptions.client, BenchOptions.rounds, BenchOptions.seconds, BenchOptions.steadyDevices,
        BenchOptions.connections,
      ] + placeOptions,
      action: { values in
        guard values[BenchOptions.client] == .sdk else {
          return try await syncs(.steady, devices: values[BenchOptions.steadyDevices] ?? 2_000, values)
        }
        let settings = SDKBenchmark.Settings(
          devices: values[BenchOptions.steadyDevices] ?? 10_000,
          connections: values[BenchOptions.connections], seconds: values[BenchOptions.seconds],
          rounds: values[BenchOptions.rounds], place: place(values))
        return try await SDKBenchmark(settings: settings, progress: note).run()
      })
  }

  private static func syncs(
    _ kind: SyncBenchmark.Kind, devices: Int, _ values: OptionValues
  ) async throws -> [Measurement] {
    let settings = SyncBenchmark.Settings(
      kind: kind, devices: devices, connections: values[BenchOptions.connections],
      seconds: values[BenchOptions.seconds], rounds: values[BenchOptions.rounds], place: place(values))
    return try await SyncBenchmark(settings: settings, progress: note).run()
  }
}
