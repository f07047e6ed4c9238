import CarillonModel
import CarillonPlanner
import CarillonZones
import Foundation
import TestSupport
import Testing

/// Zones nobody has, compiled by the system's own `zic`: what the rules must hold for, whatever parliaments decide.
@Suite(
  .enabled(
    if: PythonOracle.isInstalled && OddZones.folder != nil, "zic or python3 with zoneinfo is not installed"))
struct OddZoneTests {
  @Test(arguments: OddZones.names) func readings(_ name: String) throws {
    let folder = try #require(OddZones.folder)
    let zone = try #require(folder.zone(named: name))
    var random = Seeded(seed: Seeded.announced("readings of \(name)"))
    let cases = (0..<Seeded.count(400)).map { _ in
      let at = PythonOracleTests.randomInstant(zone, &random)
      let local = at + Int64(zone.offset(at: Instant(seconds: at)))
      return (at: at, wall: local + Int64.random(in: -90_000...90_000, using: &random))
    }
    let answers = try PythonOracle.answer(
      PythonOracle.readings, to: cases.map { "\(name) \($0.at) \($0.wall)" }, zoneFolder: folder.path)
    #expect(answers.count == cases.count)
    for (row, answer) in zip(cases, answers) {
      let numbers = answer.split(separator: " ").compactMap { Int64($0) }
      #expect(Int64(zone.offset(at: Instant(seconds: row.at))) == numbers[0], "\(row)")
      #expect(zone.fire(of: LocalDateTime(wallSeconds: row.wall)).seconds == numbers[1], "\(row)")
    }
  }

  @Test(arguments: OddZones.names) func nextFire(_ name: String) throws {
    let folder = try #require(OddZones.folder)
    let zone = try #require(folder.zone(named: name))
    let device = PlanningDevice(
      authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone)
    var random = Seeded(seed: Seeded.announced("nextFire of \(name)"))
    let cases = (0..<Seeded.count(60)).map { _ in
      (now: PythonOracleTests.randomInstant(zone, &random), given: PythonOracleTests.randomClock(&random))
    }
    let lines = cases.map { row in
      "\(name) \(row.now) skip 1 1 " + row.given.map { "\($0.0)=\($0.1)" }.joined(separator: " ")
    }
    let answers = try PythonOracle.answer(PythonOracle.nextFire, to: lines, zoneFolder: folder.path)
    #expect(answers.count == cases.count)
    for (index, row) in cases.enumerated() {
      let set = components { set in for (name, value) in row.given { set.set(name, value) } }
      let trigger = try CompiledTrigger(
        .calendar(CalendarTrigger(components: set, repeats: true)), device: device,
        acceptedAt: Instant(seconds: row.now), zones: folder)
      let fire = trigger.next(after: Instant(seconds: row.now))
      #expect(fire.map { "\($0.seconds)" } ?? "none" == answers[index], "\(lines[index])")
    }
  }
}

enum OddZones {
  static let names = source.split(separator: "\n").filter { $0.hasPrefix("Zone") }.map {
    String($0.split(separator: " ")[1])
  }

  /// Compiled once for all tests; nil without `zic`.
  static let folder: ZoneFolder? = {
    let place = FileManager.default.temporaryDirectory.appending(path: "odd-zones-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      let text = place.appending(path: "source")
      try Data(source.utf8).write(to: text)
      let zic = Program()
      zic.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      zic.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
      zic.arguments = ["zic", "-d", place.path, text.path]
      try zic.run()
      zic.waitUntilExit()
      return try ZoneFolder(path: place.path)
    } catch {
      return nil
    }
  }()

  private static let source = """
    # Save a quarter of an hour; save less than nothing; change at both ends of a day; days after the named one;
    # at an hour before midnight; on a day of the year, leap days counted.
    Rule Quarter 2020 max - Apr Sun>=1 2:00 0:15 S
    Rule Quarter 2020 max - Oct lastSun 2:00 0 -
    Rule Less 2020 max - Oct lastSun 2:00 -1:00 W
    Rule Less 2020 max - Mar lastSun 1:00u 0 -
    Rule Edge 2020 max - Mar lastSat 24:00 1:00 S
    Rule Edge 2020 max - Oct Sun>=15 0:00 0 -
    Rule After 2020 max - Mar Thu>=1 50:00 2:00 S
    Rule After 2020 max - Sep Thu>=1 -5:00 0 -
    Rule Often 2024 2036 - Feb 1 2:00 1:00 S
    Rule Often 2024 2036 - Feb 12 2:00 0 -
    Rule Often 2024 2036 - Jul 1 2:00 1:00 S
    Rule Often 2024 2036 - Jul 12 2:00 0 -
    Zone UTC 0 - UTC
    Zone Odd/Quarter 5:45 Quarter QQ%sQ
    Zone Odd/Less 1:00 Less LL%sL
    Zone Odd/Edge -3:00 Edge EE%sE
    Zone Odd/After 10:30 After AA%sA
    Zone Odd/Often 0:00 Often OO%sO
    Zone Odd/Seconds 1:23:45 - SSS 2026 May 5 3:21:09
     -0:00:17 - TTT
    Zone Odd/Dateline -12:00 - DDD 2026 Jun 10 0:00
     12:00 - EEE 2027 Mar 3 12:34
     -12:00 - DDD 2029 Jan 1 0:00
     -11:00 Quarter DD%sD
    Zone Odd/Far 23:59:59 - FFF 2026 Aug 1 0:00
     2:00 - GGG

    """
}
