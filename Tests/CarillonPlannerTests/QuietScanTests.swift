import CarillonModel
import CarillonPlanner
import Testing

/// Quiet windows around changes of the clock, held against a walk through the minutes.
@Suite struct QuietScanTests {
  struct Change: CustomTestStringConvertible, Sendable {
    var zone: String
    /// The UTC day on which the clock changes.
    var day: String
    var testDescription: String { "\(zone) \(day)" }
  }

  static let changes: [Change] = [
    Change(zone: "Europe/Zurich", day: "2026-03-29Z"), Change(zone: "Europe/Zurich", day: "2026-10-25Z"),
    Change(zone: "Australia/Lord_Howe", day: "2026-10-03Z"),
    Change(zone: "Australia/Lord_Howe", day: "2026-04-04Z"),
    Change(zone: "Antarctica/Troll", day: "2026-03-29Z"),
    Change(zone: "Antarctica/Troll", day: "2026-10-25Z"),
    Change(zone: "Pacific/Chatham", day: "2026-09-26Z"), Change(zone: "Pacific/Chatham", day: "2026-04-04Z"),
    Change(zone: "America/Nuuk", day: "2026-03-29Z"), Change(zone: "America/Nuuk", day: "2026-10-25Z"),
    Change(zone: "Africa/Casablanca", day: "2026-02-15Z"),
    Change(zone: "Africa/Casablanca", day: "2026-03-22Z"), Change(zone: "America/Havana", day: "2026-03-08Z"),
    Change(zone: "America/Havana", day: "2026-11-01Z"), Change(zone: "America/Santiago", day: "2026-09-06Z"),
    Change(zone: "America/Santiago", day: "2026-04-05Z"),
    Change(zone: "America/St_Johns", day: "2026-03-08Z"),
  ]

  /// Minutes of the local day; each pair is a window.
  static let windows: [(from: Int, to: Int)] = {
    let edges = [0, 15, 60, 90, 120, 150, 165, 180, 195, 225, 240, 420, 1_320, 1_380, 1_410, 1_439]
    return edges.flatMap { from in edges.filter { $0 != from }.map { (from, $0) } }
  }()

  /// The wall clock, minute by minute, from two days before the change to two days after.
  struct Walk {
    var start: Int64
    var walls: [Int64]

    init(_ change: Change) {
      let table = zone(change.zone)
      let start = instant(change.day).seconds - 2 * 86_400
      self.start = start
      walls = (0..<(5 * 1_440)).map {
        table.local(at: Instant(seconds: start + Int64($0) * 60)).wallSeconds / 60
      }
    }

    /// The first minute that shows a wall time; where none does, the one at which the clock has jumped beyond it.
    func first(_ wall: Int64) -> Int? { walls.firstIndex(of: wall) ?? jump(over: wall) }
    func last(_ wall: Int64) -> Int? { walls.lastIndex(of: wall) ?? jump(over: wall) }

    private func jump(over wall: Int64) -> Int? {
      guard walls[0] < wall else { return nil }
      return walls.firstIndex { $0 > wall }
    }

    /// For each minute whether a window holds it.
    func quiet(_ window: (from: Int, to: Int)) -> [Bool] {
      var quiet = [Bool](repeating: false, count: walls.count)
      for day in (walls[0] / 1_440)...(walls[walls.count - 1] / 1_440) {
        let endDay = window.to > window.from ? day : day + 1
        guard let from = first(day * 1_440 + Int64(window.from)),
          let to = last(endDay * 1_440 + Int64(window.to)), from < to
        else { continue }
        for minute in from..<to { quiet[minute] = true }
      }
      return quiet
    }
  }

  @Test(arguments: changes) func minuteByMinute(_ change: Change) {
    let walk = Walk(change)
    let step = Seeded.isLong ? 7 : 45
    for (number, window) in Self.windows.enumerated() where Seeded.isLong || number % 4 == 0 {
      var policy = Policy()
      policy.quietHours = QuietHours()
      policy.quietHours?.windows = [QuietWindow(from: window.from * 60, to: window.to * 60)]
      let quiet = walk.quiet(window)
      // A day at both ends is left out, as the walk does not know the windows that begin before it or end after it.
      let wishes = stride(from: 1_440 + number % step, to: 3 * 1_440, by: step)
      let now = Instant(seconds: walk.start)
      var input = PlanInput(
        policy: CompiledPolicy(policy), policyVersion: 1,
        device: PlanningDevice(
          authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone(change.zone)),
        now: now)
      input.queue = wishes.map { minute in
        QueueEntry(
          head: .test("\(minute)", .instant(now.adding(seconds: Int64(minute) * 60))), acceptedAt: now)
      }
      let plan = input.planned().plan
      var places: [String: Int] = [:]
      for held in plan.held { places[held.id.text] = Int((held.fireAt!.seconds - walk.start) / 60) }
      for queued in plan.queued { places[queued.id.text] = Int((queued.fireAt!.seconds - walk.start) / 60) }
      for minute in wishes {
        let expected = quiet[minute...].firstIndex(of: false)!
        guard places["\(minute)"] == expected else {
          Issue.record(
            "\(change) window \(window): minute \(minute) goes to \(places["\(minute)"] ?? -1), not \(expected)"
          )
          return
        }
      }
    }
  }
}
