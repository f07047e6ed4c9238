import CarillonModel
import CarillonPlanner
import CarillonZones
import Foundation

/// The next fire of calendar triggers against Foundation's `nextDate`, for the same components, zone and instants.
struct TimeBenchmark {
  struct Settings {
    var rounds = 3
    var seed: UInt64 = 1
    /// How long each sample runs at least, in seconds.
    var sample = 0.1
    /// Instants asked for, spread over five years.
    var instants = 256
  }

  let settings: Settings
  let progress: (String) -> Void

  func run() throws -> [Measurement] {
    let zones = try ZoneFolder()
    guard let zone = zones.zone(named: SampleQueue.zoneName) else {
      throw LoadFailure(detail: "the zone data lacks \(SampleQueue.zoneName)")
    }
    let device = PlanningDevice(
      authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone, firstWeekday: 2,
      minimumDaysInFirstWeek: 4)
    let rival = try FoundationCalendar(zoneName: SampleQueue.zoneName)
    let instants = sampleInstants()
    var contests: [Contest] = []
    var agreements: [Measurement] = []
    for shape in TriggerShape.all {
      let question = try NextFire(shape, device: device, zones: zones, rival: rival)
      let agreed = instants.filter { question.ours($0) == question.theirs($0) }
      guard !agreed.isEmpty else {
        throw LoadFailure(detail: "no instant at which both agree: \(shape.name)")
      }
      agreements.append(
        Measurement(
          name: "next fire \(shape.name), same answer", unit: "%",
          values: [Double(agreed.count) / Double(instants.count) * 100]))
      contests.append(contest("next fire \(shape.name)", agreed, question.ours, question.theirs))
    }
    contests.append(
      contest(
        "offset of an instant", instants, { Instant(seconds: Int64(zone.offset(at: $0))) },
        { Instant(seconds: Int64(rival.calendar.timeZone.secondsFromGMT(for: Date($0)))) }))
    let sampler = Sampler(seconds: settings.sample)
    for round in 1...settings.rounds {
      progress("round \(round) of \(settings.rounds)")
      for index in contests.indices {
        contests[index].round(sampler)
      }
    }
    return contests.flatMap(\.rows) + agreements
  }

  private func contest(
    _ name: String, _ instants: [Instant], _ ours: @escaping (Instant) -> Instant?,
    _ theirs: @escaping (Instant) -> Instant?
  ) -> Contest {
    func all(_ next: @escaping (Instant) -> Instant?) -> () -> Int {
      { instants.reduce(0) { $0 &+ Int(next($1)?.milliseconds ?? 0) } }
    }
    return Contest(
      name, rival: "Foundation", unit: "ns", scale: 1 / Double(instants.count), ours: all(ours),
      rival: all(theirs))
  }

  private func sampleInstants() -> [Instant] {
    var random = SplitMix64(seed: settings.seed)
    let start = SampleQueue.now.seconds
    return (0..<settings.instants).map { _ in
      Instant(seconds: Int64.random(in: start..<start + 5 * 365 * 86_400, using: &random))
    }
  }
}

/// One trigger, asked of both.
private struct NextFire {
  private let trigger: CompiledTrigger
  private let components: DateComponents
  private let rival: FoundationCalendar

  init(_ shape: TriggerShape, device: PlanningDevice, zones: ZoneFolder, rival: FoundationCalendar) throws {
    trigger = try CompiledTrigger(
      .calendar(CalendarTrigger(components: shape.components, repeats: true)), device: device,
      acceptedAt: SampleQueue.now, zones: zones)
    components = DateComponents(shape.components)
    self.rival = rival
  }

  func ours(_ instant: Instant) -> Instant? { trigger.next(after: instant) }

  func theirs(_ instant: Instant) -> Instant? { rival.next(components, after: Date(instant))?.instant }
}
