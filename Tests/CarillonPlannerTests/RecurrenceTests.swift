import CarillonModel
import CarillonPlanner
import CarillonZones
import Testing

/// Recurrences: against `dateutil.rrule` where no clock changes, and by example where one does.
@Suite struct RecurrenceTests {
  static let hasDateutil =
    PythonOracle.isInstalled
    && (try? PythonOracle.answer("import dateutil.rrule\nprint('yes')", to: [])) == ["yes"]

  /// For `start now end count rule`: the next times after now and before the end, on a wall clock.
  private static let script = """
    import signal, sys, warnings
    warnings.simplefilter("ignore")
    class Slow(Exception): pass
    def stop(number, frame): raise Slow()
    signal.signal(signal.SIGALRM, stop)
    from datetime import datetime, timedelta
    from dateutil.rrule import rrulestr
    epoch = datetime(1970, 1, 1)
    for line in sys.stdin:
        start, now, end, count, rule = line.split()
        dtstart = epoch + timedelta(seconds=int(start))
        after = epoch + timedelta(seconds=int(now))
        before = epoch + timedelta(seconds=int(end))
        found = []
        # It looks for what never comes up to the year 9999.
        signal.alarm(2)
        try:
            times = rrulestr(rule, dtstart=dtstart)
            if times._until is None or times._until > before: times = times.replace(until=before)
            for at in times:
                if at > after: found.append(str(int((at - epoch).total_seconds())))
                if len(found) == int(count): break
        except ValueError: pass
        except Slow: found = ['slow']
        signal.alarm(0)
        print(','.join(found) or 'none')
    """

  @Test(.enabled(if: hasDateutil, "python3 with dateutil is not installed"))
  func againstDateutil() throws {
    var random = Seeded(seed: Seeded.announced("againstDateutil"))
    let count = 6
    let cases = (0..<Seeded.count(300)).map { _ in
      let start = Int64.random(
        in: instant("2025-01-01Z").seconds...instant("2030-01-01Z").seconds, using: &random)
      let rule = RandomRule.any(&random, agreeing: true)
      // `dateutil` walks from the start, hour by hour or minute by minute.
      let days = rule.contains("MINUTELY") ? 5 : rule.contains("HOURLY") ? 40 : 1_500
      let now = start + Int64.random(in: Int64(-days / 10)...Int64(days), using: &random) * 86_400
      let end = days < 1_000 ? start + Int64(days) * 5 * 86_400 : instant("2050-01-01Z").seconds
      return (start: start / 60 * 60, now: now, end: end, rule: rule)
    }
    let answers = try PythonOracle.answer(
      Self.script, to: cases.map { "\($0.start) \($0.now) \($0.end) \(count) \($0.rule)" })
    #expect(answers.count == cases.count)
    let answered = answers.count { $0 != "slow" }
    print("againstDateutil: \(answered) of \(cases.count) compared")
    #expect(answered > cases.count * 9 / 10)
    for (row, answer) in zip(cases, answers) where answer != "slow" {
      let trigger = try Self.compiled(row.rule, start: LocalDateTime(wallSeconds: row.start))
      var now = Instant(seconds: row.now)
      var fires: [String] = []
      while fires.count < count, let fire = trigger.next(after: now), fire.seconds <= row.end {
        fires.append("\(fire.seconds)")
        now = fire
      }
      #expect((fires.isEmpty ? "none" : fires.joined(separator: ",")) == answer, "\(row)")
    }
  }

  private static func compiled(
    _ rule: String, start: LocalDateTime, except: [LocalDateTime] = [], zone name: String = "UTC"
  ) throws -> CompiledTrigger {
    let device = PlanningDevice(
      authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone(name))
    return try CompiledTrigger(
      .recurrence(RecurrenceTrigger(start: start, rule: rule, except: except)), device: device,
      acceptedAt: Instant(seconds: 0), zones: zones)
  }

  private static func fires(
    _ rule: String, start: String, from: String, zone name: String = "UTC", count: Int
  ) throws -> [Instant] {
    let trigger = try compiled(rule, start: wall(start), zone: name)
    var fires: [Instant] = []
    while fires.count < count, let fire = trigger.next(after: fires.last ?? instant(from)) {
      fires.append(fire)
    }
    return fires
  }

  @Test(
    "minutes as the frequency, and what few years have",
    arguments: [
      (
        "FREQ=MINUTELY;INTERVAL=90", "2026-01-01T09:00", "2026-01-01T10:00Z",
        ["2026-01-01T10:30Z", "2026-01-01T12:00Z"]
      ),
      (
        "FREQ=MINUTELY;INTERVAL=45;BYHOUR=9,10", "2026-01-01T09:00", "2026-01-01T10:00Z",
        ["2026-01-01T10:30Z", "2026-01-02T09:00Z", "2026-01-02T09:45Z"]
      ),
      ("FREQ=MINUTELY;COUNT=3", "2026-01-01T09:00", "2026-01-01T09:01Z", ["2026-01-01T09:02Z"]),
      // Every 9,973 minutes (nearly a week), and then only at three in the morning.
      (
        "FREQ=MINUTELY;INTERVAL=9973;BYHOUR=3;BYMINUTE=0", "2026-01-01T03:00", "2026-01-01T04:00Z",
        ["2053-04-22T03:00Z"]
      ),
      (
        "FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO", "2024-02-01T09:00", "2025-01-01Z",
        ["2044-02-29T09:00Z", "2072-02-29T09:00Z", "2112-02-29T09:00Z"]
      ),
      ("FREQ=DAILY;INTERVAL=10000", "2026-01-01T09:00", "2026-01-02Z", ["2053-05-19T09:00Z"]),
      ("FREQ=DAILY;COUNT=3660", "2016-01-01T09:00", "2026-01-06T10:00Z", ["2026-01-07T09:00Z"]),
      ("FREQ=WEEKLY;COUNT=3660;INTERVAL=2", "2000-01-01T09:00", "2140-03-25Z", ["2140-04-02T09:00Z"]),
      (
        "FREQ=WEEKLY;BYDAY=MO,TU,WE;BYSETPOS=-1;WKST=SU", "2025-12-28T09:00", "2025-12-29T10:00Z",
        ["2025-12-31T09:00Z", "2026-01-07T09:00Z"]
      ),
    ])
  func farTimes(_ rule: String, _ start: String, _ from: String, _ expected: [String]) throws {
    let fires = try Self.fires(rule, start: start, from: from, count: expected.count)
    #expect(fires == expected.map(instant))
  }

  @Test("COUNT ends the same from wherever it is asked")
  func countIsTheSameFromAfar() throws {
    var random = Seeded(seed: Seeded.announced("countIsTheSameFromAfar"))
    for _ in 0..<Seeded.count(150) {
      let rule = RandomRule.any(&random)
      guard rule.contains("COUNT") else { continue }
      let trigger = try Self.compiled(rule, start: wall("2026-03-01T09:20"))
      var chain: [Instant] = []
      while let fire = trigger.next(after: chain.last ?? instant("2026-01-01Z")) { chain.append(fire) }
      let count = try #require(rule.split(separator: ";").first { $0.hasPrefix("COUNT=") }?.dropFirst(6))
      #expect(chain.count <= Int(count)!, "\(rule)")
      for (fire, next) in zip(chain, chain.dropFirst()) {
        #expect(trigger.next(after: fire) == next, "\(rule)")
      }
      if let last = chain.last { #expect(trigger.next(after: last) == nil, "\(rule)") }
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
      ("FREQ=SECONDLY", TriggerRefusal.Code.unsupportedRulePart, "FREQ=SECONDLY"),
      ("FREQ=SECONDLY;INTERVAL=60", .unsupportedRulePart, "FREQ=SECONDLY"),
      ("FREQ=MINUTELY;BYSECOND=0,30", .unsupportedRulePart, "BYSECOND"),
      ("FREQ=HOURLY;BYMINUTE=5;BYSECOND=10,50", .unsupportedRulePart, "BYSECOND"),
      ("FREQ=DAILY;BYSECOND=0,59", .unsupportedRulePart, "BYSECOND"),
      ("FREQ=DAILY;BYHOUR=0,23;BYMINUTE=0,59;BYSECOND=0,30;BYSETPOS=1,-1", .unsupportedRulePart, "BYSECOND"),
      ("FREQ=MONTHLY;BYSECOND=0,30;BYSETPOS=1,2", .unsupportedRulePart, "BYSECOND"),
      ("FREQ=DAILY;RSCALE=GREGORIAN", .unsupportedRulePart, "RSCALE"),
      ("FREQ=DAILY;SKIP=OMIT", .unsupportedRulePart, "SKIP"),
      ("FREQ=DAILY;X-MOON=FULL", .unsupportedRulePart, "X-MOON"),
      ("FREQ=DAILY;INTERVAL=0", .invalidRule, "INTERVAL"),
      ("FREQ=DAILY;INTERVAL=10001", .invalidRule, "INTERVAL"),
      ("FREQ=DAILY;COUNT=3661", .invalidRule, "COUNT"),
      ("FREQ=DAILY;BYHOUR=24", .invalidRule, "BYHOUR"),
      ("FREQ=DAILY;BYMINUTE=60", .invalidRule, "BYMINUTE"),
      ("FREQ=DAILY;BYSECOND=60", .invalidRule, "BYSECOND"),
      ("FREQ=DAILY;BYHOUR=-1", .invalidRule, "BYHOUR"),
      ("FREQ=DAILY;BYMONTH=13", .invalidRule, "BYMONTH"),
      ("FREQ=DAILY;BYMONTH=-1", .invalidRule, "BYMONTH"),
      ("FREQ=DAILY;BYMONTHDAY=0", .invalidRule, "BYMONTHDAY"),
      ("FREQ=DAILY;BYMONTHDAY=32", .invalidRule, "BYMONTHDAY"),
      ("FREQ=YEARLY;BYYEARDAY=-367", .invalidRule, "BYYEARDAY"),
      ("FREQ=YEARLY;BYWEEKNO=54", .invalidRule, "BYWEEKNO"),
      ("FREQ=DAILY;BYHOUR=1;BYSETPOS=367", .invalidRule, "BYSETPOS"),
      ("FREQ=DAILY;BYHOUR=1;BYSETPOS=0", .invalidRule, "BYSETPOS"),
      ("FREQ=DAILY;BYDAY=XX", .invalidRule, "BYDAY"),
      ("FREQ=MONTHLY;BYDAY=0MO", .invalidRule, "BYDAY"),
      ("FREQ=DAILY;WKST=1", .invalidRule, "WKST"),
      ("FREQ=DAILY;BYDAY=2MO", .invalidRule, "BYDAY"),
      ("FREQ=HOURLY;BYDAY=2MO", .invalidRule, "BYDAY"),
      ("FREQ=YEARLY;BYWEEKNO=20;BYDAY=2MO", .invalidRule, "BYDAY"),
      ("FREQ=WEEKLY;BYMONTHDAY=1", .invalidRule, "BYMONTHDAY"),
      ("FREQ=DAILY;BYYEARDAY=1", .invalidRule, "BYYEARDAY"),
      ("FREQ=WEEKLY;BYYEARDAY=1", .invalidRule, "BYYEARDAY"),
      ("FREQ=MONTHLY;BYYEARDAY=1", .invalidRule, "BYYEARDAY"),
      ("FREQ=DAILY;BYWEEKNO=1", .invalidRule, "BYWEEKNO"),
      ("FREQ=MINUTELY;BYWEEKNO=1", .invalidRule, "BYWEEKNO"),
      ("FREQ=DAILY;BYSETPOS=1", .invalidRule, "BYSETPOS"),
      ("FREQ=DAILY;BYHOUR=", .invalidRule, "BYHOUR"),
      ("FREQ=DAILY;UNTIL=2030-01-01", .invalidRule, "UNTIL"),
      ("FREQ=DAILY;UNTIL=20300101Z", .invalidRule, "UNTIL"),
      ("FREQ=DAILY;UNTIL=20300101T240000", .invalidRule, "UNTIL"),
      ("FREQ=DAILY;BYEASTER=1", .unsupportedRulePart, "BYEASTER"),
      ("FREQ=DAILY;COUNT=0", .invalidRule, "COUNT"),
      ("FREQ=DAILY;COUNT=2;UNTIL=20300101", .invalidRule, "COUNT"),
      ("FREQ=DAILY;UNTIL=20300230", .invalidRule, "UNTIL"),
      ("FREQ=WEEKLY;BYDAY=1MO", .invalidRule, "BYDAY"),
      ("FREQ=MONTHLY;BYWEEKNO=1", .invalidRule, "BYWEEKNO"),
      ("FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", .canNeverFire, "rule"),
      ("FREQ=DAILY;UNTIL=20260101", .canNeverFire, "rule"),
      ("FREQ=DAILY;COUNT=1", .canNeverFire, "rule"),
      ("FREQ=MONTHLY;BYDAY=6MO", .canNeverFire, "rule"),
      ("FREQ=DAILY;BYHOUR=9;BYSETPOS=2", .canNeverFire, "rule"),
      ("FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1,3", .canNeverFire, "rule"),
      ("FREQ=HOURLY;INTERVAL=24;BYHOUR=10", .canNeverFire, "rule"),
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
      #expect(error.pointer == "/trigger/rule")
      #expect(error.detail.contains(names), "\(error.detail)")
    }
  }

  @Test(
    "seconds that BYSETPOS keeps a minute apart",
    arguments: [
      ("FREQ=MINUTELY;BYSECOND=0,30;BYSETPOS=-1", ["2026-06-01T00:00:30Z", "2026-06-01T00:01:30Z"]),
      ("FREQ=DAILY;BYSECOND=0,30;BYSETPOS=1", ["2026-06-01T09:00Z", "2026-06-02T09:00Z"]),
    ])
  func spacedSeconds(_ rule: String, _ expected: [String]) throws {
    let fires = try Self.fires(rule, start: "2026-01-01T09:00", from: "2026-06-01Z", count: 2)
    #expect(fires == expected.map(instant))
  }
}
