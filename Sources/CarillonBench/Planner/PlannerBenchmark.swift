import CarillonModel
import CarillonPlanner
import CarillonZones

/// Planning a device against the plain algorithm over Foundation's calendar, on the same entries.
struct PlannerBenchmark {
  struct Settings {
    var rounds = 3
    /// Only this size; nil is all of them.
    var entries: Int?
    var seed: UInt64 = 1
    /// How long each sample runs at least, in seconds.
    var sample = 0.1
  }

  let settings: Settings
  let progress: (String) -> Void
  private static let contested = [200, 1_000]
  private static let growing = [100, 500, 2_000, 4_000]

  func run() throws -> [Measurement] {
    let zones = try ZoneFolder()
    var contests: [Contest] = []
    var decoded: [(world: SampleWorld, times: Measurement)] = []
    for entries in settings.entries.map({ [$0] }) ?? Self.contested {
      for rules in [SampleWorld.Rules.quietHoursAndCap, .none] {
        let world = try SampleWorld(entries: entries, seed: settings.seed, rules: rules, zones: zones)
        let rival = try PlainPlanner(world.input)
        if rules == .none { try Agreement(world, rival).check(progress) }
        contests.append(
          Contest(
            Self.name(entries, rules), rival: "plain", unit: "us", scale: 1e-3,
            ours: { Self.plan(world.compiled, world.zones) }, rival: { rival.plan().count }))
        decoded.append(
          (
            world,
            Measurement(name: Self.name(entries, rules) + ", queue just decoded", unit: "us", values: [])
          ))
      }
    }
    var growth: [(entries: Int, world: SampleWorld, times: Measurement)] = []
    for entries in settings.entries == nil ? Self.growing : [] {
      let world = try SampleWorld(
        entries: entries, seed: settings.seed, rules: .quietHoursAndCap, zones: zones)
      growth.append(
        (
          entries, world,
          Measurement(name: Self.name(entries, .quietHoursAndCap), unit: "us", values: [])
        ))
    }
    let allocations = try allocationRows(
      zones, entries: settings.entries.map { [$0] } ?? Self.contested + Self.growing.suffix(1))
    let sampler = Sampler(seconds: settings.sample)
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      for index in contests.indices { contests[index].round(sampler) }
      for index in decoded.indices {
        let world = decoded[index].world
        let time = sampler.nanoseconds { Self.plan(world.input, world.zones) }
        decoded[index].times.values.append(time * 1e-3)
      }
      for index in growth.indices {
        let world = growth[index].world
        let time = sampler.nanoseconds { Self.plan(world.compiled, world.zones) }
        growth[index].times.values.append(time * 1e-3)
      }
    }
    return contests.flatMap(\.rows) + decoded.map(\.times) + growth.map(\.times)
      + growthRows(growth.map { ($0.entries, $0.times) })
      + allocations
  }

  private static func plan(_ input: PlanInput, _ zones: any ZoneLookup) -> Int {
    let result = Planner.plan(input, zones: zones)
    return result.plan.held.count &+ result.diff.add.count &+ result.diff.remove.count
  }

  /// Allocations do not grow with the entries that are not held.
  private func allocationRows(_ zones: ZoneFolder, entries sizes: [Int]) throws -> [Measurement] {
    guard Allocations.areCounted else { return [] }
    return try sizes.flatMap { entries in
      try [SampleWorld.Rules.quietHoursAndCap, .none].map { rules in
        let world = try SampleWorld(entries: entries, seed: settings.seed, rules: rules, zones: zones)
        return Measurement(
          name: "allocations, " + Self.name(entries, rules), unit: "count",
          values: [Allocations.perCall { Self.plan(world.compiled, world.zones) }])
      }
    }
  }

  private static func name(_ entries: Int, _ rules: SampleWorld.Rules) -> String {
    "plan \(entries) entries, " + (rules == .none ? "no rules" : "quiet hours and a cap")
  }

  /// Growth from the smallest to each size, over that of n log n: 1 is just that, less is better.
  private func growthRows(_ sizes: [(entries: Int, times: Measurement)]) -> [Measurement] {
    guard let least = sizes.first else { return [] }
    func cost(_ entries: Int) -> Double {
      Double(entries) * Double(entries.bitWidth - entries.leadingZeroBitCount)
    }
    return sizes.dropFirst().map { size in
      var row = Measurement.ratio(
        "growth from \(least.entries) to \(size.entries), over n log n", size.times, least.times)
      row.values = row.values.map { $0 / (cost(size.entries) / cost(least.entries)) }
      return row
    }
  }
}
