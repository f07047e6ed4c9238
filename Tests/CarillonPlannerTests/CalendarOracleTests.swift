import CarillonModel
import CarillonPlanner
import CarillonZones
import Foundation
import Testing

/// Fires against Foundation's `Calendar.nextDate`, where the two mean to agree: away from changes of the clock, on days
/// that every month has, and strictly after now with unset smaller units at their minimum.
@Suite(.enabled(if: CalendarOracle.isBuilt, "the program calendar-oracle is not built"))
struct CalendarOracleTests {
  private static func randomSet(_ random: inout Seeded) -> [(String, Int)] {
    var given: [(String, Int)] = []
    func add(_ name: String, _ range: ClosedRange<Int>) {
      given.append((name, Int.random(in: range, using: &random)))
    }
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: break
    case 2, 3: add("weekday", 1...7)
    case 4: add("day", 1...28)
    case 5:
      add("month", 1...12)
      add("day", 1...28)
    case 6:
      add("year", 2026...2036)
      add("month", 1...12)
      add("day", 1...28)
    case 7:
      add("weekday", 1...7)
      add("weekdayOrdinal", 1...4)
    default:
      // Grids: each hour, each minute.
      if random.chance(50) { add("minute", 0...59) }
      if given.isEmpty || random.chance(50) { add("second", 0...59) }
      return given
    }
    add("hour", 0...23)
    if random.chance(70) { add("minute", 0...59) }
    return given
  }

  /// Foundation answers some questions about nth weekdays with a 1 March that is none.
  private static func isOwnWay(_ given: [(String, Int)], _ zone: ZoneTable, _ now: Int64) -> Bool {
    given.contains { $0.0 == "weekdayOrdinal" }
      && (1...3).contains(zone.local(at: Instant(seconds: now)).date.month)
  }

  @Test func nextDate() throws {
    var random = Seeded(seed: Seeded.announced("nextDate"))
    let cases = (0..<Seeded.count(2_000)).map { _ in
      (
        zone: random.pick(PythonOracleTests.names),
        now: Int64.random(
          in: instant("2025-01-01Z").seconds...instant("2035-12-31Z").seconds, using: &random),
        given: Self.randomSet(&random)
      )
    }
    let lines = cases.map { row in
      "\(row.zone) \(row.now) " + row.given.map { "\($0.0)=\($0.1)" }.joined(separator: " ")
    }
    let answers = try CalendarOracle.answer(to: lines, within: 30 + Double(cases.count) / 100)
    #expect(answers.count == cases.count)
    var compared = 0
    for (index, row) in cases.enumerated() {
      let zone = zone(row.zone)
      let device = PlanningDevice(
        authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone)
      let set = components { set in for (name, value) in row.given { set.set(name, value) } }
      let trigger = try CompiledTrigger(
        .calendar(CalendarTrigger(components: set, repeats: true)), device: device,
        acceptedAt: Instant(seconds: row.now), zones: zones)
      let fire = trigger.next(after: Instant(seconds: row.now))
      let answer = answers[index].split(separator: " ").compactMap { Int64($0) }
      guard answer.count == 5 else {
        // A zone that Foundation does not know, or a date that has passed.
        if row.given.contains(where: { $0.0 == "year" }) { #expect(fire == nil, "\(lines[index])") }
        continue
      }
      let days: Int64 = 2 * 86_400
      let ours = [row.now - days, row.now + days, answer[0] - days, answer[0] + days].map {
        Int64(zone.offset(at: Instant(seconds: $0)))
      }
      guard ours == Array(answer[1...]), ours[0] == ours[1], ours[2] == ours[3],
        !Self.isOwnWay(row.given, zone, row.now)
      else { continue }
      // Nor may ours lie at a change, which Foundation passes over where the hour is not there.
      if let fire, zone.offset(at: fire.adding(seconds: -days)) != zone.offset(at: fire.adding(seconds: days))
      {
        continue
      }
      // A full date that has passed: Foundation gives the first of a month.
      if fire == nil, row.given.contains(where: { $0.0 == "year" }) { continue }
      compared += 1
      #expect(fire?.seconds == answer[0], "\(lines[index])")
    }
    print("nextDate: \(compared) of \(cases.count) compared")
    #expect(compared > cases.count / 2)
  }
}
