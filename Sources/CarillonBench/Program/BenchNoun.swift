import CarillonOptions

extension BenchProgram {
  /// A noun with one measurement, which needs no verb.
  static func measurement(
    _ name: String, _ summary: String, discussion: String = "", options: [any AnyOption],
    action: @escaping Action
  ) -> Noun<Action> {
    let run = Command(
      "run", "Runs the measurement.", discussion: discussion, options: options, action: action)
    return Noun(name, summary, verbs: [run], defaultVerb: run.name)
  }

  /// As ``measurement(_:_:discussion:options:action:)``, of a server.
  static func serverMeasurement(
    _ name: String, _ summary: String, discussion: String = "", options: [any AnyOption],
    action: @escaping @Sendable (OptionValues, Place) async throws -> [Measurement]
  ) -> Noun<Action> {
    measurement(name, summary, discussion: discussion, options: options + placeOptions) { values in
      try await action(values, place(values))
    }
  }

  static let placeOptions: [any AnyOption] = [BenchOptions.port, BenchOptions.postgres]

  static func place(_ values: OptionValues) -> Place {
    Place(
      port: UInt16(values[BenchOptions.port]), programs: programFolder,
      postgresPrograms: values[BenchOptions.postgres])
  }
}
