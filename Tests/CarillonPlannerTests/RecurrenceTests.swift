import CarillonModel
import CarillonPlanner
import CarillonZones
import Testing

/// Recurrences: against `dateutil.rrule` where no clock changes, and by example where one does.
@Suite struct RecurrenceTests {
  static let hasDateutil =
    PythonOracle.isInstalled
    && (try? PythonOracle.answer("import dateutil.rrule\nprint('yes')", to: [])) == ["yes"]

  /// For `start now count rule`: the next times after now, on a wall clock.
  private static let script = """
    import sys, warnings
    warnings.simplefilter("ignore")
    from datetime import datetime, timedelta
    from dateutil.rrule import rrulestr
    epoch = datetime(1970, 1, 1)
    for line in sys.stdin:
        start, now, count, rule = line.split()
        dtstart = epoch + timedelta(seconds=int(start))
        after = epoch + timedelta(seconds=int(now))
        found = []
        try:
            times = rrulestr(rule, dtstart=dtstart)
            if times._until is None: times = times.replace(until=datetime(2050, 1, 1))
        except ValueError:
            times = []
        for at in times:
            if at > after: found.append(str(int((at - epoch).total_seconds())))
            if len(found) == int(count): break
        print(','.join(found) or 'none')
    """

  private static func randomRule(_ random: inout Seeded) -> String {
    let frequency = random.pick(["YEARLY", "MONTHLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY"])
    var parts = ["FREQ=\(frequency)"]
    func list(_ most: Int, _ number: () -> Int) -> String {
      Set((0..<Int.random(in: 1...most, using: &random)).map { _ in number() }).map(String.init).joined(
        separator: ",")
    }
    func signed(_ range: ClosedRange<Int>) -> Int {
      Int.random(in: range, using: &random) * (random.chance(30) ? -1 : 1)
    }
    let days = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]
    if random.chance(50) { parts.append("INTERVAL=\(Int.random(in: 1...5, using: &random))") }
    if random.chance(30) { parts.append("BYMONTH=" + list(4) { Int.random(in: 1...12, using: &random) }) }
    var hasDays = true
    switch (frequency, Int.random(in: 0..<6, using: &random)) {
    case ("YEARLY", 0): parts.append("BYWEEKNO=" + list(3) { Int.random(in: 2...51, using: &random) })
    case ("YEARLY", 1): parts.append("BYYEARDAY=" + list(4) { signed(1...366) })
    case ("YEARLY", 2), ("MONTHLY", 2), ("MONTHLY", 1):
      parts.append("BYDAY=\(signed(1...5))\(random.pick(days)),\(signed(1...5))\(random.pick(days))")
    case ("YEARLY", 3), ("MONTHLY", 3), ("DAILY", 3):
      parts.append("BYMONTHDAY=" + list(4) { signed(1...31) })
    case (_, 4), ("WEEKLY", _):
      parts.append("BYDAY=" + Set((0..<3).map { _ in random.pick(days) }).joined(separator: ","))
    default: hasDays = false
    }
    if random.chance(30) { parts.append("WKST=\(random.pick(days))") }
    if random.chance(30) { parts.append("BYHOUR=" + list(3) { Int.random(in: 0...23, using: &random) }) }
    if random.chance(20) { parts.append("BYMINUTE=" + list(3) { Int.random(in: 0...59, using: &random) }) }
    if hasDays, random.chance(30), frequency == "YEARLY" || frequency == "MONTHLY" {
      parts.append("BYSETPOS=" + list(2) { signed(1...3) })
    }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: parts.append("COUNT=\(Int.random(in: 1...200, using: &random))")
    case 1: parts.append("UNTIL=20\(Int.random(in: 26...40, using: &random))0615T120000")
    default: break
    }
    return parts.joined(separator: ";")
  }

  @Test(.enabled(if: hasDateutil, "python3 with dateutil is not installed"))
  func againstDateutil() throws {
    var random = Seeded(seed: Seeded.announced("againstDateutil"))
    let count = 6
    let cases = (0..<Seeded.count(500)).map { _ in
      let start = Int64.random(
        in: instant("2025-01-01Z").seconds...instant("2030-01-01Z").seconds, using: &random)
      let rule = Self.randomRule(&random)
      // `dateutil` walks from the start, hour by hour.
      let now =
        start + Int64.random(in: -90...(rule.contains("HOURLY") ? 40 : 1_500), using: &random) * 86_400
      return (start: start / 60 * 60, now: now, rule: rule)
    }
    let answers = try PythonOracle.answer(
      Self.script, to: cases.map { "\($0.start) \($0.now) \(count) \($0.rule)" })
    #expect(answers.count == cases.count)
    let device = PlanningDevice(
      authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone("UTC"))
    for (row, answer) in zip(cases, answers) {
      let trigger = RecurrenceTrigger(start: LocalDateTime(wallSeconds: row.start), rule: row.rule)
      var now = Instant(seconds: row.now)
      var fires: [String] = []
      while fires.count < count,
        let fire = Planner.firstFire(
          of: .test("x", .recurrence(trigger)), acceptedAt: now, now: now, device: device, zones: zones),
        fire < instant("2050-01-01Z")
      {
        fires.append("\(fire.seconds)")
        now = fire
      }
      #expect((fires.isEmpty ? "none" : fires.joined(separator: ",")) == answer, "\(row)")
    }
  }

  private func plan(
    _ rule: String, start: String, zone name: String = "UTC", now: String, except: [String] = [],
    timeZone: String? = nil
  ) -> Plan {
    let trigger = RecurrenceTrigger(
      start: wall(start), rule: rule, except: except.map(wall), timeZone: timeZone)
    return PlanInput.test(now: now, zone: name, queue: [.test("standup", .recurrence(trigger))]).planned()
      .plan
  }

  @Test("every other day, ten times, is expanded inside the horizon") func expansion() {
    let plan = plan("FREQ=DAILY;INTERVAL=2;COUNT=10", start: "2026-01-01T09:00", now: "2026-01-02T00:00Z")
    #expect(plan.heldIDs.first == "standup@20260103T0900")
    #expect(plan.heldIDs.last == "standup@20260119T0900")
    #expect(plan.held.count == 9)
    #expect(plan.held.allSatisfy { $0.source.text == "standup" })
    #expect(plan.held[0].trigger == .local(wall("2026-01-03T09:00")))
    #expect(plan.refreshBy == nil)
  }

  @Test("what lies beyond the horizon makes the device come back") func horizon() {
    let plan = plan("FREQ=DAILY", start: "2026-01-01T09:00", now: "2026-01-01T12:00Z")
    #expect(plan.held.count == 30)
    #expect(plan.held.last?.fireAt == instant("2026-01-31T09:00Z"))
    #expect(plan.refreshBy == instant("2026-01-31T00:00Z"))
    let rare = self.plan("FREQ=YEARLY", start: "2024-02-29T09:00", now: "2026-01-01T12:00Z")
    #expect(rare.held.map(\.fireAt) == [instant("2028-02-29T09:00Z")])
    #expect(rare.refreshBy == instant("2026-01-31T00:00Z"))
  }

  @Test("exceptions leave out single times, and COUNT counts them") func exceptions() {
    let plan = plan(
      "FREQ=DAILY;COUNT=4", start: "2026-01-01T09:00", now: "2026-01-01T00:00Z", except: ["2026-01-02T09:00"])
    #expect(plan.held.map(\.fireAt) == [1, 3, 4].map { instant("2026-01-0\($0)T09:00Z") })
  }

  @Test("gaps and overlaps follow the rule of all wall times") func clockChanges() {
    let spring = plan(
      "FREQ=DAILY;BYHOUR=2,3;BYMINUTE=10,30", start: "2022-03-27T00:00", zone: "Europe/Zurich",
      now: "2022-03-26T23:00Z")
    let times = ["01:10", "01:30"].map { instant("2022-03-27T\($0)Z") }
    #expect(spring.held.prefix(3).map(\.fireAt) == times + [instant("2022-03-28T00:10Z")])
    let autumn = plan(
      "FREQ=DAILY;COUNT=2", start: "2022-10-30T02:30", zone: "Europe/Zurich", now: "2022-10-29T12:00Z")
    #expect(autumn.held.map(\.fireAt) == [instant("2022-10-30T00:30Z"), instant("2022-10-31T01:30Z")])
    #expect(autumn.held[0].trigger == .instant(instant("2022-10-30T00:30Z")))
    #expect(autumn.held[1].trigger == .local(wall("2022-10-31T02:30")))
  }

  /// `dateutil` takes 1 January 2039 for week 53; ISO 8601 does not, so these are by ISO's calendar.
  @Test(
    "weeks over a year's end",
    arguments: [
      ("BYWEEKNO=53;BYDAY=SA", ["2027-01-02T09:00Z", "2033-01-01T09:00Z"]),
      (
        "BYWEEKNO=1;BYDAY=MO",
        ["2027-01-04T09:00Z", "2028-01-03T09:00Z", "2029-01-01T09:00Z", "2029-12-31T09:00Z"]
      ),
      ("BYWEEKNO=-1;BYDAY=SU", ["2027-01-03T09:00Z", "2028-01-02T09:00Z", "2028-12-31T09:00Z"]),
    ])
  func weekNumbers(parts: String, fires: [String]) {
    let device = PlanningDevice(
      authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone("UTC"))
    let trigger = RecurrenceTrigger(start: wall("2026-02-01T09:00"), rule: "FREQ=YEARLY;" + parts)
    var now = instant("2026-02-01Z")
    for fire in fires {
      let next = Planner.firstFire(
        of: .test("x", .recurrence(trigger)), acceptedAt: now, now: now, device: device, zones: zones)
      #expect(next == instant(fire))
      now = next ?? now
    }
  }

  @Test("a zone of its own makes fixed instants") func ownZone() {
    let plan = plan(
      "FREQ=WEEKLY;COUNT=1", start: "2026-07-01T09:00", zone: "Europe/Madrid", now: "2026-06-30T00:00Z",
      timeZone: "America/New_York")
    #expect(plan.held.map(\.trigger) == [.instant(instant("2026-07-01T13:00Z"))])
  }

  @Test(
    "what is refused, and by which name",
    arguments: [
      ("FREQ=MINUTELY", TriggerRefusal.Code.unsupportedRulePart, "FREQ=MINUTELY"),
      ("FREQ=DAILY;BYEASTER=1", .unsupportedRulePart, "BYEASTER"),
      ("FREQ=DAILY;COUNT=0", .invalidRule, "COUNT"),
      ("FREQ=DAILY;COUNT=2;UNTIL=20300101", .invalidRule, "COUNT"),
      ("FREQ=DAILY;UNTIL=20300230", .invalidRule, "UNTIL"),
      ("FREQ=WEEKLY;BYDAY=1MO", .invalidRule, "BYDAY"),
      ("FREQ=MONTHLY;BYWEEKNO=1", .invalidRule, "BYWEEKNO"),
      ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", .canNeverFire, "rule"),
      ("FREQ=DAILY;UNTIL=20260101", .canNeverFire, "rule"),
    ])
  func refusals(rule: String, code: TriggerRefusal.Code, names: String) {
    let device = PlanningDevice(
      authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone("UTC"))
    let trigger = Trigger.recurrence(RecurrenceTrigger(start: wall("2025-01-01T09:00"), rule: rule))
    do {
      try Planner.validate(trigger, device: device, now: instant("2026-06-01Z"), zones: zones)
      Issue.record("\(rule) was accepted")
    } catch {
      #expect(error.code == code)
      #expect(error.detail.contains(names), "\(error.detail)")
    }
  }
}
