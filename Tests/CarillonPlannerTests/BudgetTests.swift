import CarillonModel
import CarillonPlanner
import Testing

/// No trigger, zone or time makes the search for a fire long: counted in steps of some ten nanoseconds each.
@Suite struct BudgetTests {
  private static func steps(
    _ trigger: Trigger, zone name: String = "Europe/Berlin", now: Int64, week: (Int, Int) = (1, 1)
  ) throws -> Int {
    let device = PlanningDevice(
      authorizationStatus: .authorized, settings: NotificationSettings(), zone: zone(name),
      firstWeekday: week.0, minimumDaysInFirstWeek: week.1)
    let trigger = try CompiledTrigger(
      trigger, device: device, acceptedAt: Instant(seconds: now), zones: zones)
    var steps = 0
    _ = trigger.next(after: Instant(seconds: now), steps: &steps)
    return steps
  }

  @Test(
    "rules that were found slow",
    arguments: [
      // Never matches, in two centuries of days, hours or minutes.
      "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
      "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30", "FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1",
      "FREQ=HOURLY;INTERVAL=168;BYDAY=MO,TU,WE",
      "FREQ=MINUTELY;INTERVAL=1427;BYHOUR=3;BYMONTH=2;BYMONTHDAY=30",
      "FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=9;BYSETPOS=3", "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6",
      "FREQ=YEARLY;INTERVAL=100;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO",
      "FREQ=YEARLY;BYWEEKNO=-53,53;BYDAY=MO;BYMONTHDAY=15",
      "FREQ=YEARLY;BYYEARDAY=366;BYMONTH=1",
      // Counts from far back.
      "FREQ=DAILY;COUNT=3660", "FREQ=WEEKLY;COUNT=3660;BYDAY=MO,TU;BYSETPOS=2",
      "FREQ=HOURLY;INTERVAL=61;COUNT=3660", "FREQ=MINUTELY;INTERVAL=1439;BYHOUR=3;COUNT=3660",
      "FREQ=MINUTELY;INTERVAL=61;BYMINUTE=0;COUNT=3660",
      "FREQ=MONTHLY;COUNT=3660;BYDAY=SU,MO,TU;BYSETPOS=-1,7,9",
    ])
  func knownRules(_ rule: String) throws {
    let start = wall("2000-01-03T09:00")
    for now in ["2000-01-01Z", "2026-11-30T12:00Z", "2150-01-01Z", "2199-12-31T23:00Z"] {
      let trigger = Trigger.recurrence(RecurrenceTrigger(start: start, rule: rule))
      let steps = try Self.steps(trigger, now: instant(now).seconds)
      #expect(steps <= CompiledTrigger.mostSteps, "\(rule) \(now)")
    }
  }

  @Test("a thousand exceptions in a row") func exceptions() throws {
    let start = wall("2026-01-01T09:00")
    let except = (0..<RecurrenceTrigger.mostExceptions).map {
      LocalDateTime(wallSeconds: start.wallSeconds + Int64($0) * 86_400)
    }
    let trigger = RecurrenceTrigger(start: start, rule: "FREQ=DAILY", except: except.reversed())
    let steps = try Self.steps(.recurrence(trigger), now: instant("2026-01-01Z").seconds)
    #expect(steps > except.count && steps <= CompiledTrigger.mostSteps)
  }

  @Test(
    "a day that the clock leaves out, and an hour it shows twice",
    arguments: [("Pacific/Apia", "2011-12-30T10:00:01Z"), ("Europe/Berlin", "2026-10-25T01:00Z")])
  func clockChanges(_ name: String, _ now: String) throws {
    for rule in ["FREQ=MINUTELY", "FREQ=MINUTELY;BYSECOND=17", "FREQ=HOURLY;BYMINUTE=1,2,3,58"] {
      let trigger = Trigger.recurrence(RecurrenceTrigger(start: wall("2011-01-01T00:00"), rule: rule))
      let steps = try Self.steps(trigger, zone: name, now: instant(now).seconds)
      #expect(steps <= CompiledTrigger.mostSteps, "\(rule)")
    }
  }

  @Test("random rules and components made to be slow") func randomTriggers() throws {
    var random = Seeded(seed: Seeded.announced("randomTriggers"))
    for _ in 0..<Seeded.count(2_000) {
      let trigger: Trigger
      if random.chance(50) {
        let start = Int64.random(
          in: instant("2000-01-01Z").seconds...instant("2030-01-01Z").seconds, using: &random)
        trigger = .recurrence(
          RecurrenceTrigger(
            start: LocalDateTime(wallSeconds: start), rule: RandomRule.hostile(&random)))
      } else {
        trigger = .calendar(Self.randomSet(&random))
      }
      let now = random.pick([
        Int64.random(in: -4_000_000_000...7_000_000_000, using: &random),
        Int64.random(in: 1_764_500_000...1_864_500_000, using: &random),
      ])
      let steps = try Self.steps(
        trigger, zone: random.pick(PythonOracleTests.names), now: now,
        week: (Int.random(in: 1...7, using: &random), Int.random(in: 1...7, using: &random)))
      #expect(steps <= CompiledTrigger.mostSteps, "\(trigger) \(now)")
    }
  }

  /// Any mix, also those that are refused where they are put.
  private static func randomSet(_ random: inout Seeded) -> CalendarTrigger {
    var set = CalendarComponents()
    func maybe(_ chance: Int, _ range: ClosedRange<Int>) -> Int? {
      random.chance(chance) ? Int.random(in: range, using: &random) : nil
    }
    set.year = maybe(15, 2000...2199)
    set.month = maybe(30, 1...12)
    set.day = maybe(30, 28...31)
    set.weekday = maybe(40, 1...7)
    set.weekdayOrdinal = maybe(30, 1...5)
    set.weekOfMonth = maybe(30, 1...6)
    set.weekOfYear = maybe(30, 1...53)
    set.yearForWeekOfYear = maybe(15, 2000...2199)
    set.hour = maybe(50, 0...23)
    set.minute = maybe(50, 0...59)
    set.second = maybe(30, 0...59)
    return CalendarTrigger(
      components: set, repeats: random.chance(80), onMissingDay: random.pick(MissingDayRule.allCases))
  }
}
