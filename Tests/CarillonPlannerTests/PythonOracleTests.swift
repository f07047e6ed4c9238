import CarillonModel
import CarillonPlanner
import CarillonZones
import Foundation
import Testing

/// Offsets and fires against CPython's `zoneinfo`.
@Suite(.enabled(if: PythonOracle.isInstalled, "python3 with zoneinfo is not installed"))
struct PythonOracleTests {
  static let names: [String] = {
    let folder = FileManager.default.enumerator(atPath: zones.path)
    let names = (folder?.allObjects as? [String] ?? [])
      .filter { !$0.hasPrefix("right/") && !$0.hasPrefix("posix/") && zones.zone(named: $0) != nil }
    return names.sorted()
  }()

  /// Those whose clock changes between 2025 and 2035.
  private static let changing = names.filter { name in
    let start = instant("2025-01-01Z").seconds
    return (0..<572).contains { week in
      let at = start + Int64(week) * 7 * 86_400
      return zone(name).offset(at: Instant(seconds: at))
        != zone(name).offset(at: Instant(seconds: at + 7 * 86_400))
    }
  }

  /// A zone and an instant: each zone once, and then such that half of all lie near a change of the clock.
  static func randomPlace(_ index: Int, _ random: inout Seeded) -> (name: String, now: Int64) {
    if index < names.count { return (names[index], randomInstant(zone(names[index]), &random)) }
    guard random.chance(65) else {
      let name = random.pick(names)
      return (name, randomInstant(zone(name), &random))
    }
    while true {
      let name = random.pick(changing)
      let now = randomInstant(zone(name), &random)
      if isNearChange(zone(name), now) { return (name, now) }
    }
  }

  /// Whether the clock changes within 30 hours.
  static func isNearChange(_ zone: ZoneTable, _ now: Int64) -> Bool {
    let offsets = [-108_000, 0, 108_000].map { zone.offset(at: Instant(seconds: now + $0)) }
    return Set(offsets).count > 1
  }

  /// Half of them within 30 hours of a change of the clock, where there is one within a year.
  static func randomInstant(_ zone: ZoneTable, _ random: inout Seeded) -> Int64 {
    let range = instant("2025-01-01Z").seconds...instant("2035-12-31Z").seconds
    let any = Int64.random(in: range, using: &random)
    guard random.chance(50) else { return any }
    var low = any
    for _ in 0..<53 {
      var high = low + 7 * 86_400
      guard zone.offset(at: Instant(seconds: low)) != zone.offset(at: Instant(seconds: high)) else {
        low = high
        continue
      }
      let before = zone.offset(at: Instant(seconds: low))
      while high - low > 1 {
        let middle = (low + high) / 2
        if zone.offset(at: Instant(seconds: middle)) == before { low = middle } else { high = middle }
      }
      return high + Int64.random(in: -108_000...108_000, using: &random)
    }
    return any
  }

  @Test("both sides read the same release of the zone data") func sameRelease() throws {
    let release = try PythonOracle.answer(PythonOracle.release, to: []).first ?? ""
    #expect(release.isEmpty || release == zones.version)
  }

  @Test func readings() throws {
    var random = Seeded(seed: Seeded.announced("readings"))
    let cases = (0..<Seeded.count(6_000)).map { index in
      let name = index < Self.names.count ? Self.names[index] : random.pick(Self.names)
      let at =
        random.chance(30)
        ? Int64.random(in: 0...instant("2499-12-30Z").seconds, using: &random)
        : Self.randomInstant(zone(name), &random)
      let local = at + Int64(zone(name).offset(at: Instant(seconds: at)))
      return (name, at, local + Int64.random(in: -7_200...7_200, using: &random))
    }
    let answers = try PythonOracle.answer(
      PythonOracle.readings, to: cases.map { "\($0.0) \($0.1) \($0.2)" })
    #expect(answers.count == cases.count)
    for ((name, at, wall), answer) in zip(cases, answers) {
      let numbers = answer.split(separator: " ").compactMap { Int64($0) }
      #expect(Int64(zone(name).offset(at: Instant(seconds: at))) == numbers[0], "\(name) \(at)")
      let expected: (Int64, Int64)
      switch zone(name).reading(of: LocalDateTime(wallSeconds: wall)) {
      case .unique(let at): expected = (at.seconds, at.seconds)
      case .twice(let first, let last): expected = (first.seconds, last.seconds)
      case .skipped(let transition, let resolved):
        // With fold 1 Python takes the offset from after the gap.
        let after = zone(name).offset(at: transition)
        expected = (resolved.seconds, wall - Int64(after))
      }
      #expect(expected == (numbers[1], numbers[2]), "\(name) \(wall)")
    }
  }

  /// Components of every shape, mostly common ones; minutes and seconds at times that meet clock changes.
  static func randomComponents(_ random: inout Seeded) -> [(String, Int)] {
    var given: [(String, Int)] = []
    func add(_ name: String, _ range: ClosedRange<Int>) {
      given.append((name, Int.random(in: range, using: &random)))
    }
    switch Int.random(in: 0..<16, using: &random) {
    case 0...3: break
    case 4, 5: add("weekday", 1...7)
    case 6, 7: add("day", random.chance(50) ? 28...31 : 1...31)
    case 8:
      add("month", 1...12)
      add("day", 1...28)
    case 9: given += [("month", 2), ("day", 29)]
    case 10, 11:
      add("weekday", 1...7)
      add("weekdayOrdinal", 1...5)
      if random.chance(30) { add("month", 1...12) }
    case 12:
      add("weekOfYear", 1...52)
      if random.chance(70) { add("weekday", 1...7) }
    case 13:
      add("weekOfMonth", 1...5)
      if random.chance(70) { add("weekday", 1...7) }
    case 14:
      add("year", 2024...2037)
      if random.chance(80) { add("month", 1...12) }
      if random.chance(60) { add("day", 1...28) } else if random.chance(50) { add("weekday", 1...7) }
    default:
      if random.chance(50) { add("month", 1...12) }
      add("weekday", 1...7)
      if random.chance(50) { add("day", 1...28) }
    }
    if given.isEmpty || random.chance(90) {
      if random.chance(80) { add("hour", random.chance(60) ? 0...4 : 0...23) }
      if random.chance(80) { add("minute", 0...59) }
      if given.isEmpty || random.chance(20) { add("second", 0...59) }
    }
    return given
  }

  /// Times of day, hours and minutes at which clocks change.
  static func randomClock(_ random: inout Seeded) -> [(String, Int)] {
    var given: [(String, Int)] = []
    let units = Int.random(in: 1...7, using: &random)
    if units & 1 != 0 { given.append(("hour", Int.random(in: 0...23, using: &random))) }
    if units & 2 != 0 { given.append(("minute", Int.random(in: 0...59, using: &random))) }
    if units & 4 != 0 { given.append(("second", Int.random(in: 0...59, using: &random))) }
    if random.chance(30) { given.append(("weekday", Int.random(in: 1...7, using: &random))) }
    return given
  }

  @Test func nextFire() throws {
    var random = Seeded(seed: Seeded.announced("nextFire"))
    let cases = (0..<Seeded.count(3_000)).map { index in
      let place = Self.randomPlace(index, &random)
      return (
        name: place.name, now: place.now,
        missing: random.pick(MissingDayRule.allCases),
        firstWeekday: Int.random(in: 1...7, using: &random), least: random.pick([1, 1, 4, 7]),
        given: Self.randomComponents(&random)
      )
    }
    let near = cases.count { Self.isNearChange(zone($0.name), $0.now) }
    print("nextFire: \(cases.count) cases, \(near) within 30 h of a change of the clock")
    #expect(near * 2 >= cases.count)
    let lines = cases.map { row in
      let given = row.given.map { "\($0.0)=\($0.1)" }.joined(separator: " ")
      return "\(row.name) \(row.now) \(row.missing) \(row.firstWeekday) \(row.least) \(given)"
    }
    let answers = try PythonOracle.answer(PythonOracle.nextFire, to: lines)
    #expect(answers.count == cases.count)
    for (index, row) in cases.enumerated() {
      let device = PlanningDevice(
        authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone(row.name),
        firstWeekday: row.firstWeekday, minimumDaysInFirstWeek: row.least)
      let trigger = CalendarTrigger(
        components: components { set in for (name, value) in row.given { set.set(name, value) } },
        repeats: true,
        onMissingDay: row.missing)
      let now = Instant(seconds: row.now)
      let fire = Planner.firstFire(
        of: .test("x", .calendar(trigger)), acceptedAt: now, now: now, device: device, zones: zones)
      #expect(fire.map { "\($0.seconds)" } ?? "none" == answers[index], "\(lines[index])")
    }
  }
}

extension CalendarComponents {
  mutating func set(_ name: String, _ value: Int) {
    switch name {
    case "year": year = value
    case "month": month = value
    case "day": day = value
    case "hour": hour = value
    case "minute": minute = value
    case "second": second = value
    case "weekday": weekday = value
    case "weekdayOrdinal": weekdayOrdinal = value
    case "weekOfMonth": weekOfMonth = value
    case "weekOfYear": weekOfYear = value
    case "yearForWeekOfYear": yearForWeekOfYear = value
    default: preconditionFailure(name)
    }
  }
}
